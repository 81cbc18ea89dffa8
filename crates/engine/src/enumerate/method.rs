//! Which method is run on structures, and with which arguments.

use jurat_classfile::{Access, ClassFile};
use jurat_classpath::ClassPath;
use jurat_emit::structures::{Recipe, Step, Term};
use jurat_exhaustive::{FieldType, Space};

use super::Target;
use super::program::parameters;
use super::recipes::{is_reachable, plain_term, slashed};
use crate::error::RunError;

/// Choices of arguments for one structure that are tried at most.
const TUPLES: usize = 10_000;

/// A method that is run on structures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Method {
    /// Internal name of the class that declares it.
    pub(super) class: String,
    pub(super) name: String,
    pub(super) descriptor: String,
    /// Which parameter takes the structure; none if it is the receiver.
    pub(super) at: Option<usize>,
}

impl Method {
    /// The methods that `asked` names: `add`, `add(int)`, or `tree.Trees.count` for a static method that takes the
    /// structure.
    pub(super) fn find(target: &Target, path: &ClassPath, asked: &str) -> Result<Vec<Self>, RunError> {
        let (name, types) = match asked.split_once('(') {
            Some((name, types)) => (name.trim(), Some(types.trim_end_matches(')'))),
            None => (asked.trim(), None),
        };
        let root = slashed(&target.shape.root);
        let mut found =
            Search { name, types, same_package: package(&root), matches: Vec::new(), refused: None };
        match name.rsplit_once('.') {
            None => {
                for class in target.chain(&root) {
                    found.receivers(class);
                }
            }
            Some((owner, method)) => {
                found.name = method;
                let class = read(path, owner)?;
                found.takers(&class, target);
            }
        }
        if found.matches.is_empty() {
            return Err(found.missing(target, asked));
        }
        Ok(found.matches)
    }

    /// Descriptors of the parameters beside the structure.
    pub(super) fn other_params(&self) -> Vec<String> {
        let mut params = parameters(&self.descriptor);
        if let Some(at) = self.at {
            params.remove(at);
        }
        params
    }

    /// Every choice of the other arguments for a structure.
    pub(super) fn tuples(&self, target: &Target, space: &Space, recipe: &Recipe) -> Vec<Vec<Term>> {
        let mut tuples = vec![Vec::new()];
        for param in self.other_params() {
            let values = values(target, space, recipe, &param);
            let mut longer = Vec::with_capacity((tuples.len() * values.len()).min(TUPLES));
            for tuple in &tuples {
                for value in values.iter().take(TUPLES - longer.len().min(TUPLES)) {
                    longer.push([tuple.as_slice(), std::slice::from_ref(value)].concat());
                }
            }
            tuples = longer;
        }
        tuples
    }
}

/// The values that a parameter of this type is given: those of its domain, then objects of the structure.
pub(super) fn values(target: &Target, space: &Space, recipe: &Recipe, descriptor: &str) -> Vec<Term> {
    let Some(ty) = FieldType::from_descriptor(descriptor) else { return vec![Term::Null] };
    let mut values: Vec<Term> = space.values_of(&target.shape, &ty).iter().map(plain_term).collect();
    let wanted = ty.to_string();
    let fits = |made: &str| {
        made == wanted
            || wanted != "java.lang.Object" && target.shape.class(made).is_some_and(|class| class.is(&wanted))
    };
    for (position, step) in recipe.steps.iter().enumerate() {
        let made = match step {
            Step::New { class, .. } | Step::Allocate { class } => class.replace('/', "."),
            Step::Array { element, .. } => FieldType::from_descriptor(&format!("[{element}"))
                .map_or_else(String::new, |ty| ty.to_string()),
            _ => continue,
        };
        if fits(&made) {
            values.push(Term::Made(position));
        }
    }
    if wanted == "java.lang.Object" {
        values.push(Term::Fresh);
    }
    if let FieldType::Array(element) = &ty {
        // No element, or one of any value.
        let descriptor = element.descriptor();
        values.push(Term::Array(descriptor.clone(), Vec::new()));
        let ones = space.values_of(&target.shape, element);
        values.extend(ones.iter().map(|one| Term::Array(descriptor.clone(), vec![plain_term(one)])));
    }
    values
}

struct Search<'a> {
    name: &'a str,
    types: Option<&'a str>,
    same_package: &'a str,
    matches: Vec<Method>,
    refused: Option<&'static str>,
}

