//! Composes one candidate: a call of one operation, with inputs made, reused or drawn from the corpus.

use std::sync::Arc;

use jurat_base::Rng;
use jurat_model::{
    Action, Candidate, ClassKind, Demand, Instance, JavaType, LambdaBody, Literal, OpId, OperationKind,
    Primitive, SequenceBuilder, Subject, Var,
};

use crate::corpus::{Corpus, Entry};
use crate::literals::Literals;

/// How deep values are made from scratch when the corpus has none.
const DEPTH: usize = 3;
/// Longer sequences are not built up further.
const LONGEST: usize = 40;
/// How often a value that is already in the sequence is used again.
const REUSE: f64 = 0.3;
/// How often null is passed where an object would do.
const NULL: f64 = 0.04;
/// How often a value is made from scratch although the corpus has one.
const FRESH: f64 = 0.15;
/// How often a functional interface is given a lambda rather than an object.
const LAMBDA: f64 = 0.8;
/// The most elements of an array made here.
const ELEMENTS: usize = 4;
/// How many producers are tried for one value.
const PRODUCERS: usize = 6;

/// Composes one sequence.
pub(crate) struct Composer<'a> {
    subject: &'a Subject,
    corpus: &'a Corpus,
    literals: &'a Literals,
    package: &'a Arc<str>,
    rng: &'a mut Rng,
    builder: SequenceBuilder,
    /// True once a part was used that only code in `package` can call.
    is_bound: bool,
    /// The operation whose constants are preferred.
    target: OpId,
}

impl<'a> Composer<'a> {
    pub(crate) fn new(
        subject: &'a Subject,
        corpus: &'a Corpus,
        literals: &'a Literals,
        package: &'a Arc<str>,
        rng: &'a mut Rng,
    ) -> Self {
        let builder = SequenceBuilder::default();
        Self { subject, corpus, literals, package, rng, builder, is_bound: false, target: OpId(0) }
    }

    /// The candidate that ends in a call of `op`, or none if an input could not be made.
    pub(crate) fn call(mut self, op: OpId) -> Option<Candidate> {
        self.target = op;
        self.apply(op, None, DEPTH)?;
        let package = self.is_bound.then(|| self.package.clone());
        Some(Candidate { sequence: self.builder.build(), package })
    }

    /// Appends a call of `op`, its inputs first.
    fn apply(&mut self, op: OpId, wanted: Option<&JavaType>, depth: usize) -> Option<Var> {
        let operation = &self.subject[op];
        let receiver = match &operation.receiver {
            Some(ty) => Some(self.receiver(op, ty, depth)?),
            None => None,
        };
        let receiver_type = receiver.map(|var| self.builder.type_of(var).clone());
        let prefer = self.preferred_types();
        let demand = Demand {
            receiver: receiver_type.as_ref(),
            inputs: &[],
            result: wanted,
            prefer: &prefer,
            package: Some(self.package),
        };
        let instance = self.subject.instantiate(op, &demand)?;
        let mut inputs: Vec<Var> = receiver.into_iter().collect();
        for param in &instance.params {
            inputs.push(self.input(param, depth)?);
        }
        self.push_call(instance, inputs)
    }

    fn push_call(&mut self, instance: Instance, inputs: Vec<Var>) -> Option<Var> {
        let classes = self.subject.classes();
        let ty = if instance.result.is_void() {
            JavaType::Void
        } else {
            classes.denotable(&instance.result, self.package)
        };
        self.is_bound |= self.subject.check_operation(instance.operation, "").is_err();
        (self.builder.len() < LONGEST)
            .then(|| self.builder.push(Action::Call { instance: Arc::new(instance), inputs }, ty))
    }

    /// A value to call `op` on.
    fn receiver(&mut self, op: OpId, declared: &JavaType, depth: usize) -> Option<Var> {
        let wanted = self.subject.classes().wildcard_type(declared.class_id()?);
        if let Some(var) = self.reuse(&wanted) {
            return Some(var);
        }
        if !self.rng.chance(FRESH)
            && let Some(entry) = self.corpus.draw(self.subject, &wanted, self.package, self.rng)
        {
            return Some(self.take(entry));
        }
        if let Some(var) = self.make(&wanted, Some(op), depth) {
            return Some(var);
        }
        let entry = self.corpus.draw(self.subject, &wanted, self.package, self.rng)?;
        Some(self.take(entry))
    }

