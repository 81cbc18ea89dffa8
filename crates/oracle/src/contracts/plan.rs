//! Which contracts are tried on which values: every class in turn, pairs and triples sampled.

use std::collections::BTreeMap;

use jurat_model::{ClassId, JavaType, Literal, OpId, OperationKind, Primitive, Subject, Visibility};

use super::question::{Change, Trial, method, overridden};
use super::specimen::Specimen;
use super::{Contract, OF_COMPARATOR, OF_ONE, OF_THREE, OF_TWO, Rules};

/// How much is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking {
    /// About how many trials there may be in all.
    pub trials: usize,
}

/// The fewest trials of one class, whatever their number.
const LEAST: usize = 16;
/// The most trials of one class.
const MOST: usize = 600;
/// How many ways to change a clone, and to look at its original, are tried.
const MUTATORS: usize = 6;
const OBSERVERS: usize = 3;
/// How many values of a class take part in pairs, and in triples.
const PAIRED: usize = 10;
const TRIPLED: usize = 4;
/// How many comparators of a class are asked, and about how many values.
const COMPARATORS: usize = 4;
const COMPARED: usize = 6;

/// The trials of all classes, in an order that is fair to each.
pub fn trials(
    subject: &Subject,
    specimens: &BTreeMap<ClassId, Vec<Specimen>>,
    rules: &Rules,
    asking: Asking,
) -> Vec<Trial> {
    let share = (asking.trials / specimens.len().max(1)).clamp(LEAST, MOST);
    let mut queues: Vec<std::vec::IntoIter<Trial>> = specimens
        .keys()
        .map(|class| {
            let mut of_class = of_class(subject, *class, specimens, rules);
            of_class.truncate(share);
            of_class.into_iter()
        })
        .collect();
    let mut trials = Vec::new();
    while !queues.is_empty() && trials.len() < asking.trials {
        queues.retain_mut(|queue| match queue.next() {
            Some(trial) => {
                trials.push(trial);
                true
            }
            None => false,
        });
    }
    trials
}

fn of_class(
    subject: &Subject,
    class: ClassId,
    specimens: &BTreeMap<ClassId, Vec<Specimen>>,
    rules: &Rules,
) -> Vec<Trial> {
    let own = specimens.get(&class).map(Vec::as_slice).unwrap_or_default();
    let applies = |contract: Contract| rules.has(contract) && applies(subject, class, contract);
    let mut trials = Vec::new();
    let mut ones: Vec<Contract> = OF_ONE.into_iter().filter(|contract| applies(*contract)).collect();
    ones.extend(of_user(subject, class, rules));
    for contract in ones {
        for specimen in own {
            if contract == Contract::CloneIndependent {
                trials.extend(clones(subject, specimen));
            } else {
                trials.push(Trial::of(contract, &[specimen]));
            }
        }
    }
    trials.extend(comparisons(subject, class, specimens, rules));
    let values: Vec<Specimen> = interleaved(&own.iter().map(Specimen::variants).collect::<Vec<_>>());
    let twos: Vec<Contract> = OF_TWO.into_iter().filter(|contract| applies(*contract)).collect();
    let mut pairs = Vec::new();
    if !twos.is_empty() {
        pairs = paired(&values, &relatives(subject, class, specimens));
    }
    let threes: Vec<Contract> = OF_THREE.into_iter().filter(|contract| applies(*contract)).collect();
    let tripled = &values[..values.len().min(TRIPLED)];
    for (position, (one, other)) in pairs.iter().enumerate() {
        trials.extend(twos.iter().map(|contract| Trial::of(*contract, &[one, other])));
        // Triples come in between, lest the pairs take all there is to spend.
        let third = tripled.get(position % TRIPLED);
        if let Some(third) = third {
            trials.extend(threes.iter().map(|contract| Trial::of(*contract, &[one, other, third])));
        }
    }
    trials
}

