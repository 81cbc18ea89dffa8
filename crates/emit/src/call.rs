//! Writes calls: their arguments, the casts that keep the compiler from another overload, and how much is
//! said about type arguments.

use std::sync::Arc;

use jurat_model::{
    Action, Call, CallStyle, ClassType, Conversion, Demand, Instance, JavaType, Obstacle, OpId, Operation,
    OperationKind, Primitive, TypeArg, Var,
};

use crate::body::{Slot, Writer};
use crate::expression::{Expr, Form, Place, is_reifiable};
use crate::layout::{BREAK, width};
use crate::lints;
use crate::uses::Use;

/// Receivers wider than this are followed by a place to break.
const CHAIN: usize = 12;

impl Writer<'_, '_> {
    pub(crate) fn call(&mut self, var: Var, inputs: &[Var], place: Place<'_>) -> Result<Expr, Obstacle> {
        let instance = self.instances[var.index()].clone().expect("a call is prepared before it is written");
        let has_receiver = self.subject[instance.operation].receiver.is_some();
        let (receiver, args) = inputs.split_at(usize::from(has_receiver));
        let receiver = match receiver.first() {
            Some(receiver) => Some(self.expr(*receiver, Place::Receiver)?),
            None => None,
        };
        self.call_on(&instance, receiver, args, place)
    }

