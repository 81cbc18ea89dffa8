//! Writes the body of one test: which values get a name, which stand where they are used, and what is
//! asserted when.
//!
//! A value that is used once may stand in the statement that uses it, as long as everything with an effect
//! still happens in the order of the sequence. Values that wait for their use are `pending`, oldest first; a
//! statement may take the newest of them if it uses them in that order, and whatever is written flushes those
//! that are left.

use std::collections::BTreeSet;
use std::sync::Arc;

use jurat_model::{
    Action, Check, Instance, JavaType, LambdaBody, Literal, NameScope, Obstacle, OpId, OperationKind,
    Sequence, Subject, Test, Var,
};

use crate::EmitOptions;
use crate::aid::Aid;
use crate::expression::{Expr, Place};
use crate::layout::{BREAK, WIDTH, width};
use crate::lints::{self, Lints};
use crate::locals::{self, Names};
use crate::uses::Uses;

/// How far statements are indented.
pub(crate) const INDENT: usize = 8;
/// Wider values get a name even if they are used once.
const INLINE_WIDTH: usize = 60;
/// A statement with more calls than this is hard to read.
const CALLS: usize = 3;
/// A longer string that is used twice gets a name.
const LONG_STRING: usize = 24;

/// The body of a test.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Its statements.
    pub(crate) lines: Vec<Line>,
    /// What the method must declare to throw: `Exception` or `Throwable`.
    pub(crate) throws: Option<&'static str>,
    /// Methods to import, with the class they belong to.
    pub(crate) statics: BTreeSet<(&'static str, &'static str)>,
    /// Checks that could not be written.
    pub(crate) unasserted: Vec<(usize, Obstacle)>,
    /// Methods of our own that it uses.
    pub(crate) aids: BTreeSet<Aid>,
}

/// One statement.
#[derive(Debug)]
pub(crate) struct Line {
    /// Its text with marks where it may be broken.
    pub(crate) text: String,
    /// The warnings it would cause.
    pub(crate) lints: Lints,
    /// True if it declares a variable, so that an annotation can stand before it.
    pub(crate) is_declaration: bool,
    /// True if it asserts something.
    pub(crate) is_assertion: bool,
    /// The check it writes.
    pub(crate) check: Option<usize>,
}

/// How a value is written where it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Not yet made.
    Open,
    /// As the expression that makes it.
    Inline,
    /// By its name.
    Local(String),
}

/// Writes one test.
pub(crate) struct Writer<'a, 's> {
    pub(crate) subject: &'a Subject,
    pub(crate) scope: &'s mut NameScope<'a>,
    pub(crate) options: &'a EmitOptions,
    pub(crate) test: &'a Test,
    pub(crate) sequence: &'a Sequence,
    pub(crate) slots: Vec<Slot>,
    /// The static type of each value as the compiler sees it.
    pub(crate) types: Vec<JavaType>,
    /// The calls with the types they have under `types`.
    pub(crate) instances: Vec<Option<Arc<Instance>>>,
    pub(crate) names: Names,
    /// What the statement being written would warn of.
    pub(crate) lints: Lints,
    /// True while a statement is written whose exceptions are caught.
    pub(crate) is_guarded: bool,
    pub(crate) out: Written,
    pub(crate) uses: Uses,
    /// A private member that a variable holds.
    pub(crate) found: Option<(OpId, String)>,
    /// True if there are mocks, and nothing was asserted yet.
    is_unassumed: bool,
    pending: Vec<Var>,
}

/// Writes the body of a test, or says why it cannot be written.
pub(crate) fn write<'a>(
    subject: &'a Subject,
    scope: &mut NameScope<'a>,
    names: Names,
    options: &'a EmitOptions,
    test: &'a Test,
) -> Result<Written, Obstacle> {
    let length = test.sequence.len();
    let writer = Writer {
        subject,
        scope,
        options,
        test,
        sequence: &test.sequence,
        slots: vec![Slot::Open; length],
        types: vec![JavaType::Void; length],
        instances: vec![None; length],
        names,
        lints: Lints::new(),
        is_guarded: false,
        out: Written::default(),
        uses: Uses::of(test),
        found: None,
        is_unassumed: test.sequence.has_mocks(),
        pending: Vec::new(),
    };
    writer.write()
}

