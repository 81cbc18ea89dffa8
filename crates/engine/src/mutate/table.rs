//! All mutants of the classes under test, numbered, and the probes that tell who reaches them.

use std::collections::BTreeMap;

use jurat_classfile::ClassFile;
use jurat_classpath::ClassPath;
use jurat_instrument::mutants::{Mutant, MutantId, Operators, mutate};
use jurat_instrument::{ProbeId, ProbeKind, ProbeMap, ProbePlan};
use jurat_protocol::{Mutants, Probes};

/// The mutants of some classes.
#[derive(Debug)]
pub struct MutantTable {
    operators: Operators,
    classes: Vec<ClassMutants>,
    /// Methods that were left without mutants, and why.
    pub skipped: Vec<String>,
}

/// The mutants of one class.
#[derive(Debug)]
struct ClassMutants {
    first: u32,
    map: ProbeMap,
    mutants: Vec<Mutant>,
}

/// A mutant and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    /// Its number, which makes it live.
    pub(crate) id: u32,
    /// Binary name of its class, with slashes.
    pub(crate) class: &'a str,
    pub(crate) mutant: &'a Mutant,
    /// The probe that is hit by whoever gets to it; none if the class has no line numbers there.
    pub(crate) probe: Option<u32>,
}

/// What mutated classes count: lines and entries to know who reaches a mutant, and fuel.
fn plan() -> ProbePlan {
    ProbePlan { entries: true, lines: true, fuel: true, ..ProbePlan::default() }
}

impl MutantTable {
    /// The mutants of the named classes (binary names, with slashes). What cannot be read has none.
    pub fn new<'n>(
        names: impl IntoIterator<Item = &'n str>,
        class_path: &ClassPath,
        operators: Operators,
    ) -> Self {
        let mut table = Self { operators, classes: Vec::new(), skipped: Vec::new() };
        let (mut next_probe, mut next) = (ProbeId(0), 1);
        for name in names {
            let Ok(Some(bytes)) = class_path.read(name) else { continue };
            let Ok(class) = ClassFile::read(&bytes) else { continue };
            let done = mutate(&class, &plan(), operators, next_probe, MutantId(next));
            table.skipped.extend(done.skipped.iter().map(|method| format!("{name}.{method}")));
            next_probe = done.map.next();
            let first = next;
            next += u32::try_from(done.mutants.len()).expect("fewer than 2^32 mutants");
            table.classes.push(ClassMutants { first, map: done.map, mutants: done.mutants });
        }
        table
    }

    /// What workers are told.
    pub fn setup(&self) -> Probes {
        let plan = plan();
        Probes {
            entries: plan.entries,
            lines: plan.lines,
            fuel: plan.fuel,
            classes: self.classes.iter().map(|class| (class.map.class.clone(), class.map.first.0)).collect(),
            count: self.classes.last().map_or(0, |class| class.map.next().0),
            mutants: Some(Mutants {
                operators: self.operators.bits(),
                first: self.classes.iter().map(|class| class.first).collect(),
            }),
            ..Probes::default()
        }
    }

    /// How many mutants there are.
    pub fn len(&self) -> usize {
        self.classes.iter().map(|class| class.mutants.len()).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All mutants, in order of their numbers.
    pub(crate) fn known(&self) -> Vec<Known<'_>> {
        let mut known = Vec::with_capacity(self.len());
        for class in &self.classes {
            let probes = class.probes();
            for (id, mutant) in (class.first..).zip(&class.mutants) {
                let at = |line: Option<u16>| {
                    probes.get(&(&*mutant.method.name, &*mutant.method.descriptor, line)).copied()
                };
                let probe = at(mutant.line).or_else(|| at(None));
                known.push(Known { id, class: &class.map.class, mutant, probe });
            }
        }
        known
    }

    /// The ids of the probes of each class, in order.
    pub(crate) fn probes_of_classes(&self) -> BTreeMap<&str, std::ops::Range<u32>> {
        let range = |class: &ClassMutants| class.map.first.0..class.map.next().0;
        self.classes.iter().map(|class| (&*class.map.class, range(class))).collect()
    }
}

impl ClassMutants {
    /// The probe of each line of each method, and of its entry, which has no line.
    fn probes(&self) -> BTreeMap<(&str, &str, Option<u16>), u32> {
        let mut probes = BTreeMap::new();
        for (id, probe) in self.map.ids().zip(&self.map.probes) {
            let method = self.map.method(probe);
            let line = if probe.kind == ProbeKind::Line { probe.line } else { None };
            probes.insert((&*method.name, &*method.descriptor, line), id.0);
        }
        probes
    }
}