/// What is asked of comparators: each with values it can compare, three at a time.
fn comparisons(
    subject: &Subject,
    class: ClassId,
    specimens: &BTreeMap<ClassId, Vec<Specimen>>,
    rules: &Rules,
) -> Vec<Trial> {
    let comparator = subject.classes().find("java/util/Comparator");
    let comparator = comparator.filter(|comparator| subject.classes().is_subclass(class, *comparator));
    let Some(comparator) = comparator.filter(|_| overridden(subject, class, "compare", 2).is_some()) else {
        return Vec::new();
    };
    let own = specimens.get(&class).map(Vec::as_slice).unwrap_or_default();
    let mut trials = Vec::new();
    for specimen in own.iter().take(COMPARATORS) {
        let compared = compared(subject, specimen, comparator, specimens);
        let count = compared.len();
        if count < 3 {
            continue;
        }
        for position in 0..count * 2 {
            // Neighbours first, then those further apart.
            let step = 1 + position / count;
            let [x, y, z] = [0, step, step * 2].map(|shift| &compared[(position + shift) % count]);
            let asked = OF_COMPARATOR.into_iter().filter(|contract| rules.has(*contract));
            trials.extend(asked.map(|contract| Trial::of(contract, &[specimen, x, y, z])));
        }
    }
    trials
}

/// Values that a comparator can compare: of a class under test if it says so, numbers or strings otherwise.
fn compared(
    subject: &Subject,
    specimen: &Specimen,
    comparator: ClassId,
    specimens: &BTreeMap<ClassId, Vec<Specimen>>,
) -> Vec<Specimen> {
    let classes = subject.classes();
    let seen = classes.as_super(specimen.sequence.type_of(specimen.var), comparator);
    let wanted = seen.and_then(|seen| seen.args().first().and_then(|arg| arg.bound()?.class_id()));
    if let Some(own) = wanted.and_then(|wanted| specimens.get(&wanted)) {
        let variants: Vec<Vec<Specimen>> = own.iter().map(Specimen::variants).collect();
        return interleaved(&variants).into_iter().take(COMPARED).collect();
    }
    let integer = classes.boxed(Primitive::Int);
    let literals: Vec<Literal> = if wanted == Some(integer) {
        [1, i32::MAX, i32::MIN, 0, -1].map(Literal::Int).to_vec()
    } else {
        ["b", "", "a", "ab", "B"].map(|text| Literal::String(text.into())).to_vec()
    };
    let class = if wanted == Some(integer) { integer } else { classes.string() };
    literals.into_iter().map(|literal| Specimen::literal(literal, class)).collect()
}

/// One of each list, then the next of each.
fn interleaved(lists: &[Vec<Specimen>]) -> Vec<Specimen> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|at| lists.iter().filter_map(move |list| list.get(at).cloned())).collect()
}

/// Pairs of values, each also with literals made alike.
fn paired(own: &[Specimen], relatives: &[Specimen]) -> Vec<(Specimen, Specimen)> {
    let own = &own[..own.len().min(PAIRED)];
    let mut pairs = Vec::new();
    for (position, one) in own.iter().enumerate() {
        for other in own[..=position].iter().chain(relatives) {
            pairs.extend(other.aligned(one).map(|aligned| (one.clone(), aligned)));
            pairs.push((one.clone(), other.clone()));
        }
    }
    pairs
}

/// Values of other classes below the same class under test.
fn relatives(
    subject: &Subject,
    class: ClassId,
    specimens: &BTreeMap<ClassId, Vec<Specimen>>,
) -> Vec<Specimen> {
    let root = root(subject, class);
    let others =
        specimens.iter().filter(|(other, _)| **other != class && self::root(subject, **other) == root);
    others.flat_map(|(_, specimens)| specimens.iter().take(2).cloned()).take(PAIRED).collect()
}

/// The topmost class under test above a class.
fn root(subject: &Subject, class: ClassId) -> ClassId {
    let mut root = class;
    let mut above = Some(class);
    while let Some(at) = above {
        if subject[at].under_test {
            root = at;
        }
        above = subject[at].superclass.as_ref().and_then(JavaType::class_id);
    }
    root
}

