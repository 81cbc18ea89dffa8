//! Structures as inputs for other strategies: the classes under test that have a predicate are enumerated, and those of
//! their structures that public operations make become candidates, alone and with one more call.

use std::collections::BTreeSet;
use std::sync::Arc;

use jurat_classpath::ClassPath;
use jurat_emit::structures::{Recipe, Step, Term};
use jurat_exhaustive::{Finitization, Space, Structure};
use jurat_model::{
    Action, Candidate, ClassId, Demand, JavaType, Literal, OpId, OperationKind, Primitive, Sequence,
    SequenceBuilder, Subject, Technique, Var,
};
use jurat_pool::PoolConfig;

use super::crew::Crew;
use super::method::values;
use super::operations::{by_operations, fingerprints};
use super::program::{Table, parameters};
use super::recipes::recipe;
use super::{EnumerateConfig, PREDICATES, Target, enumerate};
use crate::error::RunError;
use crate::permits::Allowed;
use crate::wanted::GoalKind;
use crate::wire::primitive_of;

/// The largest size that is tried.
const LARGEST: u32 = 4;
/// Searches that would be longer are not begun.
const LONGEST: f64 = 300_000.0;
/// Structures of one class that are offered at most.
const STRUCTURES: u64 = 200;
/// Calls of one method on one structure at most.
const CALLS: usize = 24;
/// Candidates of one class at most.
const CANDIDATES: usize = 8_192;

/// Candidates that are run before strategies propose their own, and which strategies do.
#[derive(Clone, Debug, Default)]
pub struct Offered {
    /// The candidates.
    pub candidates: Vec<Candidate>,
    /// Whether calls are made at random.
    pub random: bool,
    /// Whether sequences evolve towards branches.
    pub search: bool,
    /// Whether exploring is blind: what happens does not decide what comes next.
    pub blind: bool,
    /// Which last resorts exploring may take.
    pub allowed: Allowed,
    /// The kinds of goals that tests are written for; all if empty.
    pub goals: BTreeSet<GoalKind>,
}

/// What enumerating one class gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedClass {
    /// The class, as Java names it.
    pub class: String,
    /// The size it was enumerated at.
    pub size: u32,
    /// Its valid structures.
    pub valid: u64,
    /// Structures that public operations make.
    pub made: usize,
}

/// Enumerates the classes under test that have a predicate. `go_on` is asked between classes.
pub fn offer(
    subject: &Subject,
    path: &ClassPath,
    pool: &PoolConfig,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<(Vec<Candidate>, Vec<OfferedClass>), RunError> {
    let (mut candidates, mut classes) = (Vec::new(), Vec::new());
    let mut crew = None;
    for class in subject.under_test().filter(|class| has_predicate(subject, *class)) {
        if !go_on() {
            break;
        }
        let name = subject[class].internal_name.replace('/', ".");
        // A class that looks as if it had a predicate and has none is not worth a word here.
        let Ok(target) = Target::read(path, &name, None) else { continue };
        let crew = match &mut crew {
            Some(crew) => crew,
            none => none.insert(Crew::start(pool)?),
        };
        let mut offering = Offering {
            subject,
            package: subject.test_package(class),
            target,
            pool,
            crew,
            table: Table::default(),
        };
        if let Some(found) = offering.class(class, &mut candidates, go_on)? {
            classes.push(found);
        }
    }
    Ok((candidates, classes))
}

fn has_predicate(subject: &Subject, class: ClassId) -> bool {
    let declared = &subject[class];
    !declared.is_abstract
        && subject.operations_of(class).iter().any(|op| {
            let operation = &subject[*op];
            operation.kind == OperationKind::InstanceMethod
                && PREDICATES.contains(&&*operation.name)
                && operation.params.is_empty()
                && operation.result == JavaType::Primitive(Primitive::Boolean)
        })
}

/// The structures of one class.
struct Searched {
    size: u32,
    space: Space,
    valid: u64,
    recipes: Vec<Recipe>,
}

struct Offering<'a> {
    subject: &'a Subject,
    package: Arc<str>,
    target: Target,
    pool: &'a PoolConfig,
    crew: &'a mut Crew,
    table: Table,
}