impl Writer<'_, '_> {
    fn write(mut self) -> Result<Written, Obstacle> {
        let sequence = self.sequence;
        for var in sequence.vars().filter(|var| self.uses.is_live(*var)).collect::<Vec<_>>() {
            self.prepare(var)?;
            self.announce(var)?;
            if self.uses.is_asked(var) {
                self.flush()?;
                self.slots[var.index()] = Slot::Inline;
            } else if self.is_throwing(var) {
                self.throwing(var)?;
            } else {
                self.statement(var)?;
            }
        }
        self.flush()?;
        self.state_checks();
        self.laws()?;
        Ok(self.out)
    }

    /// True for the statement that ends the test with an exception.
    pub(crate) fn is_throwing(&self, var: Var) -> bool {
        self.test.thrown.is_some() && self.sequence.last() == Some(var)
    }

    /// Settles the types of a statement, given those its inputs have in the source.
    fn prepare(&mut self, var: Var) -> Result<(), Obstacle> {
        let statement = self.sequence.statement(var);
        let mut ty = statement.ty.clone();
        if let Action::Call { instance, inputs } = &statement.action {
            let instance = self.effective(instance, inputs)?;
            if instance.result.is_void()
                || !self.subject.classes().converts(&instance.result, &ty, jurat_model::Conversion::BOXING)
            {
                ty = instance.result.clone();
            }
            self.instances[var.index()] = Some(instance);
        }
        self.types[var.index()] = self.subject.classes().denotable(&ty, self.scope.package());
        Ok(())
    }

    /// The call with the types its inputs have in the source: those of the sequence, unless one of them cannot
    /// be named here.
    fn effective(&self, instance: &Arc<Instance>, inputs: &[Var]) -> Result<Arc<Instance>, Obstacle> {
        let operation = &self.subject[instance.operation];
        let has_receiver = operation.receiver.is_some();
        let receiver = inputs.first().filter(|_| has_receiver).map(|var| self.types[var.index()].clone());
        if inputs.iter().all(|var| self.types[var.index()] == *self.sequence.type_of(*var)) {
            if instance.receiver == receiver || receiver.as_ref().is_some_and(JavaType::is_primitive) {
                return Ok(instance.clone());
            }
            // Overloads are those of the type the receiver has in the source.
            return Ok(Arc::new(Instance { receiver, ..(**instance).clone() }));
        }
        let given: Vec<Option<JavaType>> = inputs
            .iter()
            .skip(usize::from(has_receiver))
            .map(|var| (!self.is_null(*var)).then(|| self.types[var.index()].clone()))
            .collect();
        let demand = jurat_model::Demand {
            receiver: receiver.as_ref(),
            inputs: &given,
            package: Some(self.scope.package()),
            ..jurat_model::Demand::default()
        };
        let found = self.subject.instantiate(instance.operation, &demand);
        found.map(Arc::new).ok_or_else(|| Obstacle::Misfit(self.subject.member_name(operation)))
    }

    pub(crate) fn is_null(&self, var: Var) -> bool {
        matches!(self.sequence.statement(var).action, Action::Literal(Literal::Null))
    }

    fn statement(&mut self, var: Var) -> Result<(), Obstacle> {
        match &self.sequence.statement(var).action {
            Action::Literal(literal) if self.literal_has_name(var, literal) => self.declare(var),
            Action::Literal(_) => {
                self.slots[var.index()] = Slot::Inline;
                Ok(())
            }
            Action::Lambda(body) => self.lambda_statement(var, body),
            Action::Mock { answers } => {
                self.flush()?;
                self.declare_mock(var, answers)
            }
            Action::Array { .. } | Action::Cast { .. } => self.value_statement(var),
            Action::Call { .. } => self.call_statement(var),
        }
    }

    /// Literals stand where they are used. Only what is long and used again gets a name, and what would be two
    /// objects instead of one.
    fn literal_has_name(&self, var: Var, literal: &Literal) -> bool {
        let count = self.uses.count(var);
        let is_boxed = self.types[var.index()].is_reference();
        let is_checked = !self.uses.is_unused(var) && self.uses.single(var).is_none() && count == 1;
        let is_two_objects = match literal {
            Literal::Int(value) => !(-128..128).contains(value),
            Literal::Long(value) => !(-128..128).contains(value),
            Literal::Short(value) => !(-128..128).contains(value),
            Literal::Char(value) => *value > 127,
            Literal::Float(_) | Literal::Double(_) => true,
            _ => false,
        };
        match literal {
            Literal::String(text) => count > 1 && text.units().len() > LONG_STRING,
            Literal::Null => is_checked || self.null_has_name(var),
            _ => is_checked || is_boxed && is_two_objects && count > 1,
        }
    }

