//! What is asked: the calls that are appended to a sequence to show whether a contract holds.

use std::sync::Arc;

use jurat_model::{
    Action, ClassId, Demand, JavaType, Literal, OpId, OperationKind, Sequence, SequenceBuilder, Subject, Var,
};

use super::Contract;
use super::specimen::Specimen;

/// More elements than this are not counted.
pub(crate) const MOST_ELEMENTS: usize = 12;

/// A contract put to the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The contract.
    pub contract: Contract,
    /// What makes the values.
    pub prefix: Sequence,
    /// The values that the contract speaks of.
    pub values: Vec<Var>,
    /// The run-time classes of the values.
    pub classes: Vec<ClassId>,
    /// How a clone is changed and how its original is looked at.
    pub change: Option<Change>,
}

/// How a clone is changed and how its original is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The call that changes.
    pub mutator: OpId,
    /// The call that looks.
    pub observer: OpId,
    /// Which arguments the change is given.
    pub pattern: u8,
}

/// The whole sequence of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The prefix and the calls that ask.
    pub sequence: Sequence,
    /// The calls whose results answer, in the order that the contract wants them.
    pub answers: Vec<Var>,
}

impl Trial {
    /// A trial of values made one after the other.
    pub(crate) fn of(contract: Contract, specimens: &[&Specimen]) -> Self {
        let mut builder = SequenceBuilder::default();
        let mut values = Vec::new();
        for specimen in specimens {
            let shift = builder.append(&specimen.sequence);
            values.push(Var::from_index(specimen.var.index() + shift));
        }
        let classes = specimens.iter().map(|specimen| specimen.class).collect();
        Self { contract, prefix: builder.build(), values, classes, change: None }
    }

    /// The sequence to run, or none if the calls cannot be written down in this package.
    pub fn ask(&self, subject: &Subject, package: &str) -> Option<Asked> {
        let mut asking = Asker { subject, package, builder: SequenceBuilder::after(&self.prefix) };
        let answers = asking.append(self)?;
        Some(Asked { sequence: asking.builder.build(), answers })
    }
}

struct Asker<'a> {
    subject: &'a Subject,
    package: &'a str,
    builder: SequenceBuilder,
}