impl Offering<'_> {
    fn class(
        &mut self,
        class: ClassId,
        candidates: &mut Vec<Candidate>,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<OfferedClass>, RunError> {
        let Some(Searched { size, space, valid, recipes }) = self.recipes(go_on)? else { return Ok(None) };
        let hashes = fingerprints(self.crew, &mut self.table, &recipes)?;
        let wanted: BTreeSet<u64> = hashes.iter().flatten().copied().collect();
        let found = by_operations(&self.target, &space, self.crew, &mut self.table, &wanted)?;
        let room = candidates.len() + CANDIDATES;
        let mut made = 0;
        for recipe in hashes.iter().flatten().filter_map(|hash| found.get(hash)) {
            let Some((sequence, vars)) = self.sequence(recipe) else { continue };
            made += 1;
            let calls = self.calls(class, &space, recipe, &sequence, &vars);
            let all = std::iter::once(sequence).chain(calls);
            candidates.extend(all.map(|sequence| Candidate {
                sequence,
                package: Some(self.package.clone()),
                technique: Technique::Exhaustive,
            }));
            candidates.truncate(room);
        }
        let class = self.subject[class].source_name.to_string();
        Ok(Some(OfferedClass { class, size, valid, made }))
    }

    /// The structures of the largest size that is searched in a moment.
    fn recipes(&self, go_on: &(dyn Fn() -> bool + Sync)) -> Result<Option<Searched>, RunError> {
        let mut best = None;
        for size in 1..=LARGEST {
            let bounds = Finitization::derive(&self.target.shape, size);
            let Ok(space) = Space::new(&bounds) else { break };
            let config = EnumerateConfig {
                pool: PoolConfig { probes: jurat_protocol::Probes::default(), ..self.pool.clone() },
                bounds,
                from: None,
                keep: STRUCTURES,
                endless: false,
                longest: LONGEST,
            };
            let found = match enumerate(&self.target, &config, &|_| go_on()) {
                Ok(found) => found,
                // Too long a search, or a class that cannot be watched.
                Err(RunError::Usage(_)) => break,
                Err(error) => return Err(error),
            };
            if found.rest.is_some() {
                break;
            }
            let recipes = found
                .kept
                .iter()
                .filter_map(|vector| recipe(&self.target, &Structure::from_choices(&space, vector)))
                .collect();
            let enough = found.tally.valid >= STRUCTURES;
            best = Some(Searched { size, space, valid: found.tally.valid, recipes });
            if enough {
                break;
            }
        }
        Ok(best)
    }

    /// A structure with one more call, for every method that a test may call.
    fn calls(
        &self,
        class: ClassId,
        space: &Space,
        recipe: &Recipe,
        sequence: &Sequence,
        vars: &[Option<Var>],
    ) -> Vec<Sequence> {
        let mut calls = Vec::new();
        let Some(root) = vars.get(recipe.root).copied().flatten() else { return calls };
        for op in self.subject.operations_of(class).iter().copied() {
            let operation = &self.subject[op];
            let callable = operation.kind == OperationKind::InstanceMethod
                && self.subject.check_operation(op, &self.package).is_ok();
            if !callable {
                continue;
            }
            for args in self.tuples(space, recipe, &operation.descriptor) {
                let mut writer = Writer { offering: self, builder: SequenceBuilder::after(sequence) };
                if writer.call(op, Some(root), &args, vars).is_some() {
                    calls.push(writer.builder.build());
                }
            }
        }
        calls
    }

    fn tuples(&self, space: &Space, recipe: &Recipe, descriptor: &str) -> Vec<Vec<Term>> {
        let mut tuples = vec![Vec::new()];
        for param in parameters(descriptor) {
            let values = values(&self.target, space, recipe, &param);
            let longer = tuples.iter().flat_map(|tuple| {
                values.iter().map(move |value| [tuple.as_slice(), std::slice::from_ref(value)].concat())
            });
            tuples = longer.take(CALLS).collect();
        }
        tuples
    }

    /// A recipe as a sequence, with the value that each step makes.
    fn sequence(&self, recipe: &Recipe) -> Option<(Sequence, Vec<Option<Var>>)> {
        let mut writer = Writer { offering: self, builder: SequenceBuilder::default() };
        let mut vars: Vec<Option<Var>> = Vec::new();
        for step in &recipe.steps {
            let var = match step {
                Step::New { class, descriptor, args } => {
                    let op = self.operation(class, "<init>", descriptor)?;
                    writer.call(op, None, args, &vars)?
                }
                Step::Call { class, name, descriptor, receiver, args } => {
                    let op = self.operation(class, name, descriptor)?;
                    let receiver = vars.get(*receiver).copied().flatten()?;
                    writer.call(op, Some(receiver), args, &vars)?
                }
                _ => return None,
            };
            vars.push(Some(var));
        }
        Some((writer.builder.build(), vars))
    }

    fn operation(&self, class: &str, name: &str, descriptor: &str) -> Option<OpId> {
        let class = self.subject.classes().find(class)?;
        let found = self.subject.operations_of(class).iter().copied().find(|op| {
            let operation = &self.subject[*op];
            *operation.name == *name && *operation.descriptor == *descriptor
        })?;
        self.subject.check_operation(found, &self.package).ok().map(|()| found)
    }
}