    /// A null that is unboxed or called upon is no expression of its own.
    fn null_has_name(&self, var: Var) -> bool {
        let is_odd = |(_, op, inputs): (Var, OpId, &[Var])| {
            let operation = &self.subject[op];
            let shift = usize::from(operation.receiver.is_some());
            inputs.iter().enumerate().filter(|(_, input)| **input == var).any(|(position, _)| {
                position.checked_sub(shift).is_none_or(|position| operation.params[position].is_primitive())
            })
        };
        self.sequence.calls().any(is_odd)
    }

    fn lambda_statement(&mut self, var: Var, body: &LambdaBody) -> Result<(), Obstacle> {
        if let LambdaBody::Gives(Some(value)) = body
            && let Some(position) = self.pending.iter().position(|pending| pending == value)
        {
            self.flush_first(position + 1)?;
        }
        if self.lambda_stands_inline(var) {
            self.slots[var.index()] = Slot::Inline;
            return Ok(());
        }
        self.declare(var)
    }

    /// An array or a cast: made without effect, but of values that may have had one.
    fn value_statement(&mut self, var: Var) -> Result<(), Obstacle> {
        let taken = self.take_pending(var)?;
        if self.uses.single(var).is_some() && self.may_stand_inline(var)? {
            self.slots[var.index()] = Slot::Inline;
            if !taken.is_empty() {
                self.pending.push(var);
            }
            return Ok(());
        }
        self.flush()?;
        self.declare_with(var, &taken)
    }

    fn call_statement(&mut self, var: Var) -> Result<(), Obstacle> {
        let is_last = self.sequence.last() == Some(var);
        let is_checked = !self.uses.checks(var).is_empty();
        if self.is_constant(var) && self.has_own_type(var) && !is_checked && !is_last {
            self.slots[var.index()] = Slot::Inline;
            return Ok(());
        }
        let taken = self.take_pending(var)?;
        if self.uses.single(var).is_some() && self.may_stand_inline(var)? {
            self.slots[var.index()] = Slot::Inline;
            self.pending.push(var);
            return Ok(());
        }
        self.flush()?;
        if self.uses.is_only_checked(var) && self.uses.checks(var).len() == 1 && !self.is_called_apart(var) {
            return self.asserted_call(var, &taken);
        }
        self.find_if_long(var)?;
        if self.uses.is_unused(var) && self.is_statement(var) {
            let text = self.fitted(&taken, 1, |writer| writer.made(var, Place::Statement))?;
            self.push(format!("{text};"), false, None);
            return Ok(());
        }
        self.declare_with(var, &taken)?;
        for check in self.uses.checks(var).to_vec() {
            let actual = self.expr(var, Place::Asserted)?;
            self.write_check(check, actual);
        }
        Ok(())
    }

    /// True if a call must not stand in an assertion: what mocks were asked is known only after it, and reflective
    /// calls are long.
    fn is_called_apart(&self, var: Var) -> bool {
        self.is_unassumed || self.is_reflective_call(var)
    }

    /// A call whose result is asserted and not used again.
    fn asserted_call(&mut self, var: Var, taken: &[Var]) -> Result<(), Obstacle> {
        let check = self.uses.checks(var)[0];
        let mut why = None;
        let text = self.fitted(taken, 0, |writer| {
            let actual = writer.made(var, Place::Asserted)?;
            let text = match writer.check_text(check, actual.clone()) {
                Ok(text) => text,
                Err(obstacle) => {
                    why = Some(obstacle);
                    String::new()
                }
            };
            Ok(Expr { text, ..actual })
        })?;
        let Some(obstacle) = why else {
            self.push_assertion(text, Some(check));
            return Ok(());
        };
        self.out.unasserted.push((check, obstacle));
        self.lints.clear();
        if !self.is_statement(var) {
            return self.declare(var);
        }
        let text = self.made(var, Place::Statement)?.text;
        self.push(format!("{text};"), false, None);
        Ok(())
    }

