//! Gives a slice of a session the types that Java source needs: sessions know erased types only.
//!
//! Type arguments are chosen front to back: those of what a value is handed over as later, else a few favourites for what
//! nothing decides; where no choice makes every call compile, raw types do.

use std::sync::Arc;

use jurat_base::FxHashMap;
use jurat_model::{
    Action, Answer, Candidate, ClassId, Demand, Instance, JavaString, JavaType, LambdaBody, Literal, OpId,
    Primitive, SequenceBuilder, Subject, Technique, TypeArg, Var,
};
use jurat_protocol as wire;

use crate::promises::is_below;
use crate::wire::model_literal;

/// What statements of a session made: internal names of run-time classes, descriptors for arrays. None where that is
/// not known.
pub(crate) type Made<'a> = dyn Fn(usize) -> Option<String> + 'a;

/// The candidate that does what the kept statements of a session did, in code of this package.
pub(crate) fn retype(
    subject: &Subject,
    package: &Arc<str>,
    session: &wire::Sequence,
    kept: &[usize],
    made: &Made<'_>,
) -> Option<Candidate> {
    let classes = subject.classes();
    let (string, int) = (JavaType::class(classes.string()), JavaType::class(classes.boxed(Primitive::Int)));
    let object = classes.object_type();
    let favourites =
        [vec![string.clone(), int.clone()], vec![int.clone(), string.clone()], vec![object.clone()]];
    let inputs = inputs_of(session);
    let attempt = |prefer: &[JavaType], foresees: bool, raw: bool| {
        Retyping {
            subject,
            package,
            session,
            inputs: &inputs,
            kept,
            prefer,
            foresees,
            raw,
            made,
            builder: SequenceBuilder::default(),
            values: FxHashMap::default(),
            bound: false,
        }
        .all()
    };
    let foreseen = || attempt(&favourites[0], true, false);
    let preferred = || favourites.iter().find_map(|prefer| attempt(prefer, false, false));
    foreseen().or_else(preferred).or_else(|| attempt(&[object], false, true))
}

/// Whether a type tells what it holds.
pub(crate) fn is_telling(ty: &JavaType) -> bool {
    matches!(ty, JavaType::Class(class_type) if class_type.args().iter().any(|arg| *arg != TypeArg::Any))
}

fn inputs_of(session: &wire::Sequence) -> Vec<&[wire::Var]> {
    let mut next = 0;
    let statements = session.statements().iter();
    let inputs = statements.map(|statement| {
        let own = &session.inputs()[next..next + statement.input_count()];
        next += own.len();
        own
    });
    inputs.collect()
}

/// What a statement of the session has become.
#[derive(Clone, Debug)]
enum Value {
    /// A statement of the sequence.
    Made(Var),
    /// Written where it is used.
    Literal(Literal, JavaType),
    /// `null`: of whatever type it is used at.
    Null,
    /// A lambda or a mock, written where it is used, because only its use tells its type.
    StandIn(usize),
}

struct Retyping<'a> {
    subject: &'a Subject,
    package: &'a Arc<str>,
    session: &'a wire::Sequence,
    inputs: &'a [&'a [wire::Var]],
    /// The statements it is about.
    kept: &'a [usize],
    prefer: &'a [JavaType],
    /// Whether what is made gets the type that it is needed as later.
    foresees: bool,
    /// Whether raw types may be used.
    raw: bool,
    made: &'a Made<'a>,
    builder: SequenceBuilder,
    values: FxHashMap<u32, Value>,
    bound: bool,
}