/// True if the class promises what the contract says.
fn applies(subject: &Subject, class: ClassId, contract: Contract) -> bool {
    let has = |name: &str, params: usize| overridden(subject, class, name, params).is_some();
    let clones = || {
        let cloneable = subject.classes().find("java/lang/Cloneable");
        let is_cloneable = cloneable.is_some_and(|cloneable| subject.classes().is_subclass(class, cloneable));
        is_cloneable && has("clone", 0)
    };
    match contract {
        Contract::EqualsReflexive
        | Contract::EqualsNull
        | Contract::EqualsSymmetric
        | Contract::EqualsTransitive
        | Contract::HashCodeAgrees => has("equals", 1),
        Contract::HashCodeReturns => has("hashCode", 0),
        Contract::ToStringReturns => has("toString", 0),
        Contract::CompareToAntisymmetric
        | Contract::CompareToTransitive
        | Contract::CompareToConsistent
        | Contract::CompareToReturns => {
            subject.classes().is_subclass(class, subject.classes().comparable()) && has("compareTo", 1)
        }
        Contract::SizeAgrees => {
            let iterable = subject.classes().find("java/lang/Iterable");
            iterable.is_some_and(|iterable| subject.classes().is_subclass(class, iterable))
                && has("size", 0)
                && has("iterator", 0)
        }
        Contract::ToArrayAgrees => has("size", 0) && has("toArray", 0),
        Contract::CloneDistinct | Contract::CloneSameClass | Contract::CloneIndependent => clones(),
        Contract::CloneEqual => clones() && has("equals", 1),
        _ => false,
    }
}

/// Predicates of the class, and checks of the user that take a value of it.
fn of_user(subject: &Subject, class: ClassId, rules: &Rules) -> Vec<Contract> {
    let classes = subject.classes();
    let ancestors = classes.ancestors(class).iter().map(|ancestor| ancestor.class);
    let predicates =
        ancestors.flat_map(|ancestor| &subject[ancestor].predicates).map(|op| Contract::Predicate(*op));
    let this = classes.wildcard_type(class);
    let checks = subject.operations().iter().filter(|operation| {
        operation.kind == OperationKind::StaticMethod
            && operation.result == JavaType::BOOLEAN
            && matches!(operation.params.as_slice(), [param] if classes.is_assignable(&this, &classes.erasure(param)))
            && rules.checks.iter().any(|check| *check == *subject.member_name(operation))
    });
    let checks = checks.map(|operation| Contract::UserCheck(operation.id));
    predicates.chain(checks).filter(|contract| rules.has(*contract)).collect()
}

/// The ways to change a clone of a value and to look at the value.
fn clones(subject: &Subject, specimen: &Specimen) -> Vec<Trial> {
    let visible = |op: &&OpId| {
        let operation = &subject[**op];
        operation.kind == OperationKind::InstanceMethod && operation.visibility == Visibility::Public
    };
    let mut owner = Some(specimen.class);
    let mut own: Vec<OpId> = Vec::new();
    while let Some(class) = owner.filter(|class| subject[*class].under_test) {
        own.extend(subject.operations_of(class).iter().filter(visible));
        owner = subject[class].superclass.as_ref().and_then(JavaType::class_id);
    }
    let is_plain = |op: &OpId| {
        let result = &subject[*op].result;
        result.is_primitive() || result.class_id() == Some(subject.classes().string())
    };
    let identity = method(subject, specimen.class, "hashCode", 0);
    let observers =
        own.iter().filter(|op| subject[**op].params.is_empty() && is_plain(op) && Some(**op) != identity);
    let observers: Vec<OpId> = observers.copied().take(OBSERVERS).collect();
    let mutators = own.iter().filter(|op| {
        let operation = &subject[**op];
        (1..=3).contains(&operation.params.len())
            && &*operation.name != "equals"
            && &*operation.name != "compareTo"
            || operation.params.is_empty() && operation.result.is_void()
    });
    let mutators: Vec<OpId> = mutators.copied().take(MUTATORS).collect();
    let mut trials = Vec::new();
    for mutator in mutators {
        for &observer in &observers {
            for pattern in 0..2 {
                let trial = Trial::of(Contract::CloneIndependent, &[specimen]);
                trials.push(Trial { change: Some(Change { mutator, observer, pattern }), ..trial });
            }
        }
    }
    trials
}
