//! Runs a method on every structure and with every argument, and turns what happened into tests.

mod judge;
mod suite;

use std::collections::{BTreeMap, BTreeSet};

use jurat_classpath::ClassPath;
use jurat_emit::structures::{Complaint, Fault, Recipe, Structures, Term, Tried};
use jurat_emit::{EmitOptions, JavaFile};
use jurat_exhaustive::{Space, Structure};
use jurat_model::{ClassId, OpId, Subject};
use jurat_pool::PoolConfig;
use jurat_protocol::{OperationKind, Sequence, Wants};
use jurat_validate::Bench;

use super::Target;
use super::crew::Crew;
use super::method::Method;
use super::operations::{by_operations, fingerprints};
use super::program::{Program, Table};
use super::recipes::{recipe, slashed};
use crate::error::RunError;

/// Runs that are sent to workers together.
const ROUND: usize = 2_048;

/// What to try on structures.
#[derive(Debug)]
pub struct TrialConfig<'a> {
    /// How workers are started.
    pub pool: PoolConfig,
    /// Where classes are found.
    pub path: &'a ClassPath,
    /// The classes, for writing Java.
    pub subject: &'a Subject,
    /// The method to run; none to write tests of the structures themselves.
    pub method: Option<&'a str>,
    /// How many structures the suite is about; 0 for no suite.
    pub limit: usize,
    /// How tests are written.
    pub options: EmitOptions,
    /// What tests are compiled and run with.
    pub bench: &'a Bench,
}

/// Something wrong that a run of the method showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureFinding {
    /// What should have held.
    pub contract: String,
    /// The method.
    pub method: String,
    /// The structure and the arguments, for people.
    pub on: String,
    /// How many runs showed it.
    pub runs: u64,
    /// Name of the test that shows it, if one could be written.
    pub test: Option<String>,
}

/// What came of running a method on structures.
#[derive(Debug, Default)]
pub struct Trial {
    /// Runs of the method.
    pub runs: u64,
    /// Structures that could not be made again outside the search.
    pub not_made: u64,
    /// Structures of the suite, and how many of them are made by public operations.
    pub structures: usize,
    /// How many of these are made by public operations.
    pub by_operations: usize,
    /// What is wrong.
    pub findings: Vec<StructureFinding>,
    /// Rows of the tests that pass.
    pub rows: usize,
    /// Rows that Java cannot express, or that did not pass in a fresh JVM.
    pub left_out: usize,
    /// Rows that are not written because a test would have too many.
    pub cut_off: usize,
    /// Tests that pass.
    pub passing: Vec<JavaFile>,
    /// Tests that fail.
    pub failing: Vec<JavaFile>,
}

/// Says why the method of this name cannot be run on structures, if so.
pub fn check_method(target: &Target, path: &ClassPath, method: &str) -> Result<(), RunError> {
    Method::find(target, path, method).map(|_| ())
}

/// Runs a method on structures, given as vectors of the space. `go_on` is asked between rounds.
pub fn try_structures(
    target: &Target,
    space: &Space,
    vectors: &[Vec<u32>],
    config: &TrialConfig<'_>,
    go_on: &dyn Fn() -> bool,
) -> Result<Trial, RunError> {
    let root = config.subject.classes().find(&slashed(&target.shape.root));
    let root = root.ok_or_else(|| RunError::Bug(format!("{} is gone", target.shape.root)))?;
    let methods = match config.method {
        Some(asked) => Method::find(target, config.path, asked)?,
        None => Vec::new(),
    };
    let mut runner = Runner {
        target,
        space,
        config,
        root,
        crew: Crew::start(&config.pool)?,
        table: Table::default(),
        trial: Trial::default(),
        worst: BTreeMap::new(),
        wanted: Vec::new(),
        structures: 0,
    };
    runner.ops(&methods)?;
    for vectors in vectors.chunks(256).take_while(|_| !methods.is_empty()) {
        runner.check(&methods, vectors)?;
        if !go_on() {
            break;
        }
    }
    if methods.is_empty() {
        runner.want_structures(vectors);
    }
    runner.write(&methods)?;
    Ok(runner.trial)
}

struct Runner<'a> {
    target: &'a Target,
    space: &'a Space,
    config: &'a TrialConfig<'a>,
    root: ClassId,
    crew: Crew,
    table: Table,
    trial: Trial,
    /// The smallest structure on which each thing went wrong.
    worst: BTreeMap<(usize, String), Wrong>,
    /// Runs that the suite is about.
    wanted: Vec<Wanted>,
    /// How many structures these are.
    structures: usize,
}

