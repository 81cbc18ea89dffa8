//! Puts probes into classes as they are loaded, and remembers what it made: every epoch loads them anew.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jurat_base::{FxHashMap, FxHashSet};
use jurat_classfile::ClassFile;
use jurat_instrument::mutants::{MutantId, Operators, mutate};
use jurat_instrument::{Branches, ProbeId, ProbePlan, instrument, judged};
use jurat_protocol::{ProbedBranches, Probes as Setup};
use xxhash_rust::xxh3::xxh3_64;

use crate::WorkerError;
use crate::classes::Jdk;

/// What the class hook knows: it is called on any thread that loads a class.
static PLANNED: Mutex<Option<Planned>> = Mutex::new(None);

struct Planned {
    plan: ProbePlan,
    /// The first probe of each class under test, and its first mutant if it has any, by binary name.
    first: FxHashMap<String, (u32, Option<u32>)>,
    operators: Operators,
    /// Classes by name and hash, and what they became; none if they cannot be changed.
    made: FxHashMap<(String, u64), Option<Arc<[u8]>>>,
}

/// Plans the probes of what will be loaded; classes of the JDK that are loaded already are changed now.
pub(crate) fn plan(jdk: &Jdk, setup: &Setup) -> Result<(), WorkerError> {
    *lock() = Some(Planned::new(setup));
    let wanted: FxHashSet<&str> = setup.classes.iter().map(|(name, _)| name.as_str()).collect();
    let loaded = jdk.jvmti.loaded_classes(&|name| wanted.contains(name))?;
    if loaded.is_empty() { Ok(()) } else { jdk.jvmti.retransform(&loaded) }
}

/// A class that is being loaded, with its probes. Classes of the JDK that are not under test have none; those of the
/// class path have fuel, so that their loops come to an end.
pub(crate) fn woven(name: &str, boot: bool, bytes: &[u8]) -> Option<Arc<[u8]>> {
    lock().as_mut()?.make(name, boot, bytes)
}

impl Planned {
    fn new(setup: &Setup) -> Self {
        let branches = match setup.branches {
            ProbedBranches::None => Branches::None,
            ProbedBranches::Edges => Branches::Edges,
            ProbedBranches::Distances => Branches::Distances,
        };
        let plan = ProbePlan {
            entries: setup.entries,
            lines: setup.lines,
            branches,
            fuel: setup.fuel,
            rewrites: if branches == Branches::Distances { judged::rewrites() } else { Vec::new() },
            ..ProbePlan::default()
        };
        let mutants = setup.mutants.clone().unwrap_or_default();
        let with_mutants = |at: usize, (name, first): &(String, u32)| {
            (name.clone(), (*first, mutants.first.get(at).copied().filter(|first| *first != 0)))
        };
        let first = setup.classes.iter().enumerate().map(|(at, class)| with_mutants(at, class)).collect();
        let operators = Operators::from_bits(mutants.operators);
        Self { plan, first, operators, made: FxHashMap::default() }
    }

    fn make(&mut self, name: &str, boot: bool, bytes: &[u8]) -> Option<Arc<[u8]>> {
        let first = self.first.get(name).copied();
        let ours = name.starts_with("jurat/");
        if first.is_none() && (boot || ours) {
            return None;
        }
        let (plan, operators) = (&self.plan, self.operators);
        let made = self.made.entry((name.to_owned(), xxh3_64(bytes))).or_insert_with(|| {
            let class = ClassFile::read(bytes).ok()?;
            let mut plan = plan.clone();
            if boot {
                // What judges the calls of other classes makes the same calls.
                plan.rewrites.clear();
            }
            let fuel = ProbePlan { fuel: true, ..ProbePlan::default() };
            let done = match first {
                Some((first, Some(mutant))) => {
                    mutate(&class, &plan, operators, ProbeId(first), MutantId(mutant)).class
                }
                Some((first, None)) => instrument(&class, &plan, ProbeId(first)).class,
                None => instrument(&class, &fuel, ProbeId(0)).class,
            };
            Some(done.write().ok()?.into())
        });
        made.clone()
    }
}

fn lock() -> MutexGuard<'static, Option<Planned>> {
    PLANNED.lock().unwrap_or_else(PoisonError::into_inner)
}
