//! A chart with what was learned while roaming over it: which class fits where, what was called how often.

use jurat_base::{FxHashMap, Rng};
use jurat_protocol::{Chart, ChartedOperation, ChartedType, Need, Roam, Trouble, Usable};

use crate::Vm;

/// After so many troubles an operation is left alone for the rest of the order.
const PATIENCE: u32 = 3;
/// So is one that touches the world in more than one of so many calls: each time a session ends.
const SELDOM: u32 = 3;

/// What an operation may compute before anybody looks at its share: that of thousands of usual calls.
const FREE_COST: u64 = 100_000;
/// An operation that computed more than this part of what all did is called less often.
const COST_SHARE: u64 = 8;

/// The chart, and what is known about it so far.
pub(crate) struct Atlas<'a> {
    pub(crate) chart: &'a Chart,
    pub(crate) order: &'a Roam,
    classes: FxHashMap<u32, Known>,
    /// Operations by the type of their receiver.
    by_receiver: Vec<Vec<u32>>,
    called: Vec<u32>,
    /// What the calls of each operation computed, and of all of them.
    costs: Vec<u64>,
    cost: u64,
    troubles: Vec<u32>,
    /// How often each operation touched the world.
    attempts: Vec<u32>,
    weight: u64,
    /// Positions of starts by focus.
    starts: FxHashMap<u32, Vec<u32>>,
}

/// What is known of a class of objects.
struct Known {
    /// The types of the chart that they fit, a bit each.
    types: Vec<u64>,
    /// What can be called on them, ascending.
    operations: Vec<u32>,
}

fn by_receiver(chart: &Chart) -> Vec<Vec<u32>> {
    let mut found = vec![Vec::new(); chart.types.len()];
    for (position, operation) in (0..).zip(&chart.operations) {
        let receiver = operation.inputs.first().filter(|_| operation.has_receiver);
        if let Some(Need::Reference(ty)) = receiver
            && operation.usable != Usable::Nowhere
        {
            found[*ty as usize].push(position);
        }
    }
    found
}

impl<'a> Atlas<'a> {
    pub(crate) fn new(chart: &'a Chart, order: &'a Roam) -> Self {
        let mut troubles = vec![0; chart.operations.len()];
        for barred in &order.barred {
            if let Some(count) = troubles.get_mut(*barred as usize) {
                *count = PATIENCE;
            }
        }
        let mut starts: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (position, start) in (0..).zip(&order.starts) {
            starts.entry(start.focus).or_default().push(position);
        }
        Self {
            chart,
            order,
            classes: FxHashMap::default(),
            by_receiver: by_receiver(chart),
            called: vec![0; chart.operations.len()],
            costs: vec![0; chart.operations.len()],
            cost: 0,
            troubles,
            attempts: vec![0; chart.operations.len()],
            weight: order.weights.iter().copied().map(u64::from).sum(),
            starts,
        }
    }

    pub(crate) fn operation(&self, operation: u32) -> Option<&'a ChartedOperation> {
        self.chart.operations.get(operation as usize)
    }

    pub(crate) fn ty(&self, ty: u32) -> Option<&'a ChartedType> {
        self.chart.types.get(ty as usize)
    }

    /// Whether a session in a package may call an operation.
    pub(crate) fn may_call(&self, operation: u32, package: u32) -> bool {
        let usable = self.operation(operation).map_or(Usable::Nowhere, |operation| operation.usable);
        let reachable = match usable {
            // Sessions leave what is private alone.
            Usable::Nowhere | Usable::Privately(_) => false,
            Usable::Anywhere => true,
            Usable::In(only) => only == package,
        };
        reachable && self.troubles[operation as usize] < PATIENCE
    }

    /// Takes note of an operation that ended a session; says whether others should know.
    pub(crate) fn note(&mut self, operation: u32, trouble: Trouble) -> bool {
        let at = operation as usize;
        let Some(count) = self.troubles.get_mut(at) else { return true };
        match trouble {
            // What hangs does so every time; running long may be an accident.
            Trouble::Stuck => *count += PATIENCE,
            Trouble::Attempt => {
                let attempts = &mut self.attempts[at];
                *attempts += 1;
                if *attempts <= PATIENCE || *attempts * SELDOM <= self.called[at] {
                    // Other arguments may do no harm.
                    return false;
                }
                *count += PATIENCE;
            }
            _ => *count += 1,
        }
        true
    }

    /// Whether an operation ended a session of this order.
    pub(crate) fn was_in_trouble(&self, operation: u32) -> bool {
        self.troubles.get(operation as usize).is_some_and(|count| *count > 0)
    }

    /// Whether objects of a class can be used where a type is declared.
    pub(crate) fn fits<V: Vm>(&mut self, vm: &mut V, class: u32, ty: u32) -> bool {
        let (word, bit) = ((ty / 64) as usize, ty % 64);
        self.known(vm, class).types.get(word).is_some_and(|word| word >> bit & 1 == 1)
    }

    /// The operations that can be called on objects of a class.
    pub(crate) fn on_class<V: Vm>(&mut self, vm: &mut V, class: u32) -> &[u32] {
        &self.known(vm, class).operations
    }

    /// What is known of a class.
    fn known<V: Vm>(&mut self, vm: &mut V, class: u32) -> &Known {
        let Self { classes, chart, by_receiver, .. } = self;
        classes.entry(class).or_insert_with(|| {
            let mut known = Known { types: vec![0; chart.types.len().div_ceil(64)], operations: Vec::new() };
            for ty in vm.types_of(class) {
                known.types[(ty / 64) as usize] |= 1 << (ty % 64);
                known.operations.extend(&by_receiver[ty as usize]);
            }
            known.operations.sort_unstable();
            known
        })
    }

    /// Draws a focus by weight.
    pub(crate) fn focus(&self, rng: &mut Rng) -> usize {
        if self.weight == 0 {
            return rng.below(self.chart.focuses.len());
        }
        let mut left =
            u64::try_from(rng.below(usize::try_from(self.weight).unwrap_or(usize::MAX))).unwrap_or_default();
        for (position, weight) in self.order.weights.iter().enumerate() {
            match left.checked_sub(u64::from(*weight)) {
                Some(rest) => left = rest,
                None => return position,
            }
        }
        0
    }

    /// A sequence to start a session with.
    pub(crate) fn start(&self, focus: u32, rng: &mut Rng) -> Option<&'a jurat_protocol::Sequence> {
        let starts = self.starts.get(&focus)?;
        let start = rng.pick(starts)?;
        self.order.starts.get(*start as usize).map(|start| &start.sequence)
    }

    pub(crate) fn called(&mut self, operation: u32, cost: u64) {
        if let Some(count) = self.called.get_mut(operation as usize) {
            *count = count.saturating_add(1);
            self.costs[operation as usize] += cost;
            self.cost += cost;
        }
    }

    /// Whether an operation took so much of what the order computed that others come too short.
    pub(crate) fn is_greedy(&self, operation: u32) -> bool {
        let own = self.costs.get(operation as usize).copied().unwrap_or_default();
        own > FREE_COST + self.cost / COST_SHARE
    }

    /// How often an operation was called for this order.
    pub(crate) fn calls_of(&self, operation: u32) -> u32 {
        self.called.get(operation as usize).copied().unwrap_or_default()
    }
}