    /// The statement that throws, as a lambda; nothing else with an effect stands in it.
    fn throwing(&mut self, var: Var) -> Result<(), Obstacle> {
        self.flush()?;
        let Some(thrown) = &self.test.thrown else { return Ok(()) };
        if let Action::Call { instance, .. } = &self.sequence.statement(var).action {
            self.find_first(instance.operation)?;
        }
        let is_statement = self.is_statement(var);
        self.is_guarded = true;
        let made = self.made(var, if is_statement { Place::Statement } else { Place::Bare })?;
        self.is_guarded = false;
        let body = if is_statement {
            made.text
        } else {
            let ty = self.type_text(&self.types[var.index()].clone())?;
            let name = self.names.take(&self.wanted_name(var));
            format!("{{ {ty} {name} = {}; }}", made.text)
        };
        if self.is_unassumed {
            self.throwing_with_mocks(&body);
            return Ok(());
        }
        let exception = self.scope.class_text(thrown.asserted)?;
        lints::of_class(self.subject, thrown.asserted, &mut self.lints);
        let throws = self.assertion("assertThrows");
        self.push_assertion(format!("{throws}({BREAK}{exception}.class, {BREAK}() -> {body});"), None);
        Ok(())
    }

    /// That something is thrown, and not what: with a mock, that depends on how the class under test asks it.
    fn throwing_with_mocks(&mut self, body: &str) {
        self.out.aids.insert(Aid::ThrownBy);
        let throwable = self.library("java.lang.Throwable");
        let name = self.names.take("thrown");
        self.push(format!("{throwable} {name} = {BREAK}thrownBy({BREAK}() -> {body});"), true, None);
        let not_null = self.assertion("assertNotNull");
        self.push_assertion(format!("{not_null}({name});"), None);
    }

    /// Takes the pending values a statement uses, as many as can stand in it without changing the order of
    /// effects; the others get names.
    fn take_pending(&mut self, var: Var) -> Result<Vec<Var>, Obstacle> {
        let used: Vec<Var> = self
            .sequence
            .statement(var)
            .action
            .inputs()
            .filter(|input| self.pending.contains(input))
            .collect();
        let newest_first = self.pending.iter().rev().zip(used.iter().rev());
        let fitting = newest_first.take_while(|(pending, used)| pending == used).count();
        let (misplaced, fitting) = used.split_at(used.len() - fitting);
        let last_misplaced =
            misplaced.iter().filter_map(|var| self.pending.iter().position(|pending| pending == var)).max();
        if let Some(position) = last_misplaced {
            self.flush_first(position + 1)?;
        }
        let taken = fitting.iter().copied().filter(|var| self.pending.contains(var)).collect();
        self.pending.retain(|pending| !fitting.contains(pending));
        Ok(taken)
    }

    pub(crate) fn flush(&mut self) -> Result<(), Obstacle> {
        self.flush_first(self.pending.len())
    }

    /// Gives names to the oldest pending values.
    fn flush_first(&mut self, count: usize) -> Result<(), Obstacle> {
        for var in self.pending.drain(..count).collect::<Vec<_>>() {
            self.declare(var)?;
        }
        Ok(())
    }

    /// A text that goes with `more` characters into a statement; if that becomes too long or does too much, the
    /// values it took get names first.
    fn fitted(
        &mut self,
        taken: &[Var],
        more: usize,
        mut make: impl FnMut(&mut Self) -> Result<Expr, Obstacle>,
    ) -> Result<String, Obstacle> {
        let made = make(self)?;
        if taken.is_empty() || INDENT + more + width(&made.text) <= WIDTH && made.calls <= CALLS {
            return Ok(made.text);
        }
        self.lints.clear();
        for var in taken {
            self.declare(*var)?;
        }
        make(self).map(|made| made.text)
    }

    /// Declares a variable for a value.
    fn declare(&mut self, var: Var) -> Result<(), Obstacle> {
        self.declare_with(var, &[])
    }

    fn declare_with(&mut self, var: Var, taken: &[Var]) -> Result<(), Obstacle> {
        let ty = self.types[var.index()].clone();
        let wanted = self.wanted_name(var);
        let before = self.scope.type_text(&ty)?.len() + wanted.len() + " = ;".len();
        let init = self.fitted(taken, before, |writer| writer.made(var, Place::Init))?;
        let type_text = self.type_text(&ty)?;
        let name = self.names.take(if self.is_result(var, &wanted) { "result" } else { &wanted });
        self.push(format!("{type_text} {name} = {BREAK}{init};"), true, None);
        self.slots[var.index()] = Slot::Local(name);
        Ok(())
    }

    /// True for what the call under test gave, if its own name is another value's already or says little.
    fn is_result(&self, var: Var, wanted: &str) -> bool {
        let is_call = matches!(&self.sequence.statement(var).action, Action::Call { instance, .. }
            if self.subject[instance.operation].kind.is_method());
        let is_vague = self.is_called_apart(var) && ["flag", "number", "letter", "text"].contains(&wanted);
        is_call && self.sequence.last() == Some(var) && (is_vague || self.names.is_taken(wanted))
    }

