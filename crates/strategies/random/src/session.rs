//! One session: values that live, the history that made them, and what they reached.

use jurat_base::{FxHashSet, Rng};
use jurat_protocol::{Find, Focus, Given, Literal, Reached, Sequence, Statement, Trouble, Var};

use crate::atlas::Atlas;
use crate::{Ended, Made, Vm};

/// A session has at most so many statements: more than the longest test anyone would read.
const MOST_STATEMENTS: usize = 320;
/// How often a session starts with a sequence that reached something before.
const START: f64 = 0.5;

/// An object that is alive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub(crate) var: Var,
    pub(crate) class: u32,
    /// The type it was declared with, if it is one of the chart.
    pub(crate) declared: Option<u32>,
}

/// Which literals a session likes where anything goes: collections then hold one kind of thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taste {
    Strings,
    Ints,
    Anything,
}

/// One session.
pub(crate) struct Session<'s, 'a, V> {
    pub(crate) atlas: &'s mut Atlas<'a>,
    pub(crate) vm: &'s mut V,
    pub(crate) rng: Rng,
    pub(crate) focus: &'a Focus,
    pub(crate) taste: Taste,
    pub(crate) values: Vec<Value>,
    pub(crate) primitives: Vec<(Var, char)>,
    /// String literals.
    pub(crate) texts: Vec<Var>,
    pub(crate) known: Vec<u8>,
    pub(crate) thrown: FxHashSet<(u32, u64)>,
    pub(crate) returned: FxHashSet<(u32, Given)>,
    /// The last operation that was called on purpose, and its inputs.
    pub(crate) last: Option<(u32, Vec<Var>)>,
    focus_number: u32,
    sequence: Sequence,
    failed: Vec<u32>,
    classes: Vec<(u32, u32)>,
    reached: Vec<Reached>,
    calls: u32,
    threw: u32,
    trouble: Option<(u32, Trouble)>,
    hits: Vec<u32>,
}

impl<'s, 'a, V: Vm> Session<'s, 'a, V> {
    pub(crate) fn new(atlas: &'s mut Atlas<'a>, vm: &'s mut V, mut rng: Rng) -> Self {
        let number = atlas.focus(&mut rng);
        let taste = [Taste::Strings, Taste::Strings, Taste::Ints, Taste::Anything][rng.below(4)];
        Self {
            focus: &atlas.chart.focuses[number],
            focus_number: u32::try_from(number).expect("fewer than 2^32 classes"),
            atlas,
            vm,
            rng,
            taste,
            values: Vec::new(),
            primitives: Vec::new(),
            texts: Vec::new(),
            known: Vec::new(),
            thrown: FxHashSet::default(),
            returned: FxHashSet::default(),
            last: None,
            sequence: Sequence::default(),
            failed: Vec::new(),
            classes: Vec::new(),
            reached: Vec::new(),
            calls: 0,
            threw: 0,
            trouble: None,
            hits: Vec::new(),
        }
    }

    /// Runs the session to its end.
    pub(crate) fn live_through(&mut self, number: u32) {
        self.vm.begin(number);
        if self.atlas.order.feedback && self.rng.chance(START) {
            self.replay_start();
        }
        let mut idle = 0;
        while self.goes_on() && self.calls < self.atlas.order.length && idle < 30 {
            let before = self.calls;
            self.step();
            idle = if self.calls == before { idle + 1 } else { 0 };
        }
    }

    /// Whether another statement can be run.
    pub(crate) fn goes_on(&self) -> bool {
        self.trouble.is_none() && self.sequence.statements().len() < MOST_STATEMENTS
    }

    fn replay_start(&mut self) {
        let Some(start) = self.atlas.start(self.focus_number, &mut self.rng) else { return };
        let inputs = crate::history::inputs_by_statement(start);
        for (statement, inputs) in start.statements().iter().zip(inputs) {
            let own = statement.input_count();
            // They are the session's first statements, so their values keep their numbers.
            let vars: Vec<Var> =
                inputs[..own].iter().map(|at| Var(u32::try_from(*at).expect("short"))).collect();
            if !self.goes_on() || !matches!(self.run(statement.clone(), &vars), Ended::Made(_)) {
                break;
            }
        }
    }

    /// Runs a statement, keeps what it made, and takes note of what it reached.
    pub(crate) fn run(&mut self, statement: Statement, inputs: &[Var]) -> Ended {
        let position = self.sequence.statements().len();
        let ended = self.vm.run(position, &statement, inputs);
        let var = self.sequence.push(statement, inputs);
        let called = self.operation_at(position);
        if let Some(operation) = called {
            self.calls += 1;
            self.atlas.called(operation, self.vm.cost());
        }
        match ended {
            Ended::Made(made) => self.keep(var, called, made),
            Ended::Threw(_) | Ended::Unfit | Ended::Trouble(_) => {
                self.failed.push(var.0);
                self.threw += u32::from(called.is_some());
            }
        }
        match ended {
            Ended::Trouble(trouble) => self.trouble = Some((called.unwrap_or(u32::MAX), trouble)),
            Ended::Unfit => {}
            Ended::Made(_) | Ended::Threw(_) => self.look(var, called, ended),
        }
        ended
    }