    /// A value for a parameter of this type.
    fn input(&mut self, ty: &JavaType, depth: usize) -> Option<Var> {
        match ty {
            JavaType::Primitive(primitive) => {
                let literal = self.literals.primitive(self.target, *primitive, self.rng);
                Some(self.builder.push(Action::Literal(literal), ty.clone()))
            }
            JavaType::Void | JavaType::Variable(_) => None,
            JavaType::Array(component) => self.array(ty, component, depth),
            JavaType::Class(_) => Some(self.object(ty, depth)),
        }
    }

    fn object(&mut self, ty: &JavaType, depth: usize) -> Var {
        if self.rng.chance(NULL) {
            return self.null(ty);
        }
        if let Some(var) = self.reuse(ty) {
            return var;
        }
        if let Some(var) = self.literal_for(ty) {
            return var;
        }
        if self.rng.chance(LAMBDA)
            && let Some(var) = self.lambda(ty, depth)
        {
            return var;
        }
        if !self.rng.chance(FRESH)
            && let Some(entry) = self.corpus.draw(self.subject, ty, self.package, self.rng)
        {
            return self.take(entry);
        }
        if let Some(var) = self.make(ty, None, depth) {
            return var;
        }
        match self.corpus.draw(self.subject, ty, self.package, self.rng) {
            Some(entry) => self.take(entry),
            None => self.null(ty),
        }
    }

    fn null(&mut self, ty: &JavaType) -> Var {
        self.builder.push(Action::Literal(Literal::Null), ty.clone())
    }

    /// A value that is already in the sequence.
    fn reuse(&mut self, ty: &JavaType) -> Option<Var> {
        if !self.rng.chance(REUSE) {
            return None;
        }
        let classes = self.subject.classes();
        let fits = |var: &Var| {
            let given = self.builder.type_of(*var);
            given.is_reference() && !self.builder.is_null(*var) && classes.is_assignable(given, ty)
        };
        let fitting: Vec<Var> = self.builder.vars().filter(fits).collect();
        self.rng.pick(&fitting).copied()
    }

    /// Appends the sequence that makes a corpus value.
    fn take(&mut self, entry: &Entry) -> Var {
        let shift = self.builder.append(&entry.sequence);
        self.is_bound |= entry.package.is_some();
        let var = Var::from_index(entry.var.index() + shift);
        if entry.needs_cast { self.builder.push(Action::Cast { value: var }, entry.ty.clone()) } else { var }
    }

    /// Strings, boxes, classes and enum constants, where one of them is a value of `ty`.
    fn literal_for(&mut self, ty: &JavaType) -> Option<Var> {
        let classes = self.subject.classes();
        let class = ty.class_id()?;
        if self.subject[class].kind == ClassKind::Enum {
            return self.enum_constant(ty, class);
        }
        if class == classes.class_class() {
            return self.class_literal(ty);
        }
        let string = JavaType::class(classes.string());
        let mut kinds: Vec<(JavaType, Option<Primitive>)> = Primitive::ALL
            .iter()
            .map(|primitive| (JavaType::class(classes.boxed(*primitive)), Some(*primitive)))
            .filter(|(boxed, _)| classes.is_assignable(boxed, ty))
            .collect();
        if classes.is_assignable(&string, ty) {
            kinds.push((string, None));
        }
        // What takes many kinds (`Object`, `Comparable`) mostly wants something else.
        if kinds.len() > 1 && !self.rng.chance(0.5) {
            return None;
        }
        let wide = kinds.len() > 2;
        let kind = if wide { self.everyday(&kinds) } else { self.rng.pick(&kinds).cloned() };
        let (ty, primitive) = kind?;
        let literal = match primitive {
            Some(primitive) => self.literals.primitive(self.target, primitive, self.rng),
            None => Literal::String(self.literals.string(self.target, self.rng)),
        };
        Some(self.builder.push(Action::Literal(literal), ty))
    }

    /// Among many kinds of literals, those that people use.
    fn everyday(&mut self, kinds: &[(JavaType, Option<Primitive>)]) -> Option<(JavaType, Option<Primitive>)> {
        let usual = |kind: &&(JavaType, Option<Primitive>)| matches!(kind.1, None | Some(Primitive::Int));
        let few: Vec<_> = kinds.iter().filter(usual).cloned().collect();
        self.rng.pick(if few.is_empty() || self.rng.clone().chance(0.2) { kinds } else { &few }).cloned()
    }

