//! An operation with its type parameters chosen.

use crate::access::Reach;
use crate::class::ClassId;
use crate::infer::{Constraint, Inference};
use crate::operation::{OpId, Operation};
use crate::subject::Subject;
use crate::substitution::Substitution;
use crate::types::{JavaType, Primitive, TypeVarId};

/// What an instance of an operation has to fit.
#[derive(Clone, Debug, Default)]
pub struct Demand<'a> {
    /// The type of the value it is used on, if there is one already.
    pub receiver: Option<&'a JavaType>,
    /// The types of its arguments, as far as there are values already; may be shorter than the
    /// parameters.
    pub inputs: &'a [Option<JavaType>],
    /// What the result is needed as.
    pub result: Option<&'a JavaType>,
    /// Types to try first for type parameters that nothing else decides.
    pub prefer: &'a [JavaType],
    /// The package of the code that calls it; with none, classes of any visibility are used.
    pub package: Option<&'a str>,
}

/// An operation whose inputs and result are free of type variables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance {
    /// The operation.
    pub operation: OpId,
    /// The type of the instance it is used on: its owner, or an accessible subclass of it.
    pub receiver: Option<JavaType>,
    /// The types of its arguments.
    pub params: Vec<JavaType>,
    /// The type of its result.
    pub result: JavaType,
    /// The exceptions it declares.
    pub throws: Vec<JavaType>,
    /// What its type parameters, and those of its owner, stand for.
    pub chosen: Substitution,
}

impl Subject {
    /// Chooses types for all type parameters of an operation so that it fits the demand; none if
    /// no choice was found. The compiler will not take a call of the instance for one of an overload.
    pub fn instantiate(&self, operation: OpId, demand: &Demand<'_>) -> Option<Instance> {
        let operation = &self[operation];
        let instance = self.choose(operation, demand)?;
        if self.rival(&instance).is_none() {
            return Some(instance);
        }
        // Overloads that differ only in generics clash for `Object` more than for other types.
        let classes = self.classes();
        let others = [classes.string(), classes.boxed(Primitive::Int), classes.class_class()];
        others.into_iter().find_map(|other| {
            let prefer = [classes.wildcard_type(other)];
            let instance = self.choose(operation, &Demand { prefer: &prefer, ..demand.clone() })?;
            self.rival(&instance).is_none().then_some(instance)
        })
    }

    /// An operation with all generics erased: what the compiler makes of a call with raw arguments.
    pub fn erased(&self, operation: OpId, receiver: Option<&JavaType>) -> Option<Instance> {
        let operation = &self[operation];
        let instance = self.erased_instance(operation, &Demand { receiver, ..Demand::default() })?;
        let is_clear = self.rival(&instance).is_none() && !self.is_blurred(&instance);
        is_clear.then_some(instance)
    }

    fn choose(&self, operation: &Operation, demand: &Demand<'_>) -> Option<Instance> {
        match demand.receiver.and_then(|receiver| self.receiver_view(operation, receiver)) {
            Some(View::Erased) => self.erased_instance(operation, demand),
            Some(View::Known(known)) => self.seen_instance(operation, demand, &known),
            None if demand.receiver.is_some() => None,
            None => {
                self.free_instance(operation, demand).or_else(|| self.wildcard_instance(operation, demand))
            }
        }
    }

    /// `T extends Base<T>` has no answer while no class extends `Base`; a `Base<?>` can still be asked.
    fn wildcard_instance(&self, operation: &Operation, demand: &Demand<'_>) -> Option<Instance> {
        let through = self.reached_through(operation, demand.package)?;
        if !operation.kind.has_receiver() || !self.classes().is_generic(through) {
            return None;
        }
        let receiver = self.classes().wildcard_type(through);
        self.choose(operation, &Demand { receiver: Some(&receiver), ..demand.clone() })
    }

    /// The class through which an operation is used: by code in a package if there is one, by reflection if need be.
    fn reached_through(&self, operation: &Operation, package: Option<&str>) -> Option<ClassId> {
        let Some(package) = package else { return Some(operation.owner) };
        match self.through(operation.id, package) {
            Ok(through) => Some(through),
            Err(_) => self.check_private(operation.id, package).ok().map(|()| operation.owner),
        }
    }

    /// How an operation looks on a receiver of this type; none if it is not one of its members.
    fn receiver_view(&self, operation: &Operation, receiver: &JavaType) -> Option<View> {
        let wanted = operation.receiver.as_ref()?.class_id()?;
        let classes = self.classes();
        let seen = classes.as_super(receiver, wanted)?;
        let raw = classes.is_raw(&seen);
        Some(if raw { View::Erased } else { View::Known(classes.arguments_of(&seen)) })
    }