    /// The operation that a statement calls; boxing does not count.
    fn operation_at(&self, position: usize) -> Option<u32> {
        match self.sequence.statements()[position] {
            Statement::Operate { operation, .. } if operation < self.atlas.chart.boxing => Some(operation),
            _ => None,
        }
    }

    fn keep(&mut self, var: Var, called: Option<u32>, made: Made) {
        match made {
            Made::Object(class) | Made::EmptyString(class) => {
                let position = self.vm.list(class);
                self.classes.push((var.0, position));
                // Literals are mostly made anew where they are needed; arrays, lambdas and results live on.
                let literal = match &self.sequence.statements()[var.0 as usize] {
                    Statement::Literal(literal) => Some(literal),
                    _ => None,
                };
                if matches!(literal, Some(Literal::String(_))) {
                    self.texts.push(var);
                }
                let is_box = called.is_none() && self.is_box(var);
                if literal.is_none() && !is_box {
                    let declared = called.and_then(|op| self.atlas.operation(op)).and_then(|op| op.gives);
                    self.values.push(Value { var, class, declared });
                }
            }
            Made::Primitive(letter, _) if called.is_some() => self.primitives.push((var, letter)),
            Made::Primitive(..) | Made::Nothing | Made::Null => {}
        }
    }

    fn is_box(&self, var: Var) -> bool {
        matches!(self.sequence.statements()[var.0 as usize], Statement::Operate { .. })
    }

    /// Compares what a statement reached with what is known.
    fn look(&mut self, var: Var, called: Option<u32>, ended: Ended) {
        self.hits.clear();
        self.vm.hits(&mut self.hits);
        let known = &mut self.known;
        self.hits.retain(|probe| {
            let (byte, bit) = ((*probe / 8) as usize, 1 << (*probe % 8));
            known.get_mut(byte).is_some_and(|byte| {
                let is_new = *byte & bit == 0;
                *byte |= bit;
                is_new
            })
        });
        let threw = match (ended, called) {
            (Ended::Threw(class), Some(operation)) => {
                let key = (operation, self.vm.name_hash(class));
                self.thrown.insert(key).then_some(class)
            }
            _ => None,
        };
        let gave = match (ended, called) {
            (Ended::Made(made), Some(operation)) => self.first_of(operation, made),
            _ => None,
        };
        if !self.hits.is_empty() || threw.is_some() || gave.is_some() {
            self.reached.push(Reached { statement: var.0, probes: self.hits.clone(), threw, gave });
        }
    }

    /// The kind of what an operation under test gave, if it gave that for the first time.
    fn first_of(&mut self, operation: u32, made: Made) -> Option<Given> {
        let given = match made {
            Made::Primitive(_, given) => given,
            Made::Null => Given::Null,
            Made::EmptyString(_) => Given::Empty,
            Made::Nothing | Made::Object(_) => Given::Other,
        };
        let is_wanted = self.atlas.operation(operation).is_some_and(|operation| operation.under_test);
        (is_wanted && self.returned.insert((operation, given))).then_some(given)
    }

    /// What the session reached, if anything.
    pub(crate) fn find(&mut self) -> Option<Find> {
        let last = self.reached.last()?.statement;
        let kept = usize::try_from(last).ok()? + 1;
        let mut sequence = Sequence::default();
        let mut next = 0;
        for statement in &self.sequence.statements()[..kept] {
            let count = statement.input_count();
            sequence.push(statement.clone(), &self.sequence.inputs()[next..next + count]);
            next += count;
        }
        self.failed.retain(|failed| *failed <= last);
        self.classes.retain(|(made, _)| *made <= last);
        Some(Find {
            focus: self.focus_number,
            sequence,
            failed: std::mem::take(&mut self.failed),
            classes: std::mem::take(&mut self.classes),
            reached: std::mem::take(&mut self.reached),
        })
    }

    pub(crate) fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    pub(crate) fn has_failed(&self, position: usize) -> bool {
        u32::try_from(position).is_ok_and(|position| self.failed.binary_search(&position).is_ok())
    }

    pub(crate) fn trouble(&self) -> Option<(u32, Trouble)> {
        self.trouble
    }

    pub(crate) fn calls(&self) -> u32 {
        self.calls
    }

    pub(crate) fn threw(&self) -> u32 {
        self.threw
    }
}
