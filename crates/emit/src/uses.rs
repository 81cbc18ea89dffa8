//! Who uses which value of a test: what decides whether it gets a name or stands where it is used.

use jurat_model::{Action, Check, Law, Sequence, Test, Var};

/// One place where a statement uses a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    /// The statement.
    pub(crate) by: Var,
    /// Which of its inputs, receiver first.
    pub(crate) input: usize,
}

/// The uses of every value of a test.
#[derive(Debug)]
pub(crate) struct Uses {
    by_statements: Vec<Vec<Use>>,
    checks: Vec<Vec<usize>>,
    held: Vec<bool>,
    live: Vec<bool>,
    /// Calls that stand in the laws that ask for them.
    asked: Vec<bool>,
}

impl Uses {
    /// Counts the uses in a test.
    pub(crate) fn of(test: &Test) -> Self {
        let sequence = &test.sequence;
        let length = sequence.len();
        let mut uses = Self {
            by_statements: vec![Vec::new(); length],
            checks: vec![Vec::new(); length],
            held: vec![false; length],
            live: vec![false; length],
            asked: vec![false; length],
        };
        for (position, check) in test.checks.iter().enumerate() {
            match check {
                Check::Result { var, .. } | Check::NotNull { var } => uses.checks[var.index()].push(position),
                Check::Same { var, other } => {
                    uses.checks[var.index()].push(position);
                    uses.held[other.index()] = true;
                }
                Check::State { receiver: var, .. } | Check::Contents { var, .. } => {
                    uses.held[var.index()] = true;
                }
                Check::Law { .. } => {}
            }
        }
        uses.find_asked(test);
        uses.find_live(sequence);
        uses.find_statements(sequence);
        uses
    }

    /// Laws speak of values. The calls that a test ends with stand in its laws, as long as those ask for them in
    /// the order in which they are made; what must return is written as the call it is.
    fn find_asked(&mut self, test: &Test) {
        let laws = test.checks.iter().filter_map(|check| match check {
            Check::Law { law: Law::Returns(_), .. } => None,
            Check::Law { law, .. } => Some(law.vars()),
            _ => None,
        });
        let vars: Vec<Var> = laws.flatten().collect();
        let from_last = test.sequence.vars().rev().zip(vars.iter().rev());
        let is_asked = |(last, var): &(Var, &Var)| {
            let once = vars.iter().filter(|other| other == var).count() == 1;
            let used =
                test.sequence.statements().iter().any(|by| by.action.inputs().any(|input| input == **var));
            last == *var
                && once
                && !used
                && matches!(test.sequence.statement(*last).action, Action::Call { .. })
        };
        for (var, _) in from_last.take_while(is_asked) {
            self.asked[var.index()] = true;
        }
        for var in vars.iter().filter(|var| !self.asked[var.index()]) {
            self.held[var.index()] = true;
        }
    }

    /// True if the call stands in the law that asks for it.
    pub(crate) fn is_asked(&self, var: Var) -> bool {
        self.asked[var.index()]
    }

    /// Calls always stay, they may have effects; what makes mere values stays if it is used, and so does what
    /// a test ends with.
    fn find_live(&mut self, sequence: &Sequence) {
        for var in sequence.vars().collect::<Vec<_>>().into_iter().rev() {
            let action = &sequence.statement(var).action;
            let position = var.index();
            let is_used = self.live[position] || self.held[position] || !self.checks[position].is_empty();
            if is_used || matches!(action, Action::Call { .. }) || Some(var) == sequence.last() {
                self.live[position] = true;
                for input in action.inputs() {
                    self.live[input.index()] = true;
                }
            }
        }
    }

    fn find_statements(&mut self, sequence: &Sequence) {
        for by in sequence.vars().filter(|var| self.live[var.index()]) {
            for (input, var) in sequence.statement(by).action.inputs().enumerate() {
                self.by_statements[var.index()].push(Use { by, input });
            }
        }
    }

    /// True if the statement is written at all.
    pub(crate) fn is_live(&self, var: Var) -> bool {
        self.live[var.index()]
    }

    /// The checks of the value itself, by position in the test.
    pub(crate) fn checks(&self, var: Var) -> &[usize] {
        &self.checks[var.index()]
    }

    /// True if only checks of the value itself speak of it.
    pub(crate) fn is_only_checked(&self, var: Var) -> bool {
        self.by_statements[var.index()].is_empty() && !self.held[var.index()]
    }

    /// True if nothing speaks of it.
    pub(crate) fn is_unused(&self, var: Var) -> bool {
        self.is_only_checked(var) && self.checks(var).is_empty()
    }

    /// The one place that uses the value, if there is one only.
    pub(crate) fn single(&self, var: Var) -> Option<Use> {
        match self.by_statements[var.index()].as_slice() {
            [single] if !self.held[var.index()] && self.checks(var).is_empty() => Some(*single),
            _ => None,
        }
    }

    /// How many places use the value.
    pub(crate) fn count(&self, var: Var) -> usize {
        self.by_statements[var.index()].len() + usize::from(self.held[var.index()]) + self.checks(var).len()
    }
}
