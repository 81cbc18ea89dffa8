//! Values that were made by sequences that behaved, by the class they have at run time.

use std::sync::Arc;

use jurat_base::{FxHashMap, FxHashSet, Rng};
use jurat_model::{Candidate, ClassId, JavaType, Sequence, Subject, Var};

/// The most values kept per class.
const PER_CLASS: usize = 256;
/// How often a value is drawn before the search gives up.
const DRAWS: usize = 8;

/// A value and the sequence that makes it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) sequence: Sequence,
    pub(crate) var: Var,
    /// The type it can be used at.
    pub(crate) ty: JavaType,
    /// True if a cast leads from the static type to `ty`.
    pub(crate) needs_cast: bool,
    /// The package the sequence must be in.
    pub(crate) package: Option<Arc<str>>,
}

/// All values kept.
#[derive(Debug, Default)]
pub(crate) struct Corpus {
    by_class: FxHashMap<ClassId, Vec<Entry>>,
    /// The classes that have values, in the order they got the first.
    classes: Vec<ClassId>,
    arrays: FxHashMap<JavaType, Vec<Entry>>,
    known: FxHashSet<(JavaType, u64)>,
    added: u64,
}

impl Corpus {
    /// Keeps a value unless one of the same structure is kept already.
    pub(crate) fn add(
        &mut self,
        subject: &Subject,
        candidate: &Candidate,
        var: Var,
        runtime_class: &str,
        fingerprint: u64,
        is_new: bool,
    ) {
        let (ty, needs_cast) = usable_type(subject, candidate, var, runtime_class);
        if !self.known.insert((ty.clone(), fingerprint)) {
            return;
        }
        let needed = candidate.sequence.needed_for([var]);
        let entry = Entry {
            sequence: trimmed(&candidate.sequence, &needed),
            var: renumbered(&candidate.sequence, var),
            ty,
            needs_cast,
            package: candidate.package.clone(),
        };
        self.added += 1;
        let turn = self.added;
        let list = match &entry.ty {
            JavaType::Class(class_type) => {
                let class = class_type.class;
                if !self.by_class.contains_key(&class) {
                    self.classes.push(class);
                }
                self.by_class.entry(class).or_default()
            }
            array => self.arrays.entry(subject.classes().erasure(array)).or_default(),
        };
        if list.len() < PER_CLASS {
            list.push(entry);
        } else if is_new || turn.is_multiple_of(4) {
            // Which one goes depends only on how many came before: the same in every run.
            let length = list.len();
            list[usize::try_from(turn).unwrap_or(0) % length] = entry;
        }
    }

    /// A value that can be used where `wanted` is needed by code in `package`.
    pub(crate) fn draw(
        &self,
        subject: &Subject,
        wanted: &JavaType,
        package: &str,
        rng: &mut Rng,
    ) -> Option<&Entry> {
        let lists: Vec<&Vec<Entry>> = match wanted {
            JavaType::Class(class_type) => {
                let classes = subject.classes();
                let below = |class: &&ClassId| classes.is_subclass(**class, class_type.class);
                self.classes.iter().filter(below).filter_map(|class| self.by_class.get(class)).collect()
            }
            array => self.arrays.get(&subject.classes().erasure(array)).into_iter().collect(),
        };
        for _ in 0..DRAWS {
            let list = *rng.pick(&lists)?;
            let entry = rng.pick(list)?;
            let fits = entry.package.as_deref().is_none_or(|needed| needed == package);
            if fits && subject.classes().is_assignable(&entry.ty, wanted) {
                return Some(entry);
            }
        }
        None
    }
}

/// The type a value can be used at: its run-time class where Java can name it and it has no type
/// parameters that nothing would decide, else its static type.
fn usable_type(subject: &Subject, candidate: &Candidate, var: Var, runtime_class: &str) -> (JavaType, bool) {
    let declared = candidate.sequence.type_of(var).clone();
    let classes = subject.classes();
    let Some(class) = classes.find(runtime_class) else { return (declared, false) };
    let package = candidate.package.as_deref().unwrap_or_default();
    let narrower = Some(class) != declared.class_id()
        && !classes.is_generic(class)
        && subject[class].has_name()
        && classes.accessible(class, package)
        && classes.is_subtype(&JavaType::class(class), &declared);
    if narrower { (JavaType::class(class), true) } else { (declared, false) }
}

/// The sequence without literals and lambdas that nothing uses; calls stay, they may have effects.
fn trimmed(sequence: &Sequence, needed: &[bool]) -> Sequence {
    let used = used(sequence);
    sequence
        .retaining(|var| needed[var.index()] || used[var.index()])
        .expect("what a kept statement uses is used")
}

fn renumbered(sequence: &Sequence, var: Var) -> Var {
    let needed = sequence.needed_for([var]);
    let used = used(sequence);
    let before = (0..var.index()).filter(|&position| needed[position] || used[position]).count();
    Var::from_index(before)
}

fn used(sequence: &Sequence) -> Vec<bool> {
    sequence.needed_for(sequence.calls().map(|(var, ..)| var))
}