impl Retyping<'_> {
    fn all(mut self) -> Option<Candidate> {
        for &position in self.kept {
            let value = self.statement(position)?;
            self.values.insert(u32::try_from(position).ok()?, value);
        }
        let package = self.bound.then(|| self.package.clone());
        Some(Candidate { sequence: self.builder.build(), package, technique: Technique::Random })
    }

    fn statement(&mut self, position: usize) -> Option<Value> {
        match &self.session.statements()[position] {
            wire::Statement::Literal(literal) => self.literal(literal),
            wire::Statement::Operate { operation, .. } => {
                let boxing = self.subject.operations().len();
                if *operation as usize >= boxing {
                    return self.boxed(*self.inputs[position].first()?);
                }
                self.call(OpId(*operation), self.inputs[position], position)
            }
            wire::Statement::NewArray { element, .. } => self.array(element, self.inputs[position]),
            wire::Statement::Mock(_) => Some(Value::StandIn(position)),
            _ => None,
        }
    }

    /// False if what the statement made was of another class than this type says: Java would fail where it casts.
    fn is_true(&self, position: usize, said: &JavaType) -> bool {
        let classes = self.subject.classes();
        let said = classes.erasure(said);
        !said.is_reference() || (self.made)(position).is_none_or(|found| is_below(classes, &found, &said))
    }

    fn literal(&self, literal: &wire::Literal) -> Option<Value> {
        let classes = self.subject.classes();
        Some(match literal {
            wire::Literal::Null => Value::Null,
            wire::Literal::Primitive(primitive) => {
                let ty = Primitive::from_descriptor(primitive.descriptor())?;
                Value::Literal(model_literal(*primitive), JavaType::Primitive(ty))
            }
            wire::Literal::String(text) => Value::Literal(
                Literal::String(JavaString::from_units(text.units())),
                JavaType::class(classes.string()),
            ),
            wire::Literal::Class(descriptor) => {
                let named = classes.type_with_descriptor(descriptor)?;
                classes.check_type(&named, self.package).ok()?;
                let argument = match &named {
                    JavaType::Primitive(primitive) => JavaType::class(classes.boxed(*primitive)),
                    _ if classes.has_raw(&named) && !self.raw => return None,
                    other => other.clone(),
                };
                let ty = JavaType::generic(classes.class_class(), [argument]);
                Value::Literal(Literal::Class(named), ty)
            }
        })
    }

    fn boxed(&self, plain: wire::Var) -> Option<Value> {
        let Value::Literal(literal, JavaType::Primitive(primitive)) = self.values.get(&plain.0)? else {
            return None;
        };
        Some(Value::Literal(literal.clone(), JavaType::class(self.subject.classes().boxed(*primitive))))
    }

    /// The static type a value has already.
    fn given(&self, value: &Value) -> Option<JavaType> {
        match value {
            Value::Made(var) => Some(self.builder.type_of(*var).clone()),
            Value::Literal(_, ty) => Some(ty.clone()),
            Value::Null | Value::StandIn(_) => None,
        }
    }

    fn call(&mut self, op: OpId, inputs: &[wire::Var], position: usize) -> Option<Value> {
        let operation = &self.subject[op];
        let mut values: Vec<Value> =
            inputs.iter().map(|input| self.values.get(&input.0).cloned()).collect::<Option<_>>()?;
        let mut receiver = None;
        if operation.receiver.is_some() {
            let on = values.remove(0);
            receiver = Some(self.receiver(op, on, &values)?);
        }
        for (value, param) in values.iter_mut().zip(&operation.params) {
            self.fit(value, param)?;
        }
        let given: Vec<Option<JavaType>> = values.iter().map(|value| self.given(value)).collect();
        let receiver_type = receiver.map(|var| self.builder.type_of(var).clone());
        let demand = Demand {
            receiver: receiver_type.as_ref(),
            inputs: &given,
            result: None,
            prefer: self.prefer,
            package: Some(self.package),
        };
        let is_raw = given.iter().flatten().any(|ty| self.subject.classes().has_raw(ty));
        let foreseen = self.foreseen(op, position);
        let demanded = foreseen.and_then(|result| {
            self.subject.instantiate(op, &Demand { result: Some(&result), ..demand.clone() })
        });
        let instance = demanded.or_else(|| self.subject.instantiate(op, &demand));
        let instance = match instance.filter(|instance| self.is_true(position, &instance.result)) {
            Some(instance) if is_raw && self.subject.is_blurred(&instance) => return None,
            Some(instance) => instance,
            None if self.raw => {
                receiver = receiver.and_then(|var| self.raw_receiver(op, var));
                let seen = receiver.map(|var| self.builder.type_of(var).clone());
                let instance = self.subject.erased(op, seen.as_ref())?;
                self.make_raw(&mut values, &instance)?;
                instance
            }
            None => return None,
        };
        let mut vars: Vec<Var> = receiver.into_iter().collect();
        for ((value, param), input) in values.iter().zip(&instance.params).zip(&inputs[vars.len()..]) {
            let var = self.place(value, param)?;
            // A lambda may be used again; each mock stands for one argument.
            if let Value::StandIn(position) = value
                && self.planned(*position).is_some_and(|mock| mock.keep_bodies)
            {
                self.values.insert(input.0, Value::Made(var));
            }
            vars.push(var);
        }
        self.push_call(instance, vars).map(Value::Made)
    }

    /// What a value is first handed over as, if that tells what it holds.
    fn foreseen(&self, op: OpId, position: usize) -> Option<JavaType> {
        let classes = self.subject.classes();
        let made = &self.subject[op].result;
        if !self.foresees || !made.class_id().is_some_and(|class| classes.is_generic(class)) {
            return None;
        }
        self.used_as(position, position)
    }

    /// What a value is first handed over as behind a statement, if that tells what it holds.
    fn used_as(&self, position: usize, behind: usize) -> Option<JavaType> {
        let mut later = self.kept.iter().filter(|later| **later > behind);
        later.find_map(|later| self.handed_over(position, *later))
    }

    /// The parameter as which a statement takes the value of another.
    fn handed_over(&self, position: usize, later: usize) -> Option<JavaType> {
        let operation = match &self.session.statements()[later] {
            wire::Statement::Operate { operation, .. } => operation,
            wire::Statement::Mock(mock) => return self.answered_as(position, mock, later),
            _ => return None,
        };
        let operation = self.subject.operations().get(*operation as usize)?;
        let first = usize::from(operation.receiver.is_some());
        let at = self.inputs[later].iter().skip(first).position(|input| input.0 as usize == position)?;
        let param = operation.params.get(at)?;
        let through = || self.put_in_as(operation.id, at, later);
        let taken = if param.is_ground() { Some(param.clone()) } else { through() };
        taken.filter(|taken| is_telling(taken) && taken.is_ground())
    }

    /// The parameter of a call upon something generic, once it is known what that is handed over as: what is put into a
    /// `List<List<Item>>` is a `List<Item>`.
    fn put_in_as(&self, op: OpId, at: usize, call: usize) -> Option<JavaType> {
        self.subject[op].receiver.as_ref()?;
        let receiver = self.inputs[call].first()?.0 as usize;
        let wire::Statement::Operate { operation, .. } = &self.session.statements()[receiver] else {
            return None;
        };
        let maker = self.subject.operations().get(*operation as usize)?;
        let result = self.used_as(receiver, call)?;
        let demand = Demand { result: Some(&result), package: Some(self.package), ..Demand::default() };
        let holder = self.subject.instantiate(maker.id, &demand)?.result;
        let demand = Demand { receiver: Some(&holder), package: Some(self.package), ..Demand::default() };
        self.subject.instantiate(op, &demand)?.params.get(at).cloned()
    }

    /// The result as which a mock gives the value of another statement: its type is what it is handed over as itself.
    fn answered_as(&self, position: usize, mock: &wire::Mock, mocked: usize) -> Option<JavaType> {
        let gives =
            |answer: &wire::Answer| matches!(answer, wire::Answer::Value(var) if var.0 as usize == position);
        let planned = mock.answers.iter().find(|planned| planned.answers.iter().any(gives))?;
        let class = self.subject.classes().find(&mock.class)?;
        let op = self.subject.mocked_method(class, &planned.name, &planned.descriptor)?;
        let used = self.used_as(mocked, mocked).unwrap_or_else(|| JavaType::class(class));
        let used = self.subject.classes().without_wildcards(&used)?;
        let demand = Demand { receiver: Some(&used), package: Some(self.package), ..Demand::default() };
        let result = self.subject.instantiate(op, &demand)?.result;
        (is_telling(&result) && result.is_ground()).then_some(result)
    }

    /// A receiver seen at the raw type of the class that declares the operation: a narrower type may have an
    /// overload that the compiler would take the call for.
    fn raw_receiver(&mut self, op: OpId, var: Var) -> Option<Var> {
        let classes = self.subject.classes();
        let owner = self.subject[op].receiver.as_ref()?.class_id()?;
        let is_raw =
            classes.as_super(self.builder.type_of(var), owner).is_some_and(|seen| classes.is_raw(&seen));
        if is_raw || !classes.is_generic(owner) {
            return Some(var);
        }
        let raw = JavaType::class(self.nearest(op, owner)?);
        Some(self.builder.push(Action::Cast { value: var }, raw))
    }

    /// Casts arguments to raw types where the declared parameter has type arguments they would have to match.
    fn make_raw(&mut self, values: &mut [Value], instance: &Instance) -> Option<()> {
        let classes = self.subject.classes();
        for (value, param) in values.iter_mut().zip(&instance.params) {
            if !classes.has_raw(param) {
                continue;
            }
            let var = match &*value {
                Value::Made(var) => *var,
                Value::StandIn(position) => self.stand_in(*position, param)?,
                // A literal says too much: `Class<String>` where a class of collections is wanted, or `"a"` where
                // a `Comparable<T>` must be one of something else.
                Value::Literal(literal, ty) => {
                    self.builder.push(Action::Literal(literal.clone()), ty.clone())
                }
                Value::Null => continue,
            };
            classes.check_type(param, self.package).ok()?;
            *value = Value::Made(self.builder.push(Action::Cast { value: var }, param.clone()));
        }
        Some(())
    }

    /// The object a call is made on, seen at a type that has the operation.
    fn receiver(&mut self, op: OpId, value: Value, arguments: &[Value]) -> Option<Var> {
        let classes = self.subject.classes();
        let var = match value {
            Value::Made(var) => var,
            Value::Literal(literal, ty) => self.builder.push(Action::Literal(literal), ty),
            Value::StandIn(position) => {
                // No test calls upon a mock.
                let lambda = self.planned(position).filter(|mock| mock.keep_bodies)?;
                let ty = self.called_upon(op, classes.find(&lambda.class)?, arguments)?;
                self.stand_in(position, &ty)?
            }
            Value::Null => return None,
        };
        let owner = self.subject[op].receiver.as_ref()?.class_id()?;
        let ty = self.builder.type_of(var);
        match classes.as_super(ty, owner) {
            Some(seen) if !self.raw || !ty.has_wildcard() => {
                if !self.subject.is_covered(op, ty, self.package) {
                    return Some(var);
                }
                classes.check_class(owner, self.package).ok()?;
                Some(self.builder.push(Action::Cast { value: var }, JavaType::Class(seen)))
            }
            _ => {
                let through = self.nearest(op, owner)?;
                let seen = if self.raw { JavaType::class(through) } else { classes.wildcard_type(through) };
                if *ty == seen {
                    return Some(var);
                }
                Some(self.builder.push(Action::Cast { value: var }, seen))
            }
        }
    }

    /// The class to name when `op` is called: its owner, if code may name it.
    fn nearest(&self, op: OpId, owner: ClassId) -> Option<ClassId> {
        let classes = self.subject.classes();
        if classes.accessible(owner, self.package) {
            return Some(owner);
        }
        let demand = Demand { package: Some(self.package), ..Demand::default() };
        self.subject.instantiate(op, &demand)?.receiver?.class_id()
    }

    /// The type of a lambda that an operation is called upon: one that suits the arguments.
    fn called_upon(&self, op: OpId, class: ClassId, arguments: &[Value]) -> Option<JavaType> {
        let classes = self.subject.classes();
        if self.subject[op].owner != class {
            return classes.without_wildcards(&classes.wildcard_type(class));
        }
        let inputs: Vec<Option<JavaType>> = arguments.iter().map(|value| self.given(value)).collect();
        let any = Demand { prefer: self.prefer, package: Some(self.package), ..Demand::default() };
        let demand = Demand { inputs: &inputs, ..any.clone() };
        let instance = self.subject.instantiate(op, &demand).or_else(|| self.subject.instantiate(op, &any));
        instance.and_then(|instance| instance.receiver).or_else(|| self.raw.then(|| JavaType::class(class)))
    }

    /// Casts a value whose static type tells too little for a parameter.
    fn fit(&mut self, value: &mut Value, param: &JavaType) -> Option<()> {
        let classes = self.subject.classes();
        let Value::Made(var) = value else { return Some(()) };
        let ty = self.builder.type_of(*var);
        let wanted = classes.erasure(param);
        if classes.is_assignable(&classes.erasure(ty), &wanted) {
            return Some(());
        }
        let seen = match &wanted {
            JavaType::Class(class_type) => {
                classes.check_class(class_type.class, self.package).ok()?;
                if self.raw { wanted.clone() } else { classes.wildcard_type(class_type.class) }
            }
            JavaType::Array(_) => {
                classes.check_type(&wanted, self.package).ok()?;
                wanted.clone()
            }
            _ => return None,
        };
        *value = Value::Made(self.builder.push(Action::Cast { value: *var }, seen));
        Some(())
    }

    /// The statement that a value is at its use.
    fn place(&mut self, value: &Value, param: &JavaType) -> Option<Var> {
        match value {
            Value::Made(var) => Some(*var),
            Value::Literal(literal, ty) => {
                Some(self.builder.push(Action::Literal(literal.clone()), ty.clone()))
            }
            Value::Null => {
                let classes = self.subject.classes();
                let ty = classes.denotable(param, self.package);
                param.is_reference().then(|| self.builder.push(Action::Literal(Literal::Null), ty))
            }
            Value::StandIn(position) => self.stand_in(*position, param),
        }
    }

    fn planned(&self, position: usize) -> Option<&wire::Mock> {
        match &self.session.statements()[position] {
            wire::Statement::Mock(mock) => Some(mock),
            _ => None,
        }
    }

    fn stand_in(&mut self, position: usize, ty: &JavaType) -> Option<Var> {
        let wire::Statement::Mock(mock) = &self.session.statements()[position] else { return None };
        if mock.keep_bodies { self.lambda(mock, ty) } else { self.mock(mock, ty) }
    }

    fn mock(&mut self, mock: &wire::Mock, wanted: &JavaType) -> Option<Var> {
        let (subject, classes) = (self.subject, self.subject.classes());
        let ty = if self.raw { classes.erasure(wanted) } else { classes.without_wildcards(wanted)? };
        classes.check_type(&ty, self.package).ok()?;
        let class = ty.class_id()?;
        if *subject[class].internal_name != *mock.class {
            return None;
        }
        let demand = Demand { receiver: Some(&ty), package: Some(self.package), ..Demand::default() };
        let mut answers = Vec::new();
        for planned in &mock.answers {
            let op = subject.mocked_method(class, &planned.name, &planned.descriptor)?;
            let result = subject.instantiate(op, &demand)?.result;
            let mut values = Vec::new();
            for answer in &planned.answers {
                let wire::Answer::Value(var) = answer else { return None };
                values.push(self.answer(*var, &result)?);
            }
            answers.push(Answer { op, values });
        }
        Some(self.builder.push(Action::Mock { answers }, ty))
    }

    /// A value that a mock gives. A primitive has to be exactly of the type that is asked for.
    fn answer(&mut self, var: wire::Var, result: &JavaType) -> Option<Var> {
        let value = self.values.get(&var.0).cloned()?;
        let fits = self.given(&value).is_none_or(|given| match result {
            JavaType::Primitive(_) => given == *result,
            _ => self.subject.classes().is_assignable(&given, result),
        });
        if fits { self.place(&value, result) } else { None }
    }

    fn lambda(&mut self, mock: &wire::Mock, ty: &JavaType) -> Option<Var> {
        let classes = self.subject.classes();
        let function = classes.function_type(ty)?;
        classes.check_type(&function.interface, self.package).ok()?;
        let class = function.interface.class_id()?;
        if *self.subject[class].internal_name != *mock.class {
            return None;
        }
        let answer = mock.answers.first().and_then(|method| method.answers.first());
        let body = match answer {
            None => LambdaBody::Gives(None),
            Some(wire::Answer::Argument(echoed)) => {
                let param = function.params.get(usize::from(*echoed))?;
                if !classes.is_assignable(param, &function.result) {
                    return None;
                }
                LambdaBody::Echoes(*echoed)
            }
            Some(wire::Answer::Value(var)) => {
                let value = self.values.get(&var.0).cloned()?;
                let given = self.given(&value);
                if given.is_some_and(|given| !classes.is_assignable(&given, &function.result)) {
                    return None;
                }
                LambdaBody::Gives(Some(self.place(&value, &function.result)?))
            }
            Some(wire::Answer::Throw(_)) => return None,
        };
        Some(self.builder.push(Action::Lambda(body), function.interface))
    }

    fn array(&mut self, element: &str, inputs: &[wire::Var]) -> Option<Value> {
        let classes = self.subject.classes();
        let mut component = classes.type_with_descriptor(element)?;
        classes.check_type(&component, self.package).ok()?;
        if let Some(class) = component.class_id()
            && classes.is_generic(class)
            && !self.raw
        {
            component = classes.wildcard_type(class);
        }
        let mut elements = Vec::with_capacity(inputs.len());
        for input in inputs {
            let mut value = self.values.get(&input.0).cloned()?;
            self.fit(&mut value, &component)?;
            if self.given(&value).is_some_and(|given| !classes.is_assignable(&given, &component)) {
                return None;
            }
            elements.push(self.place(&value, &component)?);
        }
        let ty = JavaType::array_of(component);
        Some(Value::Made(self.builder.push(Action::Array { elements }, ty)))
    }

    fn push_call(&mut self, instance: Instance, inputs: Vec<Var>) -> Option<Var> {
        let classes = self.subject.classes();
        let ty = if instance.result.is_void() {
            JavaType::Void
        } else {
            classes.denotable(&instance.result, self.package)
        };
        let fits = |(input, param): (&Var, &JavaType)| {
            let given = self.builder.type_of(*input);
            self.builder.is_null(*input) || classes.is_assignable(given, param)
        };
        let arguments = &inputs[inputs.len() - instance.params.len()..];
        if !arguments.iter().zip(&instance.params).all(fits) {
            return None;
        }
        self.bound |= self.subject.check_operation(instance.operation, "").is_err();
        Some(self.builder.push(Action::Call { instance: Arc::new(instance), inputs }, ty))
    }
}