    pub(crate) fn wanted_name(&self, var: Var) -> String {
        locals::wanted(self.subject, self.sequence, var, &self.types[var.index()])
    }

    /// Appends a statement with the warnings gathered while it was made.
    pub(crate) fn push(&mut self, text: String, is_declaration: bool, check: Option<usize>) {
        let lints = std::mem::take(&mut self.lints);
        self.out.lines.push(Line { text, lints, is_declaration, is_assertion: false, check });
    }

    /// Appends an assertion; before the first one, a test with mocks makes sure that it may assert something.
    pub(crate) fn push_assertion(&mut self, text: String, check: Option<usize>) {
        if std::mem::take(&mut self.is_unassumed) {
            let lints = std::mem::take(&mut self.lints);
            self.push("assumePlanned();".to_owned(), false, None);
            self.lints = lints;
        }
        self.push(text, false, check);
        if let Some(line) = self.out.lines.last_mut() {
            line.is_assertion = true;
        }
    }

    /// Writes a check of a value, or notes why it cannot be written.
    fn write_check(&mut self, check: usize, actual: Expr) {
        match self.check_text(check, actual) {
            Ok(text) => self.push_assertion(text, Some(check)),
            Err(obstacle) => {
                self.lints.clear();
                self.out.unasserted.push((check, obstacle));
            }
        }
    }

    fn state_checks(&mut self) {
        let test = self.test;
        for (position, check) in test.checks.iter().enumerate() {
            let actual = match check {
                Check::State { receiver, observer, .. } => self.observation(*receiver, *observer),
                Check::Contents { var, .. } => self.expr(*var, Place::Asserted),
                Check::Result { .. } | Check::Same { .. } | Check::NotNull { .. } | Check::Law { .. } => {
                    continue;
                }
            };
            match actual {
                Ok(actual) => self.write_check(position, actual),
                Err(obstacle) => {
                    self.lints.clear();
                    self.out.unasserted.push((position, obstacle));
                }
            }
        }
    }

    /// True for enum constants and final static fields: as good as literals.
    fn is_constant(&self, var: Var) -> bool {
        let Action::Call { instance, .. } = &self.sequence.statement(var).action else { return false };
        let operation = &self.subject[instance.operation];
        match operation.kind {
            OperationKind::EnumConstant => true,
            OperationKind::StaticGet => operation.is_final,
            _ => false,
        }
    }

    /// True if the compiler sees a call's result at the type that a variable for it would have, not at one that
    /// code here cannot name.
    fn has_own_type(&self, var: Var) -> bool {
        let instance = self.instances[var.index()].as_ref();
        instance.is_some_and(|instance| instance.result == self.types[var.index()])
    }

    /// True if the expression that makes a value is a statement by itself.
    fn is_statement(&self, var: Var) -> bool {
        match &self.sequence.statement(var).action {
            Action::Call { instance, .. } => !self.subject[instance.operation].kind.is_get(),
            _ => false,
        }
    }

    /// True if a value that is used once may stand where it is used.
    fn may_stand_inline(&mut self, var: Var) -> Result<bool, Obstacle> {
        let Some(place) = self.uses.single(var) else { return Ok(false) };
        if self.is_throwing(place.by) && !self.is_effectless(var) {
            return Ok(false);
        }
        if !self.type_is_clear(var, place) {
            return Ok(false);
        }
        let lints = self.lints.clone();
        let made = self.made(var, Place::Bare);
        self.lints = lints;
        let made = made?;
        Ok(width(&made.text) <= INLINE_WIDTH && made.calls < CALLS)
    }

    /// True if making the value does nothing that could be told from outside.
    fn is_effectless(&self, var: Var) -> bool {
        match &self.sequence.statement(var).action {
            Action::Array { elements } => elements.iter().all(|element| match &self.slots[element.index()] {
                Slot::Local(_) => true,
                _ => self.is_effectless(*element),
            }),
            Action::Literal(_) | Action::Lambda(_) => true,
            Action::Cast { value } => {
                matches!(self.slots[value.index()], Slot::Local(_)) || self.is_effectless(*value)
            }
            Action::Call { .. } => self.is_constant(var),
            Action::Mock { .. } => false,
        }
    }
}
