//! Roaming in the JVM: sessions of the loop in `jurat_random`, on values kept in local references.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use jurat_base::FxHashMap;
use jurat_protocol::{
    Chart, Ending, Finished, Given, Limits, Primitive, Reply, Roam, Roamed, Statement, Taint, Trouble,
    TypeSort, Var, Wants, shared as layout,
};
use jurat_random::{Ended, Made, Vm, hash_name};

use crate::capture;
use crate::classes::Sort;
use crate::epoch::loadable_name;
use crate::execute::{Run, Slot, name_types};
use crate::jni::{Env, Kind, Ref};
use crate::serve::Worker;
use crate::shared::{attempts, cell, fuel};
use crate::table::{Table, TypeId, class_descriptor};
use crate::{WorkerError, calls, mocks, threads, watchdog};

/// Local references a session may need: its statements' values and what running them takes.
const REFERENCES: usize = 1024;

/// A chart, and its types as the operation table numbers them.
pub(crate) struct Charted {
    chart: Chart,
    types: Vec<TypeId>,
    /// Types by the name that `Class.getName` gives them.
    by_name: FxHashMap<String, Vec<u32>>,
    /// The types of arrays of objects.
    arrays: Vec<u32>,
}

impl Charted {
    pub(crate) fn new(chart: Chart, table: &mut Table) -> Self {
        let mut types = Vec::with_capacity(chart.types.len());
        for ty in &chart.types {
            types.push(table.types.id(&ty.descriptor));
            match &ty.sort {
                TypeSort::Array { element, .. } => {
                    table.types.id(element);
                }
                TypeSort::Function { class, .. } => {
                    table.types.id(&class_descriptor(class));
                }
                TypeSort::Plain | TypeSort::Class | TypeSort::Holder { .. } => {}
            }
        }
        let descriptors = || (0..).zip(chart.types.iter().map(|ty| ty.descriptor.as_str()));
        let mut by_name: FxHashMap<String, Vec<u32>> = FxHashMap::default();
        for (name, at) in descriptors().filter_map(|(at, ty)| Some((loadable_name(ty)?, at))) {
            by_name.entry(name).or_default().push(at);
        }
        let is_array = |ty: &str| ty.starts_with("[L") || ty.starts_with("[[");
        let arrays = descriptors().filter(|(_, ty)| is_array(ty)).map(|(at, _)| at).collect();
        Self { chart, types, by_name, arrays }
    }
}

/// Carries out an order, in an epoch and on a thread of its own.
pub(crate) fn run_roam(worker: &mut Worker, order: &Roam) -> Result<Reply, WorkerError> {
    let chart = worker.chart.clone().ok_or_else(|| WorkerError::new("Chart comes before Roam"))?;
    if chart.chart.focuses.is_empty() {
        return Err(WorkerError::new("there is nothing to roam: the chart has no focus"));
    }
    for start in &order.starts {
        start.sequence.check().map_err(|error| WorkerError::new(format!("a start: {error}")))?;
    }
    name_types(&mut worker.table, order.starts.iter().map(|start| &start.sequence));
    worker.classes.begin_chunk();
    let limits = limits(worker.session.limits, order);
    let roamed =
        worker.on_thread_within(limits, |worker, env| roam_epoch(worker, env, limits, &chart, order));
    let mut roamed = roamed?;
    roamed.classes = worker.classes.take_names();
    Ok(Reply::Roamed(Box::new(roamed)))
}

/// How long a call of an order may take.
fn limits(usual: Limits, order: &Roam) -> Limits {
    // Where the clock decides anyway, one call must not take the time of ten thousand. Where it must not decide, what
    // is cut has to be far from what a busy machine makes of a call that ends.
    let compute_millis = if order.millis > 0 { usual.compute_millis / HASTE } else { usual.compute_millis };
    Limits { compute_millis, wait_millis: usual.wait_millis / PATIENCE_SHARE, ..usual }
}