    /// A call of an operation on a receiver that is already written.
    pub(crate) fn call_on(
        &mut self,
        instance: &Arc<Instance>,
        receiver: Option<Expr>,
        inputs: &[Var],
        place: Place<'_>,
    ) -> Result<Expr, Obstacle> {
        let subject = self.subject;
        let operation = &subject[instance.operation];
        let receiver_type = receiver.as_ref().and_then(|receiver| receiver.ty.clone());
        lints::of_call(subject, instance, receiver_type.as_ref(), &mut self.lints);
        if self.is_reflective(operation.id) {
            return self.reflective(instance, receiver.as_ref(), inputs, place);
        }
        self.note_exceptions(&instance.throws);
        let args = self.arguments(instance, operation, inputs, place)?;
        let given: Vec<Option<&JavaType>> = args.iter().map(|arg| arg.ty.as_ref()).collect();
        lints::of_arguments(subject, operation, &given, &mut self.lints);
        let calls = args.iter().chain(&receiver).map(|part| part.calls).sum::<usize>();
        let texts: Vec<String> = args.iter().map(|arg| format!("{BREAK}{}", arg.text)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let receiver = receiver.map(|receiver| {
            let text = receiver.primary();
            if width(&text) > CHAIN && receiver.calls > 0 { text + &BREAK.to_string() } else { text }
        });
        let style = self.style(instance, operation, place);
        let call = Call { instance, receiver: receiver.as_deref(), args: &texts, style };
        let text = subject.call_text(self.scope, &call)?;
        let is_call = operation.kind.is_call();
        Ok(Expr {
            text,
            ty: Some(instance.result.clone()),
            form: if operation.kind.is_set() { Form::Loose } else { Form::Primary },
            calls: calls + usize::from(is_call),
        })
    }

    /// Remembers what the test method must declare.
    pub(crate) fn note_exceptions(&mut self, throws: &[JavaType]) {
        if self.is_guarded {
            return;
        }
        let classes = self.subject.classes();
        let below = |class, ancestor: &str| {
            classes.find(ancestor).is_some_and(|ancestor| classes.is_subclass(class, ancestor))
        };
        for class in throws.iter().filter_map(|thrown| classes.member_class(thrown)) {
            if below(class, "java/lang/RuntimeException") || below(class, "java/lang/Error") {
                continue;
            }
            self.note_thrown(if below(class, "java/lang/Exception") { "Exception" } else { "Throwable" });
        }
    }

    /// Remembers that a statement may throw `Exception` or `Throwable`, unless that is caught.
    pub(crate) fn note_thrown(&mut self, thrown: &'static str) {
        if !self.is_guarded {
            self.out.throws = self.out.throws.max(Some(thrown));
        }
    }

    /// How much a call says about its type arguments.
    fn style(&self, instance: &Instance, operation: &Operation, place: Place<'_>) -> CallStyle {
        let has_class_args = instance.result.as_class().is_some_and(|made| !made.args().is_empty());
        match place {
            Place::Receiver => CallStyle::Explicit,
            Place::Arg { param, is_fixed } if operation.is_constructor() && has_class_args => {
                if is_fixed && self.decides(param, &instance.result) {
                    CallStyle::Inferred
                } else {
                    CallStyle::Explicit
                }
            }
            Place::Asserted if self.may_be_any_box(instance, operation) => CallStyle::Explicit,
            Place::Bare | Place::Asserted | Place::Statement | Place::Init | Place::Arg { .. } => {
                CallStyle::Inferred
            }
        }
    }

    /// True if the compiler may take what a call gives for a box only because one is wanted of it: an assertion takes
    /// boxes of many kinds.
    fn may_be_any_box(&self, instance: &Instance, operation: &Operation) -> bool {
        let JavaType::Variable(variable) = operation.result else { return false };
        let classes = self.subject.classes();
        let fits = |primitive: Primitive| {
            let given = instance.result.class_id();
            given.is_some_and(|given| classes.is_subclass(classes.boxed(primitive), given))
        };
        operation.type_params.contains(&variable)
            && !operation.params.iter().any(|param| param.mentions(&[variable]))
            && Primitive::ALL.into_iter().any(fits)
    }

    /// True if the wanted type alone tells the compiler all type arguments of what is made.
    fn decides(&self, wanted: &JavaType, made: &JavaType) -> bool {
        let is_exact = |class_type: &ClassType| !class_type.args().iter().any(TypeArg::is_wildcard);
        let classes = self.subject.classes();
        let (Some(wanted), Some(made)) = (wanted.as_class(), made.as_class()) else { return false };
        let params = classes.all_type_params(made.class);
        let this = classes.as_super(&classes.this_type(made.class), wanted.class);
        !wanted.args().is_empty()
            && is_exact(wanted)
            && this.is_some_and(|this| {
                let this = JavaType::Class(this);
                params.iter().all(|param| this.mentions(&[*param]))
            })
    }

    /// The arguments of a call, cast where another overload would be meant.
    fn arguments(
        &mut self,
        instance: &Instance,
        operation: &Operation,
        inputs: &[Var],
        place: Place<'_>,
    ) -> Result<Vec<Expr>, Obstacle> {
        if let Some(spread) = self.spread(instance, operation, inputs)?
            && self.is_of_one_type(instance, operation, &spread, place)
        {
            return Ok(spread);
        }
        let is_fixed = self.is_fixed(instance, operation);
        let mut args = Vec::new();
        for (input, param) in inputs.iter().zip(&instance.params) {
            let arg = self.expr(*input, Place::Arg { param, is_fixed })?;
            if !self.fits(&arg, param) {
                return Err(Obstacle::Misfit(self.subject.member_name(operation)));
            }
            args.push(arg);
        }
        let casts = self.casts(instance, operation, &args);
        for ((arg, param), is_cast) in args.iter_mut().zip(&instance.params).zip(casts) {
            if is_cast {
                *arg = self.cast_to(arg, param)?;
            }
        }
        Ok(args)
    }

    pub(crate) fn fits(&self, arg: &Expr, param: &JavaType) -> bool {
        match &arg.ty {
            None => param.is_reference(),
            Some(given) => self.subject.classes().converts(given, param, Conversion::BOXING),
        }
    }

    /// True if the compiler knows the parameter types of a call without looking at its arguments.
    fn is_fixed(&self, instance: &Instance, operation: &Operation) -> bool {
        let classes = self.subject.classes();
        let is_inferred = !operation.type_params.is_empty()
            || operation.is_constructor() && classes.is_generic(operation.owner);
        let is_vague = instance.receiver.as_ref().is_some_and(JavaType::has_wildcard);
        !is_inferred
            && !is_vague
            && self.subject.overloads(instance).into_iter().all(|other| {
                let other = &self.subject[other];
                other.params.len() != instance.params.len() && !other.is_varargs
            })
    }

    /// Which arguments need a cast so that the compiler selects this operation, and so that it does not wonder
    /// whether one array is meant or several values.
    fn casts(&self, instance: &Instance, operation: &Operation, args: &[Expr]) -> Vec<bool> {
        let given: Vec<Option<&JavaType>> = args.iter().map(|arg| arg.ty.as_ref()).collect();
        let rivals = self.rivals(instance, &given);
        let classes = self.subject.classes();
        let is_exact = |position: usize| {
            given[position]
                .is_some_and(|given| classes.erasure(given) == classes.erasure(&instance.params[position]))
        };
        // A null says nothing of the type arguments that tell overloads apart.
        let is_open = |position: usize| given[position].is_none() && !operation.params[position].is_ground();
        let is_disputed = |position: usize| {
            rivals.iter().any(|rival| {
                let theirs = instance.chosen.up(classes, &self.subject[*rival].params[position]);
                classes.erasure(&theirs) != classes.erasure(&instance.params[position]) || is_open(position)
            })
        };
        let is_several = |position: usize| operation.is_varargs && position + 1 == args.len();
        (0..args.len())
            .map(|position| !is_exact(position) && (is_disputed(position) || is_several(position)))
            .collect()
    }

    /// Overloads that the same arguments would fit.
    fn rivals(&self, instance: &Instance, given: &[Option<&JavaType>]) -> Vec<OpId> {
        let fits = |other: &OpId| self.takes_all(&self.subject[*other].params, instance, given);
        self.subject.overloads(instance).into_iter().filter(fits).collect()
    }

    /// True if parameters of these types, in terms of the instance's type variables, would take the arguments.
    fn takes_all(&self, params: &[JavaType], instance: &Instance, given: &[Option<&JavaType>]) -> bool {
        params.len() == given.len()
            && given.iter().zip(params).all(|(given, param)| self.takes(param, instance, *given))
    }

    fn takes(&self, param: &JavaType, instance: &Instance, given: Option<&JavaType>) -> bool {
        let classes = self.subject.classes();
        let param = classes.erasure(&instance.chosen.up(classes, param));
        match given {
            None => param.is_reference(),
            Some(given) => classes.converts(&classes.erasure(given), &param, Conversion::LOOSE),
        }
    }

    /// An argument cast to the type of its parameter.
    pub(crate) fn cast_to(&mut self, arg: &Expr, param: &JavaType) -> Result<Expr, Obstacle> {
        let ty = self.subject.classes().denotable(param, self.scope.package());
        let ty_text = self.type_text(&ty)?;
        // `(Object) -1` would be a subtraction.
        let is_safe = arg.form == Form::Primary || arg.form == Form::Negative && ty.is_primitive();
        let operand = if is_safe { arg.text.clone() } else { format!("({})", arg.text) };
        Ok(Expr { text: format!("({ty_text}) {operand}"), ty: Some(ty), form: Form::Loose, calls: arg.calls })
    }

    /// The arguments of a call with the array of its last parameter spread out, if that means the same.
    fn spread(
        &mut self,
        instance: &Instance,
        operation: &Operation,
        inputs: &[Var],
    ) -> Result<Option<Vec<Expr>>, Obstacle> {
        let (Some(last), Some(JavaType::Array(component))) = (inputs.last(), instance.params.last()) else {
            return Ok(None);
        };
        let sequence = self.sequence;
        let Action::Array { elements } = &sequence.statement(*last).action else { return Ok(None) };
        let is_written_here = self.slots[last.index()] == Slot::Inline;
        // What is declared decides whether the compiler warns of the array it makes.
        let is_makeable = operation.params.last().and_then(JavaType::component).is_some_and(is_reifiable);
        if !operation.is_varargs || !is_written_here || !is_makeable || !is_reifiable(component) {
            return Ok(None);
        }
        let classes = self.subject.classes();
        let erased = |ty: &JavaType| classes.erasure(ty);
        if erased(&self.types[last.index()]) != erased(&JavaType::Array(component.clone())) {
            return Ok(None);
        }
        let first = &inputs[..inputs.len() - 1];
        let params = instance.params.iter().chain(std::iter::repeat(&**component));
        let params = params.enumerate().filter(|(position, _)| *position != first.len()).map(|(_, ty)| ty);
        let mut args = Vec::new();
        for (input, param) in first.iter().chain(elements).zip(params) {
            let arg = self.expr(*input, Place::Arg { param, is_fixed: false })?;
            if !self.fits(&arg, param) {
                return Ok(None);
            }
            args.push(arg);
        }
        let is_doubtful = elements.len() == 1 && args.last().is_some_and(may_be_array);
        let given: Vec<Option<&JavaType>> = args.iter().map(|arg| arg.ty.as_ref()).collect();
        let is_contested = self
            .subject
            .overloads(instance)
            .into_iter()
            .any(|other| self.takes_spread(&self.subject[other], instance, &given));
        Ok((!is_doubtful && !is_contested).then_some(args))
    }

    /// True if the compiler makes the array of a `T...` of the type it has here: of values of several types it would
    /// make one of whatever they have in common, which need not be a type of which arrays can be made.
    fn is_of_one_type(
        &self,
        instance: &Instance,
        operation: &Operation,
        args: &[Expr],
        place: Place<'_>,
    ) -> bool {
        let classes = self.subject.classes();
        let component = |params: &[JavaType]| params.last().and_then(JavaType::component).cloned();
        let (Some(declared), Some(used)) = (component(&operation.params), component(&instance.params)) else {
            return true;
        };
        let is_told = matches!(place, Place::Init) && operation.result.mentions(&operation.type_params);
        let reference = |ty: &JavaType| match ty {
            JavaType::Primitive(primitive) => JavaType::class(classes.boxed(*primitive)),
            other => other.clone(),
        };
        let is_same = |arg: &Expr| arg.ty.as_ref().is_none_or(|ty| reference(ty) == used);
        declared.is_ground() || is_told || args.iter().skip(operation.params.len() - 1).all(is_same)
    }

    /// True if another overload would take these arguments one by one.
    fn takes_spread(&self, other: &Operation, instance: &Instance, given: &[Option<&JavaType>]) -> bool {
        if self.takes_all(&other.params, instance, given) {
            return true;
        }
        let Some((JavaType::Array(component), params)) = other.params.split_last() else { return false };
        if !other.is_varargs || params.len() > given.len() {
            return false;
        }
        let (first, rest) = given.split_at(params.len());
        self.takes_all(params, instance, first)
            && rest.iter().all(|given| self.takes(component, instance, *given))
    }

    /// True if a lambda may stand where it is used: the compiler must know what is wanted there.
    pub(crate) fn lambda_stands_inline(&self, var: Var) -> bool {
        let Some(Use { by, input }) = self.uses.single(var) else { return false };
        let Action::Call { instance, .. } = &self.sequence.statement(by).action else { return false };
        let operation = &self.subject[instance.operation];
        if self.is_reflective(operation.id) {
            return false;
        }
        let Some(position) = input.checked_sub(usize::from(operation.receiver.is_some())) else {
            return false;
        };
        let classes = self.subject.classes();
        let param = &instance.params[position];
        // The compiler makes it one of what is wanted, which may say less than a variable for it would.
        classes.function_type(param).is_some_and(|wanted| wanted.interface == self.types[var.index()])
            && self.is_fixed(instance, operation)
    }

    /// True if the compiler gives the expression that makes a value the same type as a variable for it would
    /// have, so that it may stand where it is used.
    pub(crate) fn type_is_clear(&self, var: Var, place: Use) -> bool {
        let user = &self.sequence.statement(place.by).action;
        let is_receiver = match user {
            Action::Lambda(_) | Action::Mock { .. } => return false,
            Action::Call { instance, .. } => {
                place.input == 0 && self.subject[instance.operation].receiver.is_some()
            }
            _ => false,
        };
        let ty = &self.types[var.index()];
        let is_cast = matches!(user, Action::Cast { .. });
        match &self.sequence.statement(var).action {
            // A cast to what an override promises anyway is one too many.
            Action::Call { .. } => self.instances[var.index()].as_ref().is_some_and(|instance| {
                self.call_is_clear(instance, ty, is_receiver)
                    && !(is_cast && self.subject.gives_less(instance))
            }),
            Action::Array { .. } => {
                let (element, _) = ty.element();
                !element
                    .as_class()
                    .is_some_and(|class_type| self.subject.classes().is_generic(class_type.class))
            }
            Action::Cast { .. } => is_reifiable(ty),
            _ => true,
        }
    }

    fn call_is_clear(&self, instance: &Instance, ty: &JavaType, is_receiver: bool) -> bool {
        let operation = &self.subject[instance.operation];
        let depends = |params: &[_]| operation.result.mentions(params);
        if instance.result != *ty || operation.kind.is_set() || depends(&operation.type_params) {
            return false;
        }
        let is_generic = instance.result.as_class().is_some_and(|made| !made.args().is_empty());
        if is_receiver && (operation.is_constructor() && is_generic || ty.is_primitive()) {
            return false;
        }
        // A wildcard in the receiver makes the result a type without a name.
        let is_vague = instance.receiver.as_ref().is_some_and(JavaType::has_wildcard);
        !(is_vague && operation.kind != OperationKind::Constructor && !operation.result.is_ground())
    }

    /// What an observer says of a value.
    pub(crate) fn observation(&mut self, receiver: Var, observer: OpId) -> Result<Expr, Obstacle> {
        let written = self.expr(receiver, Place::Receiver)?;
        let demand = Demand {
            receiver: written.ty.as_ref(),
            package: Some(self.scope.package()),
            ..Demand::default()
        };
        let instance = self
            .subject
            .instantiate(observer, &demand)
            .ok_or_else(|| Obstacle::Misfit(self.subject.member_name(&self.subject[observer])))?;
        let result = self.subject.classes().denotable(&instance.result, self.scope.package());
        let call = self.call_on(&Arc::new(instance), Some(written), &[], Place::Asserted)?;
        Ok(Expr { ty: Some(result), ..call })
    }
}

/// True if the compiler would take a single last argument for the array itself.
fn may_be_array(arg: &Expr) -> bool {
    matches!(&arg.ty, None | Some(JavaType::Array(_)))
}
