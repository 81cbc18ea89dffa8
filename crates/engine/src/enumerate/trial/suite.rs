//! The tests over structures: what every run agrees on, written, compiled and run.

use std::collections::BTreeSet;
use std::path::PathBuf;

use jurat_classfile::Access;
use jurat_emit::JavaFile;
use jurat_emit::structures::{Case, Table, Term, Tried};
use jurat_model::{ClassId, JavaType, Literal, OpId, Subject};
use jurat_protocol::{Ending, OperationKind, Outcome, Primitive, Sequence, Value, Wants};
use jurat_validate::{Ended, Run, Severity, TestId};

use super::super::crew::returned;
use super::super::method::Method;
use super::super::program::Program;
use super::super::recipes::{is_reachable, slashed};
use super::{Runner, StructureFinding, Wanted};
use crate::error::RunError;

/// Observers that a table has at most.
const OBSERVERS: usize = 3;
/// Rows of one table at most.
const ROWS: usize = 400;
/// Longer strings are not asserted: nobody reads them.
const LONGEST_STRING: usize = 120;
/// How often a suite is mended.
const ATTEMPTS: usize = 4;

/// A method without parameters that tells about a structure.
struct Observer {
    op: OpId,
    class: String,
    name: String,
    descriptor: String,
}

impl Runner<'_> {
    /// Writes the suite and the tests that fail.
    pub(super) fn write(&mut self, methods: &[Method]) -> Result<(), RunError> {
        self.prefer_operations()?;
        let tried = self.ops(methods)?;
        if self.config.limit > 0 {
            let tables = self.tables(methods, &tried)?;
            self.trial.passing = self.passing(tables)?;
        }
        self.failing(methods, &tried)
    }

    fn tables(&mut self, methods: &[Method], tried: &[Tried]) -> Result<Vec<Table>, RunError> {
        let mut wanted = std::mem::take(&mut self.wanted);
        let about = self.about();
        let before = wanted.len();
        wanted.retain(|wanted| about.check(&wanted.recipe).is_ok());
        self.trial.left_out += before - wanted.len();
        let mut observers = self.observers();
        let mut runs = self.confirm(methods, &wanted, &observers)?;
        let refuted = refuted(&runs, observers.len());
        if !refuted.is_empty() {
            let mut position = 0;
            observers.retain(|_| {
                position += 1;
                !refuted.contains(&(position - 1))
            });
            runs = self.confirm(methods, &wanted, &observers)?;
        }
        let mut tables = Vec::new();
        let numbers: Vec<Option<usize>> =
            if methods.is_empty() { vec![None] } else { (0..methods.len()).map(Some).collect() };
        for number in numbers {
            for throws in [false, true] {
                let tried = number.map(|number| tried[number].clone());
                let of_method =
                    |run: &&Confirmed| wanted[run.wanted].method == number && run.threw.is_some() == throws;
                let mut runs: Vec<&Confirmed> = runs.iter().filter(of_method).collect();
                self.trial.cut_off += runs.len().saturating_sub(ROWS);
                runs.truncate(ROWS);
                if !runs.is_empty() {
                    tables.push(self.table(tried, &wanted, &runs, &observers));
                }
            }
        }
        Ok(tables)
    }

    fn table(
        &self,
        tried: Option<Tried>,
        wanted: &[Wanted],
        runs: &[&Confirmed],
        observers: &[Observer],
    ) -> Table {
        // A column is asserted if every row has a value for it.
        let told: Vec<usize> = (0..observers.len())
            .filter(|at| runs.iter().all(|run| run.states[*at].is_some()))
            .filter(|at| tried.as_ref().is_none_or(|tried| tried.op != observers[*at].op))
            .take(OBSERVERS)
            .collect();
        let asserts_result = runs.iter().all(|run| run.gave.is_some());
        let subject = self.config.subject;
        let package = subject.test_package(self.root);
        let case = |run: &&Confirmed| Case {
            recipe: wanted[run.wanted].recipe.clone(),
            args: wanted[run.wanted].args.clone(),
            gave: run.gave.clone().filter(|_| asserts_result),
            states: told.iter().filter_map(|at| run.states[*at].clone()).collect(),
            threw: run.threw.as_ref().map(|class| named_exception(subject, class, &package)),
        };
        Table {
            tried,
            observers: told.iter().map(|at| observers[*at].op).collect(),
            asserts_result,
            cases: runs.iter().map(case).collect(),
        }
    }

    /// Methods that tell about the structure: no parameters, a plain result, callable from a test.
    fn observers(&self) -> Vec<Observer> {
        let root = slashed(&self.target.shape.root);
        let subject = self.config.subject;
        let package = subject.test_package(self.root);
        let mut found: Vec<Observer> = Vec::new();
        for class in self.target.chain(&root) {
            for method in &class.methods {
                let name = class.pool.utf8(method.name).into_owned();
                let descriptor = class.pool.utf8(method.descriptor).into_owned();
                let is_plain = matches!(
                    descriptor.as_str(),
                    "()Z" | "()I" | "()J" | "()C" | "()D" | "()Ljava/lang/String;"
                );
                let odd = [self.target.predicate.as_str(), "hashCode", "clone"].contains(&name.as_str());
                let usable = is_reachable(method.access, true)
                    && !method.access.is_static()
                    && !method.access.contains(Access::SYNTHETIC);
                if !is_plain || odd || !usable || found.iter().any(|known| known.name == name) {
                    continue;
                }
                let class = class.name().into_owned();
                let op = self.operation(&class, &name, &descriptor);
                let op = op.filter(|op| {
                    subject.check_operation(*op, &package).is_ok()
                        && subject[*op].throws.is_empty()
                        && !subject[*op].is_deprecated
                });
                found.extend(op.map(|op| Observer { op, class, name, descriptor }));
            }
        }
        found
    }

    /// Runs everything in fresh state, twice and differently; keeps what both runs agree on.
    fn confirm(
        &mut self,
        methods: &[Method],
        wanted: &[Wanted],
        observers: &[Observer],
    ) -> Result<Vec<Confirmed>, RunError> {
        let mut sequences: Vec<Sequence> = Vec::new();
        let mut calls = Vec::new();
        for wanted in wanted {
            let method = wanted.method.map(|method| &methods[method]);
            let asked = self.call(method, &wanted.recipe, &wanted.args);
            calls.push((asked.call, asked.sequence.statements().len()));
            let mut program = Program::resume(&mut self.table, asked.sequence);
            let mut count = 0;
            let root = slashed(&self.target.shape.root);
            let (predicate, descriptor) = (&self.target.predicate, &self.target.descriptor);
            program.operate(OperationKind::Virtual, (&root, predicate, descriptor), &[asked.root]);
            for Observer { class, name, descriptor, .. } in observers {
                program.operate(OperationKind::Virtual, (class, name, descriptor), &[asked.root]);
                count += 1;
            }
            program.sequence.observe_last(count + 1);
            sequences.push(program.sequence);
        }
        let wants = Wants { effects: true, ..Wants::default() };
        let [usual, other] = self.crew.confirm(&self.table, &sequences, wants)?;
        let mut confirmed = Vec::new();
        for (number, (usual, other)) in usual.iter().zip(&other).enumerate() {
            let (call, body) = calls[number];
            let has_method = wanted[number].method.is_some();
            let names = |class: u32| self.crew.class_name(class);
            let others = |class: u32| self.crew.perturbed_class_name(class);
            let told = Told::of(usual, call, has_method, &names);
            let again = Told::of(other, call, has_method, &others);
            let safe = [usual, other].iter().all(|run| run.attempts.is_empty() && !run.taint.any());
            match (told, again) {
                (Some(told), Some(again))
                    if safe && told.threw == again.threw && told.holds && again.holds =>
                {
                    let changed = usual.changed.iter().chain(&other.changed);
                    let refuted = changed
                        .filter_map(|(statement, _)| (*statement as usize).checked_sub(body + 1))
                        .collect();
                    confirmed.push(Confirmed {
                        wanted: number,
                        gave: told.gave.filter(|gave| again.gave.as_ref() == Some(gave)),
                        threw: told.threw,
                        states: told
                            .states
                            .into_iter()
                            .zip(again.states)
                            .map(|(one, other)| one.filter(|one| other.as_ref() == Some(one)))
                            .collect(),
                        refuted,
                    });
                }
                _ => self.trial.left_out += 1,
            }
        }
        Ok(confirmed)
    }

    /// Writes tables, and takes out rows until all pass.
    fn passing(&mut self, mut tables: Vec<Table>) -> Result<Vec<JavaFile>, RunError> {
        for attempt in 0..ATTEMPTS {
            tables.retain(|table| !table.cases.is_empty());
            if tables.is_empty() {
                return Ok(Vec::new());
            }
            let files = self.about().tables(&tables);
            let files = files.map_err(|why| RunError::Usage(format!("no tests can be written: {why}")))?;
            let bad = self.failures(&files, &format!("structures-{attempt}"))?;
            if bad.is_empty() {
                self.trial.rows = tables.iter().map(|table| table.cases.len()).sum();
                return Ok(files);
            }
            // Tests come in the order of the tables.
            for (number, table) in tables.iter_mut().enumerate() {
                if let Some(rows) = bad.iter().find(|(at, _)| *at == number).map(|(_, rows)| rows) {
                    let before = table.cases.len();
                    let mut row = 0;
                    table.cases.retain(|_| {
                        row += 1;
                        !rows.is_empty() && attempt + 2 < ATTEMPTS && !rows.contains(&row)
                    });
                    self.trial.left_out += before - table.cases.len();
                }
            }
        }
        Ok(Vec::new())
    }

    /// Compiles and runs files; gives the tests that fail, by number, with the rows that do, if rows are known.
    fn failures(&self, files: &[JavaFile], folder: &str) -> Result<Vec<(usize, Vec<usize>)>, RunError> {
        let (tests, classes) = self.compiled(files, folder)?;
        let bench = self.config.bench;
        let mut bad: Vec<(usize, Vec<usize>)> = Vec::new();
        for run in [Run::Alone, Run::Shuffled(1)] {
            let results = bench
                .run(&tests, &classes, run, None)
                .map_err(|error| RunError::Environment(error.to_string()))?;
            for result in results {
                let Some(number) = tests.iter().position(|test| *test == result.test) else { continue };
                let rows = match &result.ended {
                    Ended::Passed => continue,
                    Ended::Failed { message, .. } => rows(message),
                    _ => Vec::new(),
                };
                bad.push((number, rows));
            }
            if !bad.is_empty() {
                break;
            }
        }
        Ok(bad)
    }

    /// Compiles files; warnings and errors are ours.
    fn compiled(&self, files: &[JavaFile], folder: &str) -> Result<(Vec<TestId>, PathBuf), RunError> {
        let bench = self.config.bench;
        let folder = bench.scratch.join(folder);
        let mut sources = Vec::new();
        let mut tests = Vec::new();
        for file in files {
            let path = folder.join("src").join(&file.path);
            crate::place::write_file(&path, &file.text)?;
            sources.push(path);
            let dot = if file.package.is_empty() { "" } else { "." };
            let class = format!("{}{dot}{}", file.package, file.class_name);
            tests.extend(
                file.tests.iter().map(|test| TestId { class: class.clone(), method: test.name.clone() }),
            );
        }
        let classes = folder.join("classes");
        let remarks = bench.compile(&sources, &classes);
        let remarks = remarks.map_err(|error| RunError::Environment(error.to_string()))?;
        let error = remarks.iter().find(|remark| remark.severity == Severity::Error);
        match error {
            None => Ok((tests, classes)),
            Some(error) => Err(RunError::Bug(format!(
                "an emitted test does not compile: {} (line {})",
                error.message, error.line
            ))),
        }
    }

    /// Writes a test for each thing that is wrong; each has to fail.
    fn failing(&mut self, methods: &[Method], tried: &[Tried]) -> Result<(), RunError> {
        let about = self.about();
        let mut faults = self.faults(tried);
        faults.retain(|(_, fault)| about.check(&fault.recipe).is_ok());
        let mut shown = Vec::new();
        if !faults.is_empty() {
            let list: Vec<_> = faults.iter().map(|(_, fault)| fault.clone()).collect();
            let file = about.faults(&list);
            let file = file.map_err(|why| RunError::Usage(format!("no tests can be written: {why}")))?;
            let failing = self.failures(std::slice::from_ref(&file), "findings")?;
            let kept: Vec<usize> = failing.iter().map(|(number, _)| *number).collect();
            let list: Vec<_> = kept.iter().filter_map(|number| list.get(*number).cloned()).collect();
            if !list.is_empty() {
                let file = self.about().faults(&list).unwrap_or(file);
                for (number, test) in kept.iter().zip(&file.tests) {
                    shown.push((faults[*number].0.clone(), test.name.clone()));
                }
                self.trial.failing = vec![file];
            }
        }
        for (key, wrong) in &self.worst {
            let test = shown.iter().find(|(known, _)| known == key).map(|(_, test)| test.clone());
            let args: Vec<String> = wrong.job.args.iter().map(shown_term).collect();
            self.trial.findings.push(StructureFinding {
                contract: wrong.contract.clone(),
                method: methods[wrong.job.method].name.clone(),
                on: format!(
                    "{}({}) on {}",
                    methods[wrong.job.method].name,
                    args.join(", "),
                    wrong.job.recipe.text
                ),
                runs: wrong.runs,
                test,
            });
        }
        Ok(())
    }
}