fn roam_epoch(
    worker: &mut Worker,
    env: Env,
    limits: Limits,
    chart: &Arc<Charted>,
    order: &Roam,
) -> Result<Roamed, WorkerError> {
    let mut run = Run::reopen(worker, env, Wants::default(), order.fresh)?;
    run.limits = limits;
    #[expect(clippy::disallowed_methods, reason = "an order of a time budget ends by the clock")]
    let end = (order.millis > 0).then(|| Instant::now() + Duration::from_millis(order.millis.into()));
    let full = i64::try_from(run.limits.fuel / FUEL_SHARE).unwrap_or(i64::MAX);
    let mut roamer = Roamer {
        run,
        chart,
        number: order.number,
        session: 0,
        seen: 0,
        full,
        starter: None,
        end,
        took: Duration::ZERO,
        exhausted: false,
    };
    let mut roamed = jurat_random::roam(&chart.chart, order, &mut roamer);
    let Roamer { run, exhausted, .. } = roamer;
    if roamed.finished != Some(Finished::Reusable) {
        return Ok(roamed);
    }
    if order.millis > 0 {
        worker.kept = Some(run.leave());
        roamed.finished = Some(Finished::Roaming);
        return Ok(roamed);
    }
    let in_jdk = run.probes.in_jdk;
    run.close();
    // The JDK's own classes keep their state: the next order needs another JVM.
    if exhausted || in_jdk {
        roamed.finished = Some(Finished::Spent);
    }
    Ok(roamed)
}

/// A call while roaming gets this part of a sequence's fuel: what needs more is seldom worth a test.
const FUEL_SHARE: u64 = 50;

/// What waits is given up on in this part of the usual time: a thread that waits for another will not be helped.
const PATIENCE_SHARE: u32 = 4;

/// What computes is given up on in this part of the usual time, if the order ends by the clock.
const HASTE: u32 = 10;

/// The time that costs as much as one unit of fuel; the first call of an operation, for which classes are loaded, should
/// not yet look dear.
const NANOS_OF_FUEL: u64 = 500;

/// The JVM, as sessions see it.
struct Roamer<'a> {
    run: Run<'a>,
    chart: &'a Charted,
    number: u32,
    session: u32,
    /// How many hits of the session were looked at.
    seen: usize,
    full: i64,
    /// The operation of the session that was the first to start a thread.
    starter: Option<u32>,
    /// When no session is begun any more.
    end: Option<Instant>,
    /// How long the last call took, if the clock matters.
    took: Duration,
    /// Whether one of the sessions was stopped, or ran out of stack or heap: the worker is replaced when the order is
    /// done.
    exhausted: bool,
}