    fn enum_constant(&mut self, ty: &JavaType, class: jurat_model::ClassId) -> Option<Var> {
        let constants: Vec<OpId> = self
            .subject
            .operations_of(class)
            .iter()
            .copied()
            .filter(|op| self.subject[*op].kind == OperationKind::EnumConstant)
            .filter(|op| self.subject.check_operation(*op, self.package).is_ok())
            .collect();
        let op = *self.rng.pick(&constants)?;
        let demand = Demand { package: Some(self.package), ..Demand::default() };
        let instance = self.subject.instantiate(op, &demand)?;
        debug_assert!(ty.is_reference(), "enums are classes");
        self.push_call(instance, Vec::new())
    }

    fn class_literal(&mut self, ty: &JavaType) -> Option<Var> {
        let classes = self.subject.classes();
        let named = match self.literals.class(self.target, self.rng) {
            Some(mined) if self.rng.chance(0.5) => mined,
            _ => JavaType::class(*self.rng.pick(&[
                classes.string(),
                classes.object(),
                classes.boxed(Primitive::Int),
            ])?),
        };
        classes.check_type(&named, self.package).ok()?;
        let argument = match &named {
            JavaType::Primitive(primitive) => JavaType::class(classes.boxed(*primitive)),
            _ if classes.has_raw(&named) => return None,
            other => other.clone(),
        };
        let literal_type = JavaType::generic(classes.class_class(), [argument]);
        classes
            .is_assignable(&literal_type, ty)
            .then(|| self.builder.push(Action::Literal(Literal::Class(named)), literal_type))
    }

    fn lambda(&mut self, ty: &JavaType, depth: usize) -> Option<Var> {
        let function = self.subject.classes().function_type(ty)?;
        let classes = self.subject.classes();
        classes.check_type(&function.interface, self.package).ok()?;
        let body = if function.result.is_void() {
            LambdaBody::Gives(None)
        } else {
            let echo =
                function.params.iter().position(|param| classes.is_assignable(param, &function.result));
            match echo.and_then(|position| u8::try_from(position).ok()) {
                Some(position) if self.rng.chance(0.4) => LambdaBody::Echoes(position),
                _ => LambdaBody::Gives(Some(self.input(&function.result, depth.checked_sub(1)?)?)),
            }
        };
        Some(self.builder.push(Action::Lambda(body), function.interface))
    }

    fn array(&mut self, ty: &JavaType, component: &JavaType, depth: usize) -> Option<Var> {
        if self.rng.chance(NULL) {
            return Some(self.null(ty));
        }
        if let Some(var) = self.reuse(ty) {
            return Some(var);
        }
        if self.rng.chance(0.3)
            && let Some(entry) = self.corpus.draw(self.subject, ty, self.package, self.rng)
        {
            return Some(self.take(entry));
        }
        let length = self.rng.below(ELEMENTS + 1);
        let elements: Option<Vec<Var>> =
            (0..length).map(|_| self.input(component, depth.saturating_sub(1))).collect();
        // Java cannot make an array of a parameterized type; the emitter would have to cast.
        let classes = self.subject.classes();
        let plain = classes.erasure(ty) == *ty && !classes.has_raw(ty);
        elements.filter(|_| plain).map(|elements| self.builder.push(Action::Array { elements }, ty.clone()))
    }

    /// Makes a value by a constructor, static method or constant that gives one.
    fn make(&mut self, wanted: &JavaType, not: Option<OpId>, depth: usize) -> Option<Var> {
        let depth = depth.checked_sub(1)?;
        let producers: Vec<OpId> = self
            .subject
            .producers(wanted)
            .into_iter()
            .filter(|op| Some(*op) != not && self.subject[*op].receiver.is_none())
            .filter(|op| !matches!(self.subject[*op].kind, OperationKind::StaticSet))
            .filter(|op| self.subject.check_operation(*op, self.package).is_ok())
            .collect();
        for _ in 0..PRODUCERS {
            let op = *self.rng.pick(&producers)?;
            let before = self.builder.clone();
            if let Some(var) = self.apply(op, Some(wanted), depth)
                && self.subject.classes().is_assignable(self.builder.type_of(var), wanted)
            {
                return Some(var);
            }
            self.builder = before;
        }
        None
    }

    /// Types to try for type parameters that nothing else decides, in a random order.
    fn preferred_types(&mut self) -> Vec<JavaType> {
        let classes = self.subject.classes();
        let mut types =
            vec![JavaType::class(classes.string()), JavaType::class(classes.boxed(Primitive::Int))];
        if self.rng.chance(0.4) {
            types.swap(0, 1);
        }
        if self.rng.chance(0.1) {
            types.insert(0, classes.object_type());
        }
        types
    }
}