/// A value for people.
fn shown_term(value: &Term) -> String {
    match value {
        Term::Null => "null".to_owned(),
        Term::Made(_) => "an object of the structure".to_owned(),
        Term::Fresh => "a new object".to_owned(),
        Term::Constant(_, name) => name.clone(),
        Term::Array(_, elements) => {
            let elements: Vec<String> = elements.iter().map(shown_term).collect();
            format!("[{}]", elements.join(", "))
        }
        Term::Literal(literal) => match literal {
            Literal::Boolean(value) => value.to_string(),
            Literal::Byte(value) => value.to_string(),
            Literal::Short(value) => value.to_string(),
            Literal::Char(unit) => format!("{:?}", char::from_u32((*unit).into()).unwrap_or('?')),
            Literal::Int(value) => value.to_string(),
            Literal::Long(value) => value.to_string(),
            Literal::Float(bits) => f32::from_bits(*bits).to_string(),
            Literal::Double(bits) => f64::from_bits(*bits).to_string(),
            Literal::String(text) => format!("{text:?}"),
            Literal::Null | Literal::Class(_) => "null".to_owned(),
        },
    }
}

/// What both runs of a program agree on.
struct Confirmed {
    wanted: usize,
    gave: Option<Term>,
    threw: Option<String>,
    states: Vec<Option<Term>>,
    /// Observers that changed the structure.
    refuted: BTreeSet<usize>,
}