impl Search<'_> {
    fn receivers(&mut self, class: &ClassFile) {
        for method in &class.methods {
            if self.is_asked_for(class, method) && !method.access.is_static() {
                self.add(class, method, None);
            }
        }
    }

    fn takers(&mut self, class: &ClassFile, target: &Target) {
        let root = target.shape.class(&target.shape.root);
        for method in &class.methods {
            if !self.is_asked_for(class, method) {
                continue;
            }
            let takes = parameters(&class.pool.utf8(method.descriptor)).iter().position(|param| {
                let ty = FieldType::from_descriptor(param).map_or_else(String::new, |ty| ty.to_string());
                ty != "java.lang.Object" && root.is_some_and(|root| root.is(&ty))
            });
            match takes {
                Some(at) if method.access.is_static() => self.add(class, method, Some(at)),
                Some(_) => self.refused = Some("it is not static"),
                None => self.refused = Some("it does not take the class"),
            }
        }
    }

    fn is_asked_for(&self, class: &ClassFile, method: &jurat_classfile::Method) -> bool {
        let is_own = !method.access.contains(Access::SYNTHETIC) && class.pool.utf8(method.name) == self.name;
        is_own && self.types.is_none_or(|types| same_types(types, &class.pool.utf8(method.descriptor)))
    }

    fn add(&mut self, class: &ClassFile, method: &jurat_classfile::Method, at: Option<usize>) {
        let owner = class.name().into_owned();
        let descriptor = class.pool.utf8(method.descriptor).into_owned();
        if method.access.is_abstract() {
            return;
        }
        if !is_reachable(method.access, package(&owner) == self.same_package) {
            self.refused = Some("tests of its package cannot call it");
            return;
        }
        let params = |descriptor: &str| descriptor.split(')').next().map(str::to_owned);
        // A superclass's method of the same parameters is overridden.
        if self.matches.iter().all(|known| params(&known.descriptor) != params(&descriptor)) {
            self.matches.push(Method { class: owner, name: self.name.to_owned(), descriptor, at });
        }
    }

    fn missing(&self, target: &Target, asked: &str) -> RunError {
        let root = &target.shape.root;
        if let Some(reason) = self.refused {
            return RunError::Usage(format!("--method {asked} cannot be run on structures: {reason}"));
        }
        let mut names: Vec<String> = target
            .chain(&slashed(root))
            .iter()
            .flat_map(|class| class.methods.iter().map(move |method| (class, method)))
            .filter(|(_, method)| !method.access.contains(Access::SYNTHETIC) && !method.access.is_static())
            .map(|(class, method)| class.pool.utf8(method.name).into_owned())
            .filter(|name| !name.starts_with('<') && *name != target.predicate)
            .collect();
        names.sort();
        names.dedup();
        let has = if names.is_empty() { "no other method".to_owned() } else { names.join(", ") };
        RunError::Usage(format!(
            "class {root} has no method {asked}; it has {has}. A static method that takes the class is named with its \
             own class, as in tree.Trees.count"
        ))
    }
}

/// Whether types as people write them, `int, String`, are those of a descriptor.
fn same_types(types: &str, descriptor: &str) -> bool {
    let written: Vec<&str> = types.split(',').map(str::trim).filter(|ty| !ty.is_empty()).collect();
    let params = parameters(descriptor);
    written.len() == params.len()
        && written.iter().zip(&params).all(|(written, param)| {
            let ty = FieldType::from_descriptor(param).map_or_else(String::new, |ty| ty.to_string());
            ty == *written || ty.rsplit(['.', '$']).next() == Some(*written)
        })
}

/// The package of an internal name.
pub(super) fn package(class: &str) -> &str {
    class.rsplit_once('/').map_or("", |(package, _)| package)
}

fn read(path: &ClassPath, class: &str) -> Result<ClassFile, RunError> {
    let mut name = slashed(class);
    let bytes = loop {
        let bytes = path.read(&name).map_err(|error| RunError::Environment(error.to_string()))?;
        match (bytes, name.rfind('/')) {
            (Some(bytes), _) => break bytes,
            // Nested classes may be written with dots.
            (None, Some(at)) => name.replace_range(at..=at, "$"),
            (None, None) => {
                return Err(RunError::Usage(format!("--method: the class path has no class {class}")));
            }
        }
    };
    ClassFile::read(&bytes).map_err(|error| RunError::Environment(format!("{class}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_by_simple_or_full_names() {
        assert!(same_types("int, String", "(ILjava/lang/String;)V"));
        assert!(same_types("java.lang.String", "(Ljava/lang/String;)Z"));
        assert!(same_types("", "()V"));
        assert!(!same_types("long", "(I)V"));
    }
}
