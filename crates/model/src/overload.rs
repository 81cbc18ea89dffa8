//! Overloads: which other methods the compiler could mean by the same call.

use crate::class::{ClassId, Visibility};
use crate::infer::{Constraint, Inference};
use crate::instance::Instance;
use crate::operation::{OpId, Operation};
use crate::subject::Subject;
use crate::substitution::Substitution;
use crate::subtyping::Conversion;
use crate::types::JavaType;

impl Subject {
    /// Methods of the same name that the compiler considers beside this one; those it overrides
    /// or is overridden by do not count.
    pub fn overloads(&self, instance: &Instance) -> Vec<OpId> {
        let operation = &self[instance.operation];
        let mut found: Vec<OpId> = self
            .lookup_classes(instance)
            .into_iter()
            .flat_map(|class| self.operations_of(class).iter().copied())
            .filter(|other| self.is_overload(&self[*other], operation))
            .collect();
        found.sort_unstable();
        found
    }

    /// The classes in which the compiler looks for the name.
    fn lookup_classes(&self, instance: &Instance) -> Vec<ClassId> {
        let operation = &self[instance.operation];
        if operation.is_constructor() {
            return vec![operation.owner];
        }
        let classes = self.classes();
        let receiver = instance.receiver.as_ref().filter(|_| operation.kind.has_receiver());
        let class = receiver.and_then(|ty| classes.member_class(ty)).unwrap_or(operation.owner);
        classes.ancestors(class).iter().map(|ancestor| ancestor.class).collect()
    }

    fn is_overload(&self, other: &Operation, operation: &Operation) -> bool {
        other.id != operation.id
            && other.kind.is_call()
            && other.is_constructor() == operation.is_constructor()
            && other.name == operation.name
            && parameters(&other.descriptor) != parameters(&operation.descriptor)
            && !self.overrides_either(other, operation)
    }

    /// True if one of the two overrides the other although erasure made them differ:
    /// `compareTo(Integer)` and `compareTo(T)`.
    fn overrides_either(&self, left: &Operation, right: &Operation) -> bool {
        if left.owner == right.owner || left.params.len() != right.params.len() {
            return false;
        }
        let classes = self.classes();
        let (below, above) =
            if classes.is_subclass(left.owner, right.owner) { (left, right) } else { (right, left) };
        let Some(seen) = classes.as_super(&classes.this_type(below.owner), above.owner) else { return false };
        let known = classes.arguments_of(&seen);
        above
            .params
            .iter()
            .zip(&below.params)
            .all(|(above, below)| classes.erasure(&known.up(classes, above)) == classes.erasure(below))
    }

    /// True if the compiler would take a call on a receiver of this type for one of an override that code in `package`
    /// may not call, or, where the receiver is raw, of one that takes something narrower.
    pub fn is_covered(&self, operation: OpId, receiver: &JavaType, package: &str) -> bool {
        let operation = &self[operation];
        let classes = self.classes();
        if operation.is_constructor() {
            return self.is_namesake_found(operation, receiver);
        }
        let Some(class) = classes.member_class(receiver).filter(|_| operation.kind.is_method()) else {
            return false;
        };
        let is_raw = classes.as_super(receiver, operation.owner).is_some_and(|seen| classes.is_raw(&seen));
        let same = |other: &Operation| parameters(&other.descriptor) == parameters(&operation.descriptor);
        classes
            .ancestors(class)
            .iter()
            .map(|between| between.class)
            .filter(|between| *between != operation.owner && classes.is_subclass(*between, operation.owner))
            .flat_map(|between| self.operations_of(between))
            .map(|other| &self[*other])
            .filter(|other| other.kind.is_method() && other.name == operation.name)
            .filter(|other| same(other) || self.overrides_either(other, operation))
            .any(|other| is_raw && !same(other) || !self.is_visible(other, package))
    }

    /// True if `receiver.new Inner()` means another class: one of that name in a class below the one meant.
    fn is_namesake_found(&self, constructor: &Operation, receiver: &JavaType) -> bool {
        let classes = self.classes();
        let outer = constructor.receiver.as_ref().and_then(JavaType::class_id);
        let (Some(outer), Some(class)) = (outer, classes.member_class(receiver)) else { return false };
        let name = &classes[constructor.owner].simple_name;
        let declares =
            |class: ClassId| classes.find(&format!("{}${name}", classes[class].internal_name)).is_some();
        let mut between = classes.ancestors(class).iter().map(|between| between.class);
        between.any(|between| between != outer && classes.is_subclass(between, outer) && declares(between))
    }

    /// True if an override that the compiler finds first says more about what the call gives.
    pub fn gives_less(&self, instance: &Instance) -> bool {
        let operation = &self[instance.operation];
        let classes = self.classes();
        let receiver = instance.receiver.as_ref().filter(|_| operation.kind.is_method());
        let Some(class) = receiver.and_then(|receiver| classes.member_class(receiver)) else { return false };
        let between = classes.ancestors(class).iter().map(|between| between.class);
        between
            .filter(|between| *between != operation.owner && classes.is_subclass(*between, operation.owner))
            .flat_map(|between| self.operations_of(between))
            .map(|other| &self[*other])
            .filter(|other| other.kind.is_method() && other.name == operation.name)
            .filter(|other| other.params.len() == operation.params.len())
            .any(|other| classes.erasure(&other.result) != classes.erasure(&operation.result))
    }

    /// True if code in `package` may call the member, as far as its own visibility tells.
    fn is_visible(&self, member: &Operation, package: &str) -> bool {
        match member.visibility {
            Visibility::Public => true,
            Visibility::Private => false,
            Visibility::Package | Visibility::Protected => &*self[member.owner].package == package,
        }
    }