/// What one run tells.
struct Told {
    gave: Option<Term>,
    threw: Option<String>,
    holds: bool,
    states: Vec<Option<Term>>,
}

impl Told {
    fn of(outcome: &Outcome, call: usize, has_method: bool, names: &dyn Fn(u32) -> String) -> Option<Self> {
        let (gave, threw) = match outcome.endings.get(call) {
            None if has_method => return None,
            None => (None, None),
            Some(Ending::Returned(value)) => (term(value, names), None),
            Some(Ending::Threw(thrown)) => (None, Some(names(thrown.class))),
            Some(_) => return None,
        };
        let mut observed = outcome.observations.iter().map(|ending| returned(ending.as_ref()));
        let holds = matches!(
            observed.next().flatten(),
            Some(Value::Primitive(Primitive::Boolean(true)) | Value::Boxed(Primitive::Boolean(true)))
        );
        let states = observed.map(|value| value.and_then(|value| term(value, names))).collect();
        Some(Self { gave, threw, holds, states })
    }
}

/// Observers that changed the structure in some run.
fn refuted(runs: &[Confirmed], count: usize) -> BTreeSet<usize> {
    runs.iter().flat_map(|run| run.refuted.iter().copied()).filter(|at| *at < count).collect()
}

/// A value as a test writes it, if it should be pinned down.
fn term(value: &Value, names: &dyn Fn(u32) -> String) -> Option<Term> {
    Some(match value {
        Value::Null => Term::Null,
        Value::Primitive(primitive) | Value::Boxed(primitive) => Term::Literal(literal(*primitive)),
        Value::String(text) if text.units().len() <= LONGEST_STRING => {
            Term::Literal(Literal::String(jurat_model::JavaString::from_units(text.units())))
        }
        Value::Enum(class, name) => Term::Constant(names(*class), name.as_str()?.to_owned()),
        _ => return None,
    })
}