    /// On a raw receiver all of a member's generics are erased.
    fn erased_instance(&self, operation: &Operation, demand: &Demand<'_>) -> Option<Instance> {
        let classes = self.classes();
        let erased = |types: &[JavaType]| types.iter().map(|ty| classes.erasure(ty)).collect::<Vec<_>>();
        let instance = Instance {
            operation: operation.id,
            receiver: demand.receiver.cloned(),
            params: erased(&operation.params),
            result: classes.erasure(&operation.result),
            throws: erased(&operation.throws),
            chosen: Substitution::default(),
        };
        self.meets(&instance, demand).then_some(instance)
    }

    fn meets(&self, instance: &Instance, demand: &Demand<'_>) -> bool {
        let conversion = crate::Conversion::BOXING;
        let classes = self.classes();
        let fits = |(given, param): (&Option<JavaType>, &JavaType)| {
            given.as_ref().is_none_or(|given| classes.converts(given, param, conversion))
        };
        demand.inputs.iter().zip(&instance.params).all(fits)
            && demand.result.is_none_or(|wanted| classes.converts(&instance.result, wanted, conversion))
    }

    /// On a receiver whose type arguments are known, wildcards perhaps, only the operation's own
    /// type parameters are open.
    fn seen_instance(
        &self,
        operation: &Operation,
        demand: &Demand<'_>,
        known: &Substitution,
    ) -> Option<Instance> {
        let classes = self.classes();
        let params: Option<Vec<JavaType>> =
            operation.params.iter().map(|param| known.down(classes, param)).collect();
        // An inner class's own parameters are open even though its outer instance is known.
        let mut open = operation.type_params.clone();
        if operation.is_constructor() {
            open.extend(&classes[operation.owner].type_params);
        }
        let shape = Shape {
            operation,
            receiver: demand.receiver.cloned(),
            params: params?,
            result: known.up(classes, &operation.result),
            throws: operation.throws.iter().map(|thrown| known.up(classes, thrown)).collect(),
            open,
        };
        self.solve(&shape, demand, known)
    }

    /// Without a receiver all type parameters are open.
    fn free_instance(&self, operation: &Operation, demand: &Demand<'_>) -> Option<Instance> {
        let classes = self.classes();
        let through = self.reached_through(operation, demand.package)?;
        let mut open = Vec::new();
        let mut known = Substitution::default();
        let mut receiver = operation.receiver.clone();
        if operation.kind.has_receiver() {
            open = classes.all_type_params(through);
            let this = classes.this_type(through);
            let seen = classes.as_super(&this, operation.owner)?;
            if classes.is_raw(&seen) {
                let demand = Demand { receiver: Some(&this), ..demand.clone() };
                return self.erased_instance(operation, &demand).filter(|_| this.is_ground());
            }
            if through != operation.owner {
                known = classes.arguments_of(&seen);
            }
            receiver = Some(this);
        } else if operation.is_constructor() {
            open = classes.all_type_params(operation.owner);
        }
        open.extend(&operation.type_params);
        let shape = Shape {
            operation,
            receiver,
            params: operation.params.iter().map(|param| known.up(classes, param)).collect(),
            result: known.up(classes, &operation.result),
            throws: operation.throws.iter().map(|thrown| known.up(classes, thrown)).collect(),
            open,
        };
        self.solve(&shape, demand, &known)
    }

    fn solve(&self, shape: &Shape<'_>, demand: &Demand<'_>, known: &Substitution) -> Option<Instance> {
        let classes = self.classes();
        let mut constraints: Vec<Constraint> = Vec::new();
        for (given, formal) in demand.inputs.iter().zip(&shape.params) {
            if let Some(given) = given {
                constraints.push(Constraint::Takes { formal: formal.clone(), given: given.clone() });
            }
        }
        if let Some(wanted) = demand.result {
            constraints.push(Constraint::Gives { formal: shape.result.clone(), wanted: wanted.clone() });
        }
        let reach = Reach { classes, package: demand.package };
        let usable = |class: ClassId| reach.class_usable(class);
        let chosen = Inference {
            classes,
            variables: &shape.open,
            known,
            constraints: &constraints,
            prefer: demand.prefer,
            usable: &usable,
            opaque: &[],
        }
        .solve()?;
        let up = |ty: &JavaType| chosen.up(classes, ty);
        Some(Instance {
            operation: shape.operation.id,
            receiver: shape.receiver.as_ref().map(up),
            params: shape.params.iter().map(up).collect(),
            result: up(&shape.result),
            throws: shape.throws.iter().map(up).collect(),
            chosen,
        })
    }
}

enum View {
    Erased,
    Known(Substitution),
}

/// An operation's types with only the `open` variables left in them.
struct Shape<'a> {
    operation: &'a Operation,
    receiver: Option<JavaType>,
    params: Vec<JavaType>,
    result: JavaType,
    throws: Vec<JavaType>,
    open: Vec<TypeVarId>,
}
