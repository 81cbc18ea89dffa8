//! Simpler values in the place of others: an earlier object of the same class for one that took calls to get, the
//! literal for a call that gave it. What uses them is typed again.

use std::sync::Arc;

use jurat_model::{
    Action, Demand, JavaType, LambdaBody, Literal, Outcome, Sequence, Statement, Subject, Value, Var,
};

use super::without_idle_values;
use crate::wire::primitive_of;

/// How many earlier values are tried in the place of one.
const EARLIER: usize = 4;
/// Longer texts say less than the call that gives them.
const LONGEST_TEXT: usize = 40;

/// A sequence that was run, and the code it is to become.
pub(crate) struct StandIns<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) sequence: &'a Sequence,
    pub(crate) outcome: &'a Outcome,
    pub(crate) package: &'a str,
}

impl StandIns<'_> {
    /// The sequence with simpler values, one at a time.
    pub(crate) fn variants(&self) -> Vec<Sequence> {
        let mut variants: Vec<Sequence> = self.told().collect();
        for value in self.sequence.vars().filter(|var| Some(*var) != self.sequence.last()) {
            for earlier in self.earlier(value) {
                variants.extend(self.instead(value, earlier));
            }
        }
        variants
    }

    /// The sequence with a literal in the place of a call that gave it.
    fn told(&self) -> impl Iterator<Item = Sequence> + '_ {
        let made = self.sequence.vars().filter(|var| Some(*var) != self.sequence.last());
        made.filter_map(|var| {
            let statement = self.sequence.statement(var);
            if !matches!(statement.action, Action::Call { .. } | Action::Cast { .. }) {
                return None;
            }
            let Value::Literal(literal) = self.outcome.value(var)? else { return None };
            let ty = self.literal_type(literal, &statement.ty)?;
            let mut statements = self.sequence.statements().to_vec();
            statements[var.index()] = Statement { action: Action::Literal(literal.clone()), ty };
            self.retyped(statements, None)
        })
    }

    /// The type of a literal that stands where a value of another type stood; none if it should not.
    fn literal_type(&self, literal: &Literal, declared: &JavaType) -> Option<JavaType> {
        let classes = self.subject.classes();
        if let Literal::String(text) = literal {
            let is_short = text.units().len() <= LONGEST_TEXT;
            return is_short.then(|| JavaType::class(classes.string()));
        }
        let primitive = primitive_of(literal)?;
        Some(match declared {
            JavaType::Primitive(_) => JavaType::Primitive(primitive),
            _ => JavaType::class(classes.boxed(primitive)),
        })
    }

    /// Values made before this one that it may be exchanged for: of the same type or of the same class at run time.
    fn earlier(&self, value: Var) -> Vec<Var> {
        let ty = self.sequence.type_of(value);
        // A mock stands for one argument only.
        if !ty.is_reference() || self.sequence.is_mock(value) || self.is_literal(value) {
            return Vec::new();
        }
        let class = self.class_of(value);
        let is_alike = |var: &Var| {
            let known = self.class_of(*var);
            *var < value
                && !self.sequence.is_mock(*var)
                && self.sequence.type_of(*var).is_reference()
                && (self.sequence.type_of(*var) == ty || known.is_some() && known == class)
        };
        self.sequence.vars().filter(is_alike).take(EARLIER).collect()
    }

    /// The value before it was seen at other types.
    fn uncast(&self, var: Var) -> Var {
        match &self.sequence.statement(var).action {
            Action::Cast { value } => self.uncast(*value),
            _ => var,
        }
    }

    fn is_literal(&self, var: Var) -> bool {
        matches!(self.sequence.statement(var).action, Action::Literal(_))
    }

    fn class_of(&self, var: Var) -> Option<&Arc<str>> {
        match self.outcome.value(var)? {
            Value::Object(object) => Some(&object.class),
            _ => None,
        }
    }

    /// The sequence with every use of a value replaced, and without what made it. A call that was given two values is
    /// not given one of them twice: that shows less.
    fn instead(&self, value: Var, other: Var) -> Option<Sequence> {
        let is_given = |inputs: &[Var], wanted: Var| inputs.iter().any(|input| self.uncast(*input) == wanted);
        let (one, two) = (self.uncast(value), self.uncast(other));
        if one != two
            && self.sequence.calls().any(|(_, _, inputs)| is_given(inputs, one) && is_given(inputs, two))
        {
            return None;
        }
        let rename = |var: Var| if var == value { other } else { var };
        let renamed = self.sequence.statements().iter().map(|statement| Statement {
            action: statement.action.renamed(rename),
            ty: statement.ty.clone(),
        });
        self.retyped(renamed.collect(), Some(value))
    }

    /// The statements with the types that follow from what they now use, without one of them and what nothing uses any
    /// more; none if they do not fit together.
    fn retyped(&self, statements: Vec<Statement>, dropped: Option<Var>) -> Option<Sequence> {
        let mut typed: Vec<Statement> = Vec::with_capacity(statements.len());
        for (old, statement) in self.sequence.statements().iter().zip(statements) {
            let is_new = |(now, before): (Var, Var)| typed[now.index()].ty != *self.sequence.type_of(before);
            let is_changed = statement.action.inputs().zip(old.action.inputs()).any(is_new);
            let next = if is_changed { self.retyped_statement(statement, &typed)? } else { statement };
            typed.push(next);
        }
        let whole = Sequence::new(typed)?.retaining(|var| Some(var) != dropped)?;
        Some(without_idle_values(&whole))
    }

    fn retyped_statement(&self, statement: Statement, before: &[Statement]) -> Option<Statement> {
        let classes = self.subject.classes();
        let given = |var: &Var| {
            let made = &before[var.index()];
            (made.action != Action::Literal(Literal::Null)).then(|| made.ty.clone())
        };
        match &statement.action {
            Action::Call { instance, inputs } => {
                let has_receiver = self.subject[instance.operation].receiver.is_some();
                let receiver =
                    inputs.first().filter(|_| has_receiver).map(|var| before[var.index()].ty.clone());
                let arguments: Vec<Option<JavaType>> =
                    inputs.iter().skip(usize::from(has_receiver)).map(given).collect();
                let demand = Demand {
                    receiver: receiver.as_ref(),
                    inputs: &arguments,
                    package: Some(self.package),
                    ..Demand::default()
                };
                let is_covered =
                    |ty: &JavaType| self.subject.is_covered(instance.operation, ty, self.package);
                if receiver.as_ref().is_some_and(is_covered) {
                    return None;
                }
                let instance = self.subject.instantiate(instance.operation, &demand)?;
                let fits = |(given, param): (&Option<JavaType>, &JavaType)| {
                    given.as_ref().is_none_or(|given| classes.is_assignable(given, param))
                };
                let is_raw = arguments.iter().flatten().any(|ty| classes.has_raw(ty));
                let is_blurred = is_raw && self.subject.is_blurred(&instance);
                if is_blurred || !arguments.iter().zip(&instance.params).all(fits) {
                    return None;
                }
                let ty = match &instance.result {
                    JavaType::Void => JavaType::Void,
                    result => classes.denotable(result, self.package),
                };
                Some(Statement {
                    action: Action::Call { instance: Arc::new(instance), inputs: inputs.clone() },
                    ty,
                })
            }
            Action::Array { elements } => {
                let component = statement.ty.component()?;
                let fits =
                    |var: &Var| given(var).is_none_or(|given| classes.is_assignable(&given, component));
                elements.iter().all(fits).then_some(statement)
            }
            Action::Cast { value } => {
                let ty = &before[value.index()].ty;
                (ty.is_reference()
                    && classes.is_assignable(&classes.erasure(&statement.ty), &classes.erasure(ty)))
                .then_some(statement)
            }
            Action::Lambda(LambdaBody::Gives(Some(value))) => {
                let wanted = classes.function_type(&statement.ty)?.result;
                given(value).is_none_or(|given| classes.is_assignable(&given, &wanted)).then_some(statement)
            }
            // What a mock answers has to be exactly what is asked for.
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use jurat_model::{Ending, ObjectValue};
    use jurat_testkit::{operation, subject, ty};

    use super::*;

    struct Written {
        subject: Subject,
        statements: Vec<Statement>,
        endings: Vec<Ending>,
    }

    impl Written {
        fn new() -> Self {
            let text =
                "class Box<T> { Box(T value); T get(); int size(); static <T> Box<T> same(Box<T> box); }";
            Self { subject: subject(text), statements: Vec::new(), endings: Vec::new() }
        }

        fn push(&mut self, action: Action, ty: JavaType, value: Value) -> Var {
            self.statements.push(Statement { action, ty });
            self.endings.push(Ending::Returned(value));
            Var::from_index(self.statements.len() - 1)
        }

        fn text(&mut self, text: &str) -> Var {
            let literal = Literal::String(text.into());
            let ty = ty(&self.subject, "String");
            self.push(Action::Literal(literal.clone()), ty, Value::Literal(literal))
        }

        fn call(&mut self, member: &str, inputs: &[Var], value: Value) -> Var {
            let op = operation(&self.subject, "Box", member);
            let types: Vec<JavaType> =
                inputs.iter().map(|var| self.statements[var.index()].ty.clone()).collect();
            let (receiver, rest) = types.split_at(usize::from(self.subject[op].receiver.is_some()));
            let rest: Vec<Option<JavaType>> = rest.iter().cloned().map(Some).collect();
            let demand = Demand { receiver: receiver.first(), inputs: &rest, ..Demand::default() };
            let instance = self.subject.instantiate(op, &demand).expect("it fits");
            let ty = instance.result.clone();
            self.push(Action::Call { instance: Arc::new(instance), inputs: inputs.to_vec() }, ty, value)
        }

        fn variants(&self) -> Vec<Sequence> {
            let sequence = Sequence::new(self.statements.clone()).expect("inputs come first");
            let outcome = Outcome { endings: self.endings.clone(), ..Outcome::default() };
            let (subject, sequence, outcome) = (&self.subject, &sequence, &outcome);
            StandIns { subject, sequence, outcome, package: "" }.variants()
        }

        fn holds(&self, sequence: &Sequence) -> bool {
            self.variants().contains(sequence)
        }
    }

    fn a_box() -> Value {
        let class = "Box".into();
        Value::Object(ObjectValue { class, fingerprint: None, same_as: None, is_mock: false, elements: None })
    }

    #[test]
    fn what_is_cast_to_its_own_class_gives_way_to_the_value_itself() {
        let mut written = Written::new();
        let text = written.text("a");
        let made = written.call("new", &[text], a_box());
        let same = written.call("same", &[made], a_box());
        let raw = ty(&written.subject, "Box");
        let cast = written.push(Action::Cast { value: same }, raw, a_box());
        written.call("size", &[cast], Value::Literal(Literal::Int(1)));
        let mut plain = Written::new();
        let text = plain.text("a");
        let made = plain.call("new", &[text], a_box());
        plain.call("same", &[made], a_box());
        plain.call("size", &[made], Value::Void);
        assert!(written.holds(&Sequence::new(plain.statements).expect("inputs come first")));
    }

    #[test]
    fn a_call_that_gives_a_text_gives_way_to_the_text() {
        let mut written = Written::new();
        let text = written.text("a");
        let made = written.call("new", &[text], a_box());
        let got = written.call("get", &[made], Value::Literal(Literal::String("a".into())));
        let other = written.call("new", &[got], a_box());
        written.call("get", &[other], Value::Literal(Literal::String("a".into())));
        let mut plain = Written::new();
        let text = plain.text("a");
        plain.call("new", &[text], a_box());
        let told = plain.text("a");
        let other = plain.call("new", &[told], a_box());
        plain.call("get", &[other], Value::Void);
        assert!(written.holds(&Sequence::new(plain.statements).expect("inputs come first")));
    }
}