fn literal(primitive: Primitive) -> Literal {
    match primitive {
        Primitive::Boolean(value) => Literal::Boolean(value),
        Primitive::Byte(value) => Literal::Byte(value),
        Primitive::Char(value) => Literal::Char(value),
        Primitive::Short(value) => Literal::Short(value),
        Primitive::Int(value) => Literal::Int(value),
        Primitive::Long(value) => Literal::Long(value),
        Primitive::Float(bits) => Literal::Float(bits),
        Primitive::Double(bits) => Literal::Double(bits),
    }
}

/// The class to assert for an exception: its own, or the nearest above it that a test of the package can name.
pub(super) fn named_exception(subject: &Subject, class: &str, package: &str) -> ClassId {
    let classes = subject.classes();
    let known =
        classes.find(class).and_then(|class| classes.denotable(&JavaType::class(class), package).class_id());
    known.filter(|class| classes.is_subclass(*class, classes.throwable())).unwrap_or(classes.throwable())
}

/// The rows that failed, from 1, as the validating JVM tells them: `rows 3 5: …`.
fn rows(message: &str) -> Vec<usize> {
    let listed = message.strip_prefix("rows ").and_then(|rest| rest.split_once(':'));
    listed.map_or_else(Vec::new, |(rows, _)| rows.split(' ').filter_map(|row| row.parse().ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn failed_rows_are_read_from_the_message() {
        assert_eq!(rows("rows 3 5: expected: <1>"), [3, 5]);
        assert!(rows("expected: <1>").is_empty());
    }
}