    /// An overload that takes arguments of exactly the instance's types too, and is not beaten by
    /// it, so that the compiler calls the choice ambiguous.
    ///
    /// Arguments of the declared types always select a method without generics. With generics, the
    /// choice of type arguments can make an overload applicable that is neither more nor less specific.
    pub(crate) fn rival(&self, instance: &Instance) -> Option<OpId> {
        let operation = &self[instance.operation];
        if !operation.kind.is_call() || instance.params.is_empty() || instance.chosen.is_empty() {
            return None;
        }
        self.overloads(instance).into_iter().find(|other| {
            let other = &self[*other];
            other.params.len() == instance.params.len()
                && other.visibility != Visibility::Private
                && self.takes(instance, other, &instance.params, &[])
                && !self.beats(instance, operation, other)
        })
    }

    /// True if `<>` would have the compiler take another constructor: it chooses among them before it looks at the type
    /// that is wanted, so that whatever fits without type arguments counts.
    pub(crate) fn is_misread_with_diamond(&self, instance: &Instance) -> bool {
        let operation = &self[instance.operation];
        self.overloads(instance).into_iter().map(|other| &self[other]).any(|other| {
            other.params.len() == instance.params.len()
                && other.visibility != Visibility::Private
                && self.fits_erased(&instance.params, &other.params)
                && !self.fits_erased(&operation.params, &other.params)
        })
    }

    /// True if a method that has type parameters of its own leaves the compiler a choice when it is given raw arguments:
    /// they fit whatever an overload makes of its type parameters, and neither is more specific.
    pub fn is_blurred(&self, instance: &Instance) -> bool {
        if self[instance.operation].type_params.is_empty() {
            return false;
        }
        self.overloads(instance).into_iter().any(|other| {
            let other = &self[other];
            other.params.len() == instance.params.len() && self.fits_erased(&instance.params, &other.params)
        })
    }

    /// True if arguments of these types fit, whatever their type arguments are.
    fn fits_erased(&self, given: &[JavaType], params: &[JavaType]) -> bool {
        let classes = self.classes();
        let fits = |(given, param): (&JavaType, &JavaType)| {
            classes.is_assignable(&classes.erasure(given), &classes.erasure(param))
        };
        given.iter().zip(params).all(fits)
    }

    /// True if the compiler prefers the instance's operation where both apply.
    fn beats(&self, instance: &Instance, operation: &Operation, other: &Operation) -> bool {
        let own = self.seen_params(instance, operation);
        let theirs = self.seen_params(instance, other);
        self.takes(instance, other, &own, &operation.type_params)
            && !self.takes(instance, operation, &theirs, &other.type_params)
    }

    /// The parameters as the receiver's type arguments leave them: the operation's own type
    /// parameters stay.
    fn seen_params(&self, instance: &Instance, operation: &Operation) -> Vec<JavaType> {
        let known = self.receiver_arguments(instance, operation);
        operation.params.iter().map(|param| known.up(self.classes(), param)).collect()
    }

    fn receiver_arguments(&self, instance: &Instance, operation: &Operation) -> Substitution {
        let classes = self.classes();
        let this =
            if operation.is_constructor() { Some(&instance.result) } else { instance.receiver.as_ref() };
        let seen = this.and_then(|this| classes.as_super(this, operation.owner));
        seen.map(|seen| classes.arguments_of(&seen)).unwrap_or_default()
    }

    /// True if arguments of these types fit; `opaque` variables in them stand for themselves.
    fn takes(
        &self,
        instance: &Instance,
        operation: &Operation,
        given: &[JavaType],
        opaque: &[crate::types::TypeVarId],
    ) -> bool {
        let boxed = |(param, given): (&JavaType, &JavaType)| param.is_primitive() != given.is_primitive();
        if operation.params.iter().zip(given).any(boxed) {
            // Boxing is tried only after all overloads that need none.
            return false;
        }
        let known = self.receiver_arguments(instance, operation);
        let constraints: Vec<Constraint> = operation
            .params
            .iter()
            .zip(given)
            .map(|(param, given)| Constraint::Takes {
                formal: known.up(self.classes(), param),
                given: given.clone(),
            })
            .collect();
        let inference = Inference {
            classes: self.classes(),
            variables: &operation.type_params,
            known: &known,
            constraints: &constraints,
            prefer: &[],
            usable: &|_| true,
            opaque,
        };
        inference.solve().is_some()
    }

    /// Which arguments of these static types must be cast to the parameter's type, so that the
    /// compiler selects this operation and no overload of it.
    pub fn casts_needed(&self, instance: &Instance, given: &[JavaType]) -> Vec<bool> {
        let classes = self.classes();
        let applies = |other: OpId| {
            let other = &self[other];
            let loosely = |(given, param): (&JavaType, &JavaType)| {
                let param = classes.erasure(&instance.chosen.up(classes, param));
                classes.converts(&classes.erasure(given), &param, Conversion::LOOSE)
            };
            other.params.len() == given.len() && given.iter().zip(&other.params).all(loosely)
        };
        let contested = self.overloads(instance).into_iter().any(applies);
        given
            .iter()
            .zip(&instance.params)
            .map(|(given, param)| contested && classes.erasure(given) != classes.erasure(param))
            .collect()
    }
}

/// The part of a descriptor that overriding methods share.
pub(crate) fn parameters(descriptor: &str) -> &str {
    descriptor.split(')').next().unwrap_or_default()
}