impl Asker<'_> {
    fn append(&mut self, trial: &Trial) -> Option<Vec<Var>> {
        let at = |position: usize| trial.values.get(position).copied();
        let x = at(0)?;
        Some(match trial.contract {
            Contract::EqualsReflexive => vec![self.call(x, "equals", &[x])?],
            Contract::EqualsNull => {
                let null =
                    self.builder.push(Action::Literal(Literal::Null), self.subject.classes().object_type());
                vec![self.call(x, "equals", &[null])?]
            }
            Contract::HashCodeReturns => vec![self.call(x, "hashCode", &[])?],
            Contract::ToStringReturns => vec![self.call(x, "toString", &[])?],
            Contract::CompareToReturns => vec![self.call(x, "compareTo", &[x])?],
            Contract::SizeAgrees => {
                let size = self.call(x, "size", &[])?;
                let iterator = self.call(x, "iterator", &[])?;
                let mut answers = vec![size, iterator];
                for _ in 0..=MOST_ELEMENTS {
                    answers.push(self.call(iterator, "next", &[])?);
                }
                answers
            }
            Contract::ToArrayAgrees => vec![self.call(x, "size", &[])?, self.call(x, "toArray", &[])?],
            Contract::CloneDistinct | Contract::CloneSameClass => vec![self.call(x, "clone", &[])?],
            Contract::CloneEqual => {
                let clone = self.call(x, "clone", &[])?;
                vec![self.call(clone, "equals", &[x])?]
            }
            Contract::CloneIndependent => self.changed_clone(x, trial.change?)?,
            Contract::EqualsSymmetric => {
                let y = at(1)?;
                vec![self.call(x, "equals", &[y])?, self.call(y, "equals", &[x])?]
            }
            Contract::HashCodeAgrees => {
                let y = at(1)?;
                let equal = self.call(x, "equals", &[y])?;
                vec![equal, self.call(x, "hashCode", &[])?, self.call(y, "hashCode", &[])?]
            }
            Contract::CompareToAntisymmetric => {
                let y = at(1)?;
                vec![self.call(x, "compareTo", &[y])?, self.call(y, "compareTo", &[x])?]
            }
            Contract::EqualsTransitive | Contract::CompareToTransitive | Contract::CompareToConsistent => {
                let (y, z) = (at(1)?, at(2)?);
                let name = if trial.contract == Contract::EqualsTransitive { "equals" } else { "compareTo" };
                vec![self.call(x, name, &[y])?, self.call(y, name, &[z])?, self.call(x, name, &[z])?]
            }
            Contract::ComparatorReturns
            | Contract::ComparatorAntisymmetric
            | Contract::ComparatorTransitive
            | Contract::ComparatorConsistent => self.compared(trial.contract, x, &trial.values[1..])?,
            Contract::Predicate(op) => vec![self.apply(op, Some(x), &[])?],
            Contract::UserCheck(op) => vec![self.apply(op, None, &[x])?],
            Contract::NoAssertionError
            | Contract::NoError
            | Contract::NoNullPointer
            | Contract::EqualsReturns => return None,
        })
    }

    /// What a comparator says of values.
    fn compared(&mut self, contract: Contract, comparator: Var, values: &[Var]) -> Option<Vec<Var>> {
        let [x, y, z] = *values else { return None };
        let pairs = match contract {
            Contract::ComparatorReturns => vec![[x, y]],
            Contract::ComparatorAntisymmetric => vec![[x, y], [y, x]],
            _ => vec![[x, y], [y, z], [x, z]],
        };
        pairs.iter().map(|pair| self.call(comparator, "compare", pair)).collect()
    }

    /// What an observer says before and after a clone is changed.
    fn changed_clone(&mut self, original: Var, change: Change) -> Option<Vec<Var>> {
        let before = self.apply(change.observer, Some(original), &[])?;
        let clone = self.call(original, "clone", &[])?;
        let clone = self.seen_as(clone, original);
        let mut arguments = Vec::new();
        for (position, param) in self.subject[change.mutator].params.clone().iter().enumerate() {
            let number = i8::from(change.pattern == 0 || position > 0);
            arguments.push(self.argument(param, number)?);
        }
        self.apply(change.mutator, Some(clone), &arguments)?;
        let after = self.apply(change.observer, Some(original), &[])?;
        Some(vec![before, after])
    }

    /// A clone that is declared as something above its class is cast to it.
    fn seen_as(&mut self, value: Var, like: Var) -> Var {
        let wanted = self.builder.type_of(like).clone();
        if self.subject.classes().is_assignable(self.builder.type_of(value), &wanted) {
            return value;
        }
        self.builder.push(Action::Cast { value }, wanted)
    }

    /// A simple value of a type.
    fn argument(&mut self, ty: &JavaType, number: i8) -> Option<Var> {
        use jurat_model::Primitive as P;
        let classes = self.subject.classes();
        let literal = match ty {
            JavaType::Primitive(primitive) => match primitive {
                P::Boolean => Literal::Boolean(true),
                P::Byte => Literal::Byte(number),
                P::Short => Literal::Short(number.into()),
                P::Char => Literal::Char(u16::from(b'b')),
                P::Int => Literal::Int(number.into()),
                P::Long => Literal::Long(number.into()),
                P::Float => Literal::Float(f32::from(number).to_bits()),
                P::Double => Literal::Double(f64::from(number).to_bits()),
            },
            _ if ty.class_id() == Some(classes.string()) || ty.class_id() == Some(classes.object()) => {
                let text = self
                    .builder
                    .push(Action::Literal(Literal::String("b".into())), JavaType::class(classes.string()));
                return Some(text);
            }
            _ => {
                let fits = |var: &Var| classes.is_assignable(self.builder.type_of(*var), ty);
                return self.builder.vars().find(fits);
            }
        };
        Some(self.builder.push(Action::Literal(literal), ty.clone()))
    }

    /// Calls the method of this name that the value's static type has.
    fn call(&mut self, receiver: Var, name: &str, arguments: &[Var]) -> Option<Var> {
        let class = self.builder.type_of(receiver).class_id()?;
        let op = method(self.subject, class, name, arguments.len())?;
        self.apply(op, Some(receiver), arguments)
    }

    fn apply(&mut self, op: OpId, receiver: Option<Var>, arguments: &[Var]) -> Option<Var> {
        let receiver_type = receiver.map(|var| self.builder.type_of(var).clone());
        let given: Vec<Option<JavaType>> = arguments
            .iter()
            .map(|var| (!self.builder.is_null(*var)).then(|| self.builder.type_of(*var).clone()))
            .collect();
        let demand = Demand {
            receiver: receiver_type.as_ref(),
            inputs: &given,
            package: Some(self.package),
            ..Demand::default()
        };
        self.subject.check_operation(op, self.package).ok()?;
        let instance = self.subject.instantiate(op, &demand)?;
        let ty = if instance.result.is_void() {
            JavaType::Void
        } else {
            self.subject.classes().denotable(&instance.result, self.package)
        };
        let inputs = receiver.into_iter().chain(arguments.iter().copied()).collect();
        Some(self.builder.push(Action::Call { instance: Arc::new(instance), inputs }, ty))
    }
}

/// The method of this name and number of parameters that a class declares or inherits: that of the nearest
/// superclass, then of an interface, and at last of `Object`.
pub(crate) fn method(subject: &Subject, class: ClassId, name: &str, params: usize) -> Option<OpId> {
    let classes = subject.classes();
    let mut above = Some(class).filter(|class| *class != classes.object());
    while let Some(at) = above {
        if let Some(op) = declared(subject, at, name, params) {
            return Some(op);
        }
        let next = subject[at].superclass.as_ref().and_then(JavaType::class_id);
        above = next.filter(|next| *next != classes.object());
    }
    let inherited = classes.ancestors(class).iter().map(|ancestor| ancestor.class);
    let interfaces = inherited.filter(|ancestor| *ancestor != classes.object());
    interfaces.chain([classes.object()]).find_map(|ancestor| declared(subject, ancestor, name, params))
}

/// As [`method`], but none if only `Object` declares it.
pub(crate) fn overridden(subject: &Subject, class: ClassId, name: &str, params: usize) -> Option<OpId> {
    method(subject, class, name, params).filter(|op| subject[*op].owner != subject.classes().object())
}

fn declared(subject: &Subject, class: ClassId, name: &str, params: usize) -> Option<OpId> {
    subject.operations_of(class).iter().copied().find(|op| {
        let operation = &subject[*op];
        operation.kind == OperationKind::InstanceMethod
            && &*operation.name == name
            && operation.params.len() == params
            && (name != "equals" || &*operation.descriptor == "(Ljava/lang/Object;)Z")
    })
}
