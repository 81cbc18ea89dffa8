//! Finds the public operations that make a structure: states are reached from constructors, one call at a time, and
//! told apart by their fingerprints.

use std::collections::{BTreeMap, BTreeSet};

use jurat_classfile::{Access, ClassFile};
use jurat_emit::structures::{Recipe, Step, Term};
use jurat_exhaustive::Space;
use jurat_protocol::{Outcome, Wants};

use super::Target;
use super::crew::{Crew, returned};
use super::method::values;
use super::program::{Program, Table, parameters};
use super::recipes::slashed;
use crate::error::RunError;

/// Programs that are run at most.
const PROGRAMS: usize = 20_000;
/// Programs that are run together.
const ROUND: usize = 1_024;
/// Calls after the constructor at most.
const CALLS: usize = 16;

const FINALS: Wants = Wants {
    coverage: false,
    distances: false,
    results: false,
    finals: true,
    effects: false,
    aliases: false,
    elements: false,
    thrown_at: false,
};

/// The fingerprints of structures as recipes make them; none where a recipe does not come to its end.
pub(super) fn fingerprints(
    crew: &mut Crew,
    table: &mut Table,
    recipes: &[Recipe],
) -> Result<Vec<Option<u64>>, RunError> {
    let mut found = Vec::with_capacity(recipes.len());
    for round in recipes.chunks(ROUND) {
        let mut sequences = Vec::new();
        let mut roots = Vec::new();
        for recipe in round {
            let program = Program::new(table, recipe);
            roots.push((program.made(recipe.root), program.len()));
            sequences.push(program.sequence);
        }
        let outcomes = crew.run(table, sequences, FINALS)?;
        let fingerprint = |(outcome, (root, length)): (&Outcome, &(jurat_protocol::Var, usize))| {
            let whole = outcome.endings.len() == *length && returned(outcome.endings.last()).is_some();
            let known = outcome.fingerprints.iter().find(|(var, _)| var == root);
            known
                .filter(|_| whole && !outcome.taint.any() && outcome.attempts.is_empty())
                .map(|(_, hash)| *hash)
        };
        found.extend(outcomes.iter().zip(&roots).map(fingerprint));
    }
    Ok(found)
}

/// Recipes that use public operations only, by the fingerprint of what they make.
pub(super) fn by_operations(
    target: &Target,
    space: &Space,
    crew: &mut Crew,
    table: &mut Table,
    wanted: &BTreeSet<u64>,
) -> Result<BTreeMap<u64, Recipe>, RunError> {
    let mut found: BTreeMap<u64, Recipe> = BTreeMap::new();
    let mut states = beginnings(target, space);
    let mut left = PROGRAMS;
    for _ in 0..=CALLS {
        states.truncate(left);
        left -= states.len();
        let hashes = fingerprints(crew, table, &states)?;
        let mut fresh = Vec::new();
        for (state, hash) in states.into_iter().zip(hashes) {
            if let Some(hash) = hash
                && !found.contains_key(&hash)
            {
                found.insert(hash, state.clone());
                fresh.push(state);
            }
        }
        if left == 0 || fresh.is_empty() || wanted.iter().all(|hash| found.contains_key(hash)) {
            break;
        }
        states = fresh.iter().flat_map(|state| extended(target, space, state)).collect();
    }
    found.retain(|hash, _| wanted.contains(hash));
    Ok(found)
}

/// Every public constructor with every choice of arguments.
fn beginnings(target: &Target, space: &Space) -> Vec<Recipe> {
    let root = slashed(&target.shape.root);
    let Some(class) = target.classes.get(&root) else { return Vec::new() };
    let constructors = members(class, |name| name == "<init>");
    let mut recipes = Vec::new();
    for (_, descriptor) in constructors {
        for (mut recipe, args) in choices(target, space, &Recipe::default(), &descriptor) {
            recipe.root = recipe.steps.len();
            recipe.steps.push(Step::New { class: root.clone(), descriptor: descriptor.clone(), args });
            recipes.push(recipe);
        }
    }
    recipes
}

/// A recipe with one more call, for every public method and every choice of arguments.
fn extended(target: &Target, space: &Space, recipe: &Recipe) -> Vec<Recipe> {
    let root = slashed(&target.shape.root);
    let mut longer = Vec::new();
    let mut known: Vec<(String, String)> = Vec::new();
    for class in target.chain(&root) {
        for (name, descriptor) in members(class, |name| name != "<init>" && name != target.predicate) {
            if known.contains(&(name.clone(), descriptor.clone())) {
                continue;
            }
            known.push((name.clone(), descriptor.clone()));
            for (mut next, args) in choices(target, space, recipe, &descriptor) {
                let (class, name, descriptor) = (class.name().into_owned(), name.clone(), descriptor.clone());
                next.steps.push(Step::Call { class, name, descriptor, receiver: recipe.root, args });
                longer.push(next);
            }
        }
    }
    longer
}

/// Names and descriptors of the methods of a class that everyone may call.
fn members(class: &ClassFile, wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let class_is_public = class.access.contains(Access::PUBLIC);
    let methods = class.methods.iter().filter(|method| {
        let open = method.access.contains(Access::PUBLIC)
            || !class_is_public && !method.access.contains(Access::PRIVATE);
        let plain = !method.access.contains(Access::SYNTHETIC)
            && !method.access.is_static()
            && !method.access.is_abstract();
        open && plain && wanted(&class.pool.utf8(method.name))
    });
    let named = methods.map(|method| {
        (class.pool.utf8(method.name).into_owned(), class.pool.utf8(method.descriptor).into_owned())
    });
    named.filter(|(name, _)| !name.starts_with("<cl")).collect()
}

/// Every choice of arguments for a method, with the recipe that makes the new objects among them.
fn choices(target: &Target, space: &Space, recipe: &Recipe, descriptor: &str) -> Vec<(Recipe, Vec<Term>)> {
    let mut choices = vec![(recipe.clone(), Vec::new())];
    for param in parameters(descriptor) {
        let mut longer = Vec::new();
        for (recipe, args) in &choices {
            for value in values(target, space, recipe, &param) {
                let mut recipe = recipe.clone();
                let value = match value {
                    // Later calls may pass the same object again, so it needs a name.
                    Term::Fresh => {
                        let class = "java/lang/Object".to_owned();
                        let descriptor = "()V".to_owned();
                        recipe.steps.push(Step::New { class, descriptor, args: Vec::new() });
                        Term::Made(recipe.steps.len() - 1)
                    }
                    other => other,
                };
                let mut args: Vec<Term> = args.clone();
                args.push(value);
                longer.push((recipe, args));
            }
        }
        longer.truncate(PROGRAMS);
        choices = longer;
    }
    choices
}