#[cfg(test)]
mod tests {
    use jurat_testkit::{operation, subject};

    use super::*;

    const CLASSES: &str = "
interface Failing<E extends Throwable> { void run() throws E; default Failing<E> twice(); }
class Box<T> { Box(); void put(T item); }
class Shelf { Shelf(); static void keep(Box<Shelf> boxes); static void look(Box<? extends Shelf> boxes); }
class Ranges { static <T> void check(T start, T end, Comparable<T> value); static <T> T odd(Comparable<T> any); }
";

    /// The types of the statements that a session becomes.
    fn types(subject: &Subject, session: &wire::Sequence, made: &Made<'_>) -> Vec<String> {
        let all: Vec<usize> = (0..session.statements().len()).collect();
        let typed = retype(subject, &"".into(), session, &all, made).expect("it can be typed");
        typed.sequence.statements().iter().map(|made| subject.classes().show(&made.ty)).collect()
    }

    fn text(session: &mut wire::Sequence, text: &str) -> wire::Var {
        session
            .literal(wire::Literal::String(wire::Text::from_units(&text.encode_utf16().collect::<Vec<_>>())))
    }

    #[test]
    fn the_type_of_a_lambda_that_is_called_upon_is_within_its_bounds() {
        let subject = subject(CLASSES);
        let mut session = wire::Sequence::default();
        let mock = wire::Mock { class: "Failing".to_owned(), keep_bodies: true, answers: Vec::new() };
        let lambda = session.mock(mock);
        session.operate(operation(&subject, "Failing", "twice").0, &[lambda]);
        let types = types(&subject, &session, &|_| None);
        assert_eq!(types, ["Failing<java.lang.Throwable>", "Failing<java.lang.Throwable>"]);
    }