impl Vm for Roamer<'_> {
    fn begin(&mut self, session: u32) {
        self.session = session;
        self.seen = 0;
        self.starter = None;
        self.run.slots.clear();
        // Without memory for a frame, calls fail and say so.
        self.run.env.push_frame(REFERENCES);
        self.run.clock_starts(layout::pack(self.number, session as usize, 0));
    }

    fn run(&mut self, position: usize, statement: &Statement, inputs: &[Var]) -> Ended {
        debug_assert_eq!(position, self.run.slots.len(), "statements come one after the other");
        self.run.slots.push(Slot::EMPTY);
        let now = layout::pack(self.number, self.session as usize, position);
        cell(layout::NOW).store(now, Ordering::Relaxed);
        let Statement::Operate { operation, .. } = statement else {
            return self.plain(position, statement, inputs);
        };
        cell(layout::OPERATION).store(u64::from(*operation) + 1, Ordering::Relaxed);
        self.run.probes.refuel(self.full);
        let mut last = (Ref::NULL, 0);
        #[expect(clippy::disallowed_methods, reason = "an order of a time budget may look at the clock")]
        let begun = self.end.map(|_| Instant::now());
        let made = self.run.make(position, statement, inputs, &mut last);
        self.took = begun.map(|begun| begun.elapsed()).unwrap_or_default();
        if self.starter.is_none() && self.run.census.has_news() {
            self.starter = Some(*operation);
        }
        if let Some(trouble) = self.trouble() {
            return Ended::Trouble(trouble);
        }
        match made {
            Ok(slot) => {
                self.run.slots[position] = slot;
                let made = self.made(slot, &mut last);
                self.run.epoch.remember(*operation as usize, last);
                Ended::Made(made)
            }
            Err(Ending::Threw(thrown)) => Ended::Threw(thrown.class),
            Err(_) => Ended::Unfit,
        }
    }

    fn cost(&self) -> u64 {
        let spent = u64::try_from(self.full - fuel().load(Ordering::Relaxed)).unwrap_or_default();
        // Reading files and loading classes takes no fuel.
        spent.max(u64::try_from(self.took.as_nanos()).unwrap_or(u64::MAX) / NANOS_OF_FUEL)
    }

    fn types_of(&mut self, class: u32) -> Vec<u32> {
        let class = self.run.classes.info(class).class;
        let mut names = Vec::new();
        self.ancestors(class, &mut names);
        let mut types: Vec<u32> =
            names.iter().filter_map(|name| self.chart.by_name.get(name)).flatten().copied().collect();
        if names.first().is_some_and(|name| name.starts_with('[')) {
            types.extend(self.chart.arrays.iter().filter(|ty| self.is_array_of(class, **ty)));
        }
        types.sort_unstable();
        types.dedup();
        types
    }

    fn hits(&mut self, into: &mut Vec<u32>) {
        self.seen = self.run.probes.hits_after(self.seen, into);
    }

    fn list(&mut self, class: u32) -> u32 {
        self.run.classes.position(class)
    }

    fn name_hash(&mut self, position: u32) -> u64 {
        hash_name(self.run.classes.name(position))
    }

    fn starter(&self) -> Option<u32> {
        self.starter
    }

    fn is_late(&self) -> bool {
        #[expect(clippy::disallowed_methods, reason = "as above")]
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    fn end(&mut self) -> Option<Trouble> {
        self.run.clock_stops();
        if std::mem::take(&mut self.run.has_mocks) {
            for question in mocks::take_asked() {
                self.run.env.delete_global(question.arguments);
            }
            mocks::end_all(self.run.env);
        }
        let left = self.run.probes.others_spent();
        self.run.put_back();
        self.run.env.pop_frame(Ref::NULL);
        // What was stopped, or ran out of stack or heap, ends its session; the worker is good enough to go on exploring, because
        // everything it finds is replayed elsewhere.
        self.exhausted |= std::mem::take(&mut self.run.taint.stack_overflow);
        self.exhausted |= std::mem::take(&mut self.run.taint.out_of_memory);
        if self.run.taint.stopped && watchdog::forgive(self.run.env, self.run.jdk) {
            self.run.taint.stopped = false;
            self.exhausted = true;
        }
        threads::EXHAUSTED.store(false, Ordering::Release);
        (left || self.run.taint != Taint::default()).then_some(Trouble::Stuck)
    }
}