/// Writes statements.
struct Writer<'a> {
    offering: &'a Offering<'a>,
    builder: SequenceBuilder,
}

impl Writer<'_> {
    fn call(&mut self, op: OpId, receiver: Option<Var>, args: &[Term], vars: &[Option<Var>]) -> Option<Var> {
        let subject = self.offering.subject;
        let known = |arg: &Term| match arg {
            Term::Made(step) => {
                vars.get(*step).copied().flatten().map(|var| self.builder.type_of(var).clone())
            }
            _ => None,
        };
        let inputs: Vec<Option<JavaType>> = args.iter().map(known).collect();
        let receiver_type = receiver.map(|receiver| self.builder.type_of(receiver).clone());
        let demand = Demand {
            receiver: receiver_type.as_ref(),
            inputs: &inputs,
            package: Some(&self.offering.package),
            ..Demand::default()
        };
        let instance = subject.instantiate(op, &demand)?;
        let mut all: Vec<Var> = receiver.into_iter().collect();
        for (arg, param) in args.iter().zip(&instance.params) {
            all.push(self.term(arg, param, vars)?);
        }
        let ty = instance.result.clone();
        Some(self.builder.push(Action::Call { instance: Arc::new(instance), inputs: all }, ty))
    }

    fn term(&mut self, term: &Term, wanted: &JavaType, vars: &[Option<Var>]) -> Option<Var> {
        let classes = self.offering.subject.classes();
        match term {
            Term::Null => Some(self.builder.push(Action::Literal(Literal::Null), wanted.clone())),
            Term::Made(step) => vars.get(*step).copied().flatten(),
            Term::Literal(literal) => {
                let ty = match (wanted, literal) {
                    (JavaType::Primitive(_), _) => wanted.clone(),
                    (_, Literal::String(_)) => JavaType::class(classes.string()),
                    (_, literal) => JavaType::class(classes.boxed(primitive_of(literal)?)),
                };
                Some(self.builder.push(Action::Literal(literal.clone()), ty))
            }
            Term::Array(_, elements) => {
                let component = wanted.component()?.clone();
                let mut inputs = Vec::new();
                for element in elements {
                    inputs.push(self.term(element, &component, vars)?);
                }
                Some(self.builder.push(Action::Array { elements: inputs }, wanted.clone()))
            }
            Term::Constant(class, name) => {
                let op = self.offering.operation(class, name, &format!("L{class};"))?;
                self.call(op, None, &[], vars)
            }
            Term::Fresh => {
                let op = self.offering.operation("java/lang/Object", "<init>", "()V")?;
                self.call(op, None, &[], vars)
            }
        }
    }
}