    #[test]
    fn a_literal_is_made_raw_where_its_type_arguments_say_too_much() {
        let subject = subject(CLASSES);
        let mut session = wire::Sequence::default();
        let start = session.array("Ljava/lang/Object;", &[]);
        let value = text(&mut session, "a");
        session.operate(operation(&subject, "Ranges", "check").0, &[start, start, value]);
        let types = types(&subject, &session, &|_| None);
        let expected = ["java.lang.Object[]", "java.lang.String", "java.lang.Comparable", "void"];
        assert_eq!(types, expected);
    }

    #[test]
    fn a_type_argument_does_not_contradict_what_was_made() {
        let subject = subject(CLASSES);
        let mut session = wire::Sequence::default();
        let value = text(&mut session, "a");
        session.operate(operation(&subject, "Ranges", "odd").0, &[value]);
        assert_eq!(types(&subject, &session, &|_| None)[1], "java.lang.String");
        let types = types(&subject, &session, &|at| (at == 1).then(|| "java/lang/Integer".to_owned()));
        assert_eq!(types[1..], ["java.lang.Comparable", "java.lang.Object"]);
    }

    #[test]
    fn what_is_made_gets_the_type_that_it_is_handed_over_as() {
        let subject = subject(CLASSES);
        let session = |user: &str, fills: bool| {
            let mut session = wire::Sequence::default();
            let made = session.operate(operation(&subject, "Box", "<init>").0, &[]);
            let item = if fills {
                session.operate(operation(&subject, "Shelf", "<init>").0, &[])
            } else {
                text(&mut session, "a")
            };
            session.operate(operation(&subject, "Box", "put").0, &[made, item]);
            session.operate(operation(&subject, "Shelf", user).0, &[made]);
            types(&subject, &session, &|_| None)
        };
        assert_eq!(session("keep", true), ["Box<Shelf>", "Shelf", "void", "void"]);
        assert_eq!(session("look", true), ["Box<Shelf>", "Shelf", "void", "void"]);
        // It holds something else: only a raw type does.
        assert_eq!(session("keep", false)[..2], ["Box<java.lang.Object>", "java.lang.String"]);
    }