impl Roamer<'_> {
    /// The names of a class and of all that it extends. To ask of each of a thousand types whether it is one of them
    /// would take longer than a thousand calls.
    fn ancestors(&self, class: Ref, names: &mut Vec<String>) {
        let Run { env, jdk, .. } = &self.run;
        let name = jdk.class_name(*env, class);
        if names.contains(&name) {
            return;
        }
        names.push(name);
        for above in env.superclass(class).into_iter().chain(jdk.jvmti.interfaces(class)) {
            self.ancestors(above, names);
            env.delete_local(above);
        }
    }

    /// Whether arrays of a class are arrays of a type, too.
    fn is_array_of(&mut self, class: Ref, ty: u32) -> bool {
        let Run { env, jdk, table, epoch, .. } = &mut self.run;
        let wanted = epoch.class(*env, jdk, table, self.chart.types[ty as usize]);
        wanted.is_ok_and(|wanted| env.assignable(class, wanted))
    }

    /// Runs a statement that runs none of the subject's code, but for initializers.
    fn plain(&mut self, position: usize, statement: &Statement, inputs: &[Var]) -> Ended {
        let mut last = (Ref::NULL, 0);
        match self.run.make(position, statement, inputs, &mut last) {
            Ok(slot) => {
                self.run.slots[position] = slot;
                Ended::Made(self.made(slot, &mut last))
            }
            Err(Ending::Threw(thrown)) => Ended::Threw(thrown.class),
            Err(_) => Ended::Unfit,
        }
    }

    /// What a statement made; `last` spares looking up the class of the next value from the same operation.
    fn made(&mut self, slot: Slot, last: &mut (Ref, u32)) -> Made {
        let letter = match slot.declared.kind {
            Kind::Void => return Made::Nothing,
            Kind::Object => return self.object(slot.raw.as_ref(), last),
            Kind::Boolean => 'Z',
            Kind::Byte => 'B',
            Kind::Char => 'C',
            Kind::Short => 'S',
            Kind::Int => 'I',
            Kind::Long => 'J',
            Kind::Float => 'F',
            Kind::Double => 'D',
        };
        let primitive = capture::primitive(slot.declared.kind, slot.raw);
        Made::Primitive(letter, primitive.map_or(Given::Other, kind_of))
    }

    fn object(&mut self, object: Ref, last: &mut (Ref, u32)) -> Made {
        if object.is_null() {
            return Made::Null;
        }
        let Run { env, jdk, classes, .. } = &mut self.run;
        let class = env.class_of(object);
        if last.0.is_null() || !env.same(class, last.0) {
            let number = classes.number(*env, jdk, class);
            *last = (classes.info(number).class, number);
        }
        env.delete_local(class);
        let is_empty = classes.info(last.1).sort == Sort::String && env.string_length(object) == 0;
        if is_empty { Made::EmptyString(last.1) } else { Made::Object(last.1) }
    }

    /// Why the session cannot go on after the call that just ended, if so.
    fn trouble(&mut self) -> Option<Trouble> {
        if watchdog::was_cut() {
            self.run.taint.stopped = true;
            // Computing for long may be an accident of its arguments, as using up all fuel is.
            return Some(if watchdog::has_waited() { Trouble::Stuck } else { Trouble::Fuel });
        }
        if self.run.probes.is_spent() {
            return Some(Trouble::Fuel);
        }
        if calls::exit_status().is_some() || attempts().kinds().next().is_some() {
            return Some(Trouble::Attempt);
        }
        (self.run.taint.stack_overflow || self.run.taint.out_of_memory).then_some(Trouble::Exhausted)
    }
}

/// The kind of a primitive.
#[expect(clippy::cast_precision_loss, reason = "a long keeps its sign, and one stays one")]
#[expect(clippy::float_cmp, reason = "these numbers are exact")]
fn kind_of(primitive: Primitive) -> Given {
    let number = match primitive {
        Primitive::Boolean(value) => return if value { Given::True } else { Given::False },
        Primitive::Char(_) => return Given::Other,
        Primitive::Byte(value) => f64::from(value),
        Primitive::Short(value) => f64::from(value),
        Primitive::Int(value) => f64::from(value),
        Primitive::Long(value) => value as f64,
        Primitive::Float(bits) => f64::from(f32::from_bits(bits)),
        Primitive::Double(bits) => f64::from_bits(bits),
    };
    if number == 0.0 {
        Given::Zero
    } else if number == 1.0 {
        Given::One
    } else if number < 0.0 {
        Given::Negative
    } else {
        Given::Other
    }
}