/// A run on which something went wrong.
#[derive(Clone, Debug)]
struct Wrong {
    job: Job,
    complaint: Option<Complaint>,
    contract: String,
    threw: Option<String>,
    runs: u64,
}

/// A run of the method that the suite repeats.
#[derive(Clone, Debug)]
struct Wanted {
    method: Option<usize>,
    recipe: Recipe,
    args: Vec<Term>,
}

/// One run of a method.
#[derive(Clone, Debug)]
struct Job {
    method: usize,
    recipe: Recipe,
    args: Vec<Term>,
    /// How many objects the structure has.
    objects: usize,
}

impl Job {
    /// Smaller is easier to read.
    fn size(&self) -> (usize, usize) {
        (self.objects, self.recipe.steps.len() + self.args.iter().filter(|arg| **arg != Term::Null).count())
    }
}

impl Runner<'_> {
    fn about(&self) -> Structures<'_> {
        let config = self.config;
        let predicate = &self.target.predicate;
        Structures { subject: config.subject, root: self.root, predicate, options: &config.options }
    }

    /// The methods as the subject knows them; an error if a test could not call one.
    fn ops(&self, methods: &[Method]) -> Result<Vec<Tried>, RunError> {
        methods.iter().map(|method| self.tried(method)).collect()
    }

    fn tried(&self, method: &Method) -> Result<Tried, RunError> {
        let subject = self.config.subject;
        let package = subject.test_package(self.root);
        let op = self.operation(&method.class, &method.name, &method.descriptor);
        let op =
            op.ok_or_else(|| RunError::Usage(format!("{} cannot be called from a test", method.name)))?;
        subject
            .check_operation(op, &package)
            .map_err(|why| RunError::Usage(format!("{} cannot be called from a test: {why}", method.name)))?;
        Ok(Tried { op, at: method.at })
    }

    fn operation(&self, class: &str, name: &str, descriptor: &str) -> Option<OpId> {
        let subject = self.config.subject;
        let class = subject.classes().find(class)?;
        subject.operations_of(class).iter().copied().find(|op| {
            let operation = &subject[*op];
            *operation.name == *name && *operation.descriptor == *descriptor
        })
    }

    /// Runs the methods on some structures.
    fn check(&mut self, methods: &[Method], vectors: &[Vec<u32>]) -> Result<(), RunError> {
        let mut jobs = Vec::new();
        for vector in vectors {
            let structure = Structure::from_choices(self.space, vector);
            let Some(recipe) = recipe(self.target, &structure) else {
                self.trial.not_made += 1;
                continue;
            };
            for (number, method) in methods.iter().enumerate() {
                for args in method.tuples(self.target, self.space, &recipe) {
                    let objects = structure.objects.len();
                    jobs.push(Job { method: number, recipe: recipe.clone(), args, objects });
                }
            }
        }
        for jobs in jobs.chunks(ROUND) {
            let asked: Vec<Asked> = jobs.iter().map(|job| self.program(methods, job)).collect();
            let (calls, sequences): (Vec<usize>, Vec<Sequence>) =
                asked.into_iter().map(|asked| (asked.call, asked.sequence)).unzip();
            let outcomes = self.crew.run(&self.table, sequences, Wants::default())?;
            for ((job, call), outcome) in jobs.iter().zip(calls).zip(&outcomes) {
                self.judge(methods, job, call, outcome);
            }
        }
        Ok(())
    }

    /// The statements of a run: the structure, the call, then the predicate and other contracts as observers.
    fn program(&mut self, methods: &[Method], job: &Job) -> Asked {
        let contracts = judge::contracts(self.target);
        let mut asked = self.call(Some(&methods[job.method]), &job.recipe, &job.args);
        let sequence = std::mem::take(&mut asked.sequence);
        let mut program = Program::resume(&mut self.table, sequence);
        let root = slashed(&self.target.shape.root);
        for contract in &contracts {
            let inputs: &[_] = if contract.takes_itself { &[asked.root, asked.root] } else { &[asked.root] };
            program.operate(OperationKind::Virtual, (&root, &contract.name, &contract.descriptor), inputs);
        }
        asked.sequence = program.sequence;
        asked.sequence.observe_last(u32::try_from(contracts.len()).expect("contracts are few"));
        asked
    }

    /// The statements that make a structure and call a method on it.
    fn call(&mut self, method: Option<&Method>, recipe: &Recipe, args: &[Term]) -> Asked {
        let mut program = Program::new(&mut self.table, recipe);
        let root = program.made(recipe.root);
        let body = program.len();
        if let Some(method) = method {
            let mut types = super::program::parameters(&method.descriptor);
            if let Some(at) = method.at {
                types.remove(at);
            }
            let mut inputs: Vec<_> =
                args.iter().zip(&types).map(|(value, ty)| program.term(value, ty)).collect();
            inputs.insert(method.at.unwrap_or(0), root);
            let kind = if method.at.is_some() { OperationKind::Static } else { OperationKind::Virtual };
            program.operate(kind, (&method.class, &method.name, &method.descriptor), &inputs);
        }
        let call = if method.is_some() { program.len() - 1 } else { body };
        Asked { root, call, sequence: program.sequence }
    }

    /// Puts recipes of public operations in the place of those that write fields, where they are known.
    fn prefer_operations(&mut self) -> Result<(), RunError> {
        let mut recipes: Vec<Recipe> = self.wanted.iter().map(|wanted| wanted.recipe.clone()).collect();
        recipes.extend(self.worst.values().map(|wrong| wrong.job.recipe.clone()));
        recipes.sort_by(|one, other| one.text.cmp(&other.text));
        recipes.dedup_by(|one, other| one.text == other.text);
        if recipes.is_empty() {
            return Ok(());
        }
        let hashes = fingerprints(&mut self.crew, &mut self.table, &recipes)?;
        let wanted: BTreeSet<u64> = hashes.iter().flatten().copied().collect();
        let found = by_operations(self.target, self.space, &mut self.crew, &mut self.table, &wanted)?;
        let about = self.about();
        let better: BTreeMap<String, Recipe> = recipes
            .iter()
            .zip(&hashes)
            .filter_map(|(recipe, hash)| {
                let known = found.get(hash.as_ref()?)?;
                let made = Recipe { text: recipe.text.clone(), ..known.clone() };
                about.check(&made).is_ok().then(|| (recipe.text.clone(), made))
            })
            .collect();
        let replace = |recipe: &mut Recipe, args: &mut [Term]| {
            // Arguments that are objects of the structure stay with the recipe that names them.
            let refers = args.iter().any(|arg| matches!(arg, Term::Made(step) if *step != recipe.root));
            let Some(known) = better.get(&recipe.text).filter(|_| !refers) else { return };
            for arg in args.iter_mut().filter(|arg| **arg == Term::Made(recipe.root)) {
                *arg = Term::Made(known.root);
            }
            *recipe = known.clone();
        };
        for wanted in &mut self.wanted {
            replace(&mut wanted.recipe, &mut wanted.args);
        }
        for wrong in self.worst.values_mut() {
            replace(&mut wrong.job.recipe, &mut wrong.job.args);
        }
        let mut texts: BTreeSet<&str> = BTreeSet::new();
        for wanted in &self.wanted {
            texts.insert(&wanted.recipe.text);
        }
        self.trial.structures = texts.len();
        self.trial.by_operations = texts.iter().filter(|text| better.contains_key(**text)).count();
        Ok(())
    }

    fn want_structures(&mut self, vectors: &[Vec<u32>]) {
        for vector in vectors.iter().take(self.config.limit) {
            let structure = Structure::from_choices(self.space, vector);
            match recipe(self.target, &structure) {
                Some(recipe) => self.wanted.push(Wanted { method: None, recipe, args: Vec::new() }),
                None => self.trial.not_made += 1,
            }
        }
    }

    /// The faults that a test can show.
    fn faults(&self, tried: &[Tried]) -> Vec<((usize, String), Fault)> {
        let subject = self.config.subject;
        let package = subject.test_package(self.root);
        let mut faults = Vec::new();
        for (key, wrong) in &self.worst {
            let Some(complaint) = wrong.complaint.clone() else { continue };
            let threw = match (&complaint, &wrong.threw) {
                (Complaint::Throws(_), _) | (_, None) => None,
                (_, Some(class)) => Some(suite::named_exception(subject, class, &package)),
            };
            faults.push((
                key.clone(),
                Fault {
                    tried: tried[wrong.job.method].clone(),
                    recipe: wrong.job.recipe.clone(),
                    args: wrong.job.args.clone(),
                    threw,
                    complaint,
                },
            ));
        }
        faults
    }
}

/// The statements of one run.
#[derive(Debug)]
struct Asked {
    root: jurat_protocol::Var,
    /// The position of the call; without one, that of the first statement after the structure.
    call: usize,
    sequence: Sequence,
}