    #[test]
    fn what_is_put_into_something_gets_the_type_that_this_holds() {
        let subject = subject(
            "class Box<T> { Box(); void put(T item); }
             class Shelf { Shelf(); static void keep(Box<Box<Shelf>> boxes); }",
        );
        let mut session = wire::Sequence::default();
        let inner = session.operate(operation(&subject, "Box", "<init>").0, &[]);
        let outer = session.operate(operation(&subject, "Box", "<init>").0, &[]);
        session.operate(operation(&subject, "Box", "put").0, &[outer, inner]);
        session.operate(operation(&subject, "Shelf", "keep").0, &[outer]);
        assert_eq!(types(&subject, &session, &|_| None)[..2], ["Box<Shelf>", "Box<Box<Shelf>>"]);
    }

    #[test]
    fn what_a_mock_gives_gets_the_type_that_it_is_asked_for() {
        let subject = subject(
            "class Box<T> { Box(); }
             class Shelf { Shelf(); static void fill(Store<Shelf> store, Shelves shelves); }
             interface Store<T> { Box<T> box(); int count(); }
             interface Shelves extends Store<Shelf> { }",
        );
        let mut session = wire::Sequence::default();
        let mut mock = |class: &str| {
            let made = session.operate(operation(&subject, "Box", "<init>").0, &[]);
            let answers = vec![wire::Answer::Value(made)];
            let (name, descriptor) = ("box".to_owned(), "()LBox;".to_owned());
            let answers = vec![wire::MockAnswers { name, descriptor, answers }];
            session.mock(wire::Mock { class: class.to_owned(), keep_bodies: false, answers })
        };
        let given = [mock("Store"), mock("Shelves")];
        session.operate(operation(&subject, "Shelf", "fill").0, &given);
        let types = types(&subject, &session, &|_| None);
        assert_eq!(types[..4], ["Box<Shelf>", "Box<Shelf>", "Store<Shelf>", "Shelves"]);
    }
}
