//! Which value fits where, by the chart's types as erasure sees them: collections may hold anything.

use std::sync::Arc;

use jurat_base::{FxHashMap, FxHashSet};
use jurat_protocol::{
    BOXES, Chart, ChartedOperation, ChartedType, Compared, Focus, Literal, Need, Statement, TypeSort, Usable,
    Var,
};

use crate::genome::Genome;
use crate::permits::Permits;
use crate::seen::Seen;

/// What a statement makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Made<'g> {
    Nothing,
    Null,
    Primitive(char),
    Text,
    Class,
    Boxed(char),
    /// What an operation gives.
    Given(u32),
    /// An array with elements of this descriptor.
    Array(&'g str),
    Mock,
    /// A lambda for this class.
    StandIn(&'g str),
}

/// A chart, indexed.
#[derive(Debug)]
pub(crate) struct Fitting {
    pub(crate) chart: Arc<Chart>,
    /// Operations that give a value of a type: (type, operation).
    gives: FxHashSet<(u32, u32)>,
    /// The first focus that has an operation.
    home: FxHashMap<u32, usize>,
    /// Operations of classes that are not under test, by the type they are called on.
    helpers: FxHashMap<u32, Vec<u32>>,
    /// The types with such operations that the value of an operation is of.
    prepared: FxHashMap<u32, Vec<u32>>,
    barred: FxHashSet<u32>,
    /// What may be used besides calls that any test can make.
    pub(crate) permits: Permits,
    /// Strings that runs compared with.
    pub(crate) seen: Seen,
}

impl Fitting {
    pub(crate) fn new(chart: Arc<Chart>) -> Self {
        let mut gives = FxHashSet::default();
        for (number, ty) in (0..).zip(&chart.types) {
            let producers = ty.makers.iter().chain(&ty.givers).chain(&ty.private_makers);
            gives.extend(producers.map(|operation| (number, *operation)));
        }
        let mut home = FxHashMap::default();
        for (number, focus) in chart.focuses.iter().enumerate() {
            for operation in focus.operations.iter().chain(&focus.private_operations) {
                home.entry(*operation).or_insert(number);
            }
        }
        let mut helpers: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (number, operation) in (0..).zip(&chart.operations) {
            if let Some(Need::Reference(ty)) = operation.inputs.first()
                && operation.has_receiver
                && !home.contains_key(&number)
            {
                helpers.entry(*ty).or_default().push(number);
            }
        }
        let mut prepared: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (ty, operation) in &gives {
            if helpers.contains_key(ty) {
                prepared.entry(*operation).or_default().push(*ty);
            }
        }
        for types in prepared.values_mut() {
            types.sort_unstable();
        }
        let (permits, seen) = (Permits::default(), Seen::new(&chart));
        Self { chart, gives, home, helpers, prepared, barred: FxHashSet::default(), permits, seen }
    }

    /// Takes note of what the run of a genome compared with.
    pub(crate) fn see(&mut self, genome: &Genome, compared: &[Compared]) {
        self.seen.note(genome, compared);
    }

    /// Whether a genome needs neither private members nor mocks.
    pub(crate) fn is_plain(&self, genome: &Genome) -> bool {
        let is_mock = |statement: &Statement| matches!(statement, Statement::Mock(mock) if !mock.keep_bodies);
        let mut statements = genome.genes().iter().map(|gene| &gene.statement);
        !statements.any(|statement| is_mock(statement) || self.is_private(statement))
    }

    /// Never to be called again.
    pub(crate) fn bar(&mut self, operation: u32) {
        self.barred.insert(operation);
    }

    pub(crate) fn operation(&self, operation: u32) -> Option<&ChartedOperation> {
        self.chart.operations.get(operation as usize)
    }

    pub(crate) fn ty(&self, ty: u32) -> Option<&ChartedType> {
        self.chart.types.get(ty as usize)
    }

    /// The focus that has an operation.
    pub(crate) fn home(&self, operation: u32) -> Option<usize> {
        self.home.get(&operation).copied()
    }

    /// What can be called on the value of an operation, class by class; nothing that is under test.
    pub(crate) fn called_on(&self, operation: u32) -> impl Iterator<Item = &Vec<u32>> {
        let types = self.prepared.get(&operation).into_iter().flatten();
        types.filter_map(|ty| self.helpers.get(ty))
    }

    pub(crate) fn may_call(&self, operation: u32, package: u32) -> bool {
        let usable = self.operation(operation).map(|operation| operation.usable);
        usable.is_some_and(|usable| self.may_use(usable, package)) && !self.barred.contains(&operation)
    }

    pub(crate) fn may_use(&self, usable: Usable, package: u32) -> bool {
        match usable {
            Usable::Nowhere => false,
            Usable::Anywhere => true,
            Usable::In(only) => only == package,
            Usable::Privately(only) => only == package && self.permits.private > 0.0,
        }
    }

    /// Whether a statement uses a private member, into which null must not go.
    pub(crate) fn is_private(&self, statement: &Statement) -> bool {
        match statement {
            Statement::Operate { operation, .. } => self
                .operation(*operation)
                .is_some_and(|charted| matches!(charted.usable, Usable::Privately(_))),
            _ => false,
        }
    }

    /// The operations of a focus: its private ones, if these are wanted and there are any.
    pub(crate) fn operations(focus: &Focus, by_private: bool) -> &[u32] {
        if by_private && !focus.private_operations.is_empty() {
            &focus.private_operations
        } else {
            &focus.operations
        }
    }

    /// What the statement at a position makes.
    pub(crate) fn made<'g>(&self, genome: &'g Genome, at: usize) -> Made<'g> {
        match &genome.genes()[at].statement {
            Statement::Literal(Literal::Null) => Made::Null,
            Statement::Literal(Literal::Primitive(primitive)) => Made::Primitive(primitive.descriptor()),
            Statement::Literal(Literal::String(_)) => Made::Text,
            Statement::Literal(Literal::Class(_)) => Made::Class,
            Statement::Operate { operation, .. } => match operation.checked_sub(self.chart.boxing) {
                Some(number) => {
                    BOXES.get(number as usize).map_or(Made::Nothing, |(letter, _)| Made::Boxed(*letter))
                }
                None => Made::Given(*operation),
            },
            Statement::NewArray { element, .. } | Statement::EmptyArray { element, .. } => {
                Made::Array(element)
            }
            Statement::Mock(mock) if !mock.keep_bodies => Made::Mock,
            Statement::Mock(mock) => Made::StandIn(&mock.class),
            Statement::ArrayGet | Statement::ArraySet | Statement::ArrayLength => Made::Nothing,
        }
    }

    /// Whether the value of a statement can be used where something is needed; null can for arguments only.
    pub(crate) fn fits(&self, genome: &Genome, at: usize, need: Need) -> bool {
        let made = self.made(genome, at);
        let ty = match need {
            Need::Primitive(letter) => return made == Made::Primitive(letter),
            Need::Reference(ty) => ty,
        };
        let Some(charted) = self.ty(ty) else { return false };
        let anything = charted.descriptor == "Ljava/lang/Object;";
        match made {
            // A mock stands for one argument only.
            Made::Nothing | Made::Primitive(_) | Made::Null | Made::Mock => false,
            Made::Text => charted.takes_strings,
            Made::Class => anything || charted.sort == TypeSort::Class,
            Made::Boxed(letter) => charted.takes_boxes.contains(&letter),
            Made::Given(operation) => {
                let given = self.operation(operation).and_then(|operation| operation.gives);
                let is_same = |given: &ChartedType| given.descriptor == charted.descriptor;
                given.and_then(|given| self.ty(given)).is_some_and(is_same)
                    || self.gives.contains(&(ty, operation))
                    || (anything && given.is_some())
            }
            Made::Array(element) => anything || charted.descriptor.strip_prefix('[') == Some(element),
            Made::StandIn(class) => {
                matches!(&charted.sort, TypeSort::Function { class: wanted, .. } if wanted == class)
            }
        }
    }

    /// The values made before a position that fit a need.
    pub(crate) fn fitting(&self, genome: &Genome, before: usize, need: Need) -> Vec<Var> {
        let fits = (0..before.min(genome.len())).filter(|at| self.fits(genome, *at, need));
        fits.filter_map(|at| u32::try_from(at).ok().map(Var)).collect()
    }

    /// What a statement needs at each input; none if that is not known.
    pub(crate) fn needs(&self, genome: &Genome, at: usize) -> Vec<Need> {
        match &genome.genes()[at].statement {
            Statement::Operate { operation, .. } => {
                self.operation(*operation).map(|charted| charted.inputs.clone()).unwrap_or_default()
            }
            Statement::NewArray { element, length } => {
                let need = self.element_need(element);
                need.map(|need| vec![need; *length as usize]).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    fn element_need(&self, element: &str) -> Option<Need> {
        self.chart.types.iter().find_map(|ty| match &ty.sort {
            TypeSort::Array { element: own, need } if own == element => Some(*need),
            _ => None,
        })
    }
}
