//! The classes under test and what they reach, resolved and frozen.

use std::collections::BTreeSet;
use std::sync::Arc;

use jurat_base::FxHashMap;

use crate::class::{Class, ClassId, Visibility};
use crate::classes::Classes;
use crate::left_out::LeftOut;
use crate::operation::{OpId, Operation};
use crate::types::{JavaType, Primitive};

/// What a subject is made of.
#[derive(Debug)]
pub struct SubjectParts {
    /// All classes, those under test and those they reach.
    pub classes: Classes,
    /// All operations; each one's id is its position.
    pub operations: Vec<Operation>,
    /// What was left out, in the order it was found.
    pub left_out: Vec<LeftOut>,
    /// Simple names of the top-level classes of packages in which names may clash: those of the
    /// classes under test, and `java.lang`.
    pub package_names: FxHashMap<Arc<str>, BTreeSet<Arc<str>>>,
}

/// The classes under test, resolved and frozen.
#[derive(Debug)]
pub struct Subject {
    parts: SubjectParts,
    under_test: Vec<ClassId>,
    by_owner: Vec<Vec<OpId>>,
    by_result: FxHashMap<JavaType, Vec<OpId>>,
    by_open_result: Vec<OpId>,
}

impl std::ops::Index<OpId> for Subject {
    type Output = Operation;

    fn index(&self, operation: OpId) -> &Operation {
        &self.parts.operations[operation.index()]
    }
}

impl std::ops::Index<ClassId> for Subject {
    type Output = Class;

    fn index(&self, class: ClassId) -> &Class {
        &self.parts.classes[class]
    }
}

impl Subject {
    /// Freezes the parts and indexes them.
    pub fn new(parts: SubjectParts) -> Self {
        let mut by_owner = vec![Vec::new(); parts.classes.len()];
        let mut by_result: FxHashMap<JavaType, Vec<OpId>> = FxHashMap::default();
        let mut by_open_result = Vec::new();
        for operation in &parts.operations {
            by_owner[operation.owner.index()].push(operation.id);
            match &operation.result {
                JavaType::Void => {}
                JavaType::Variable(_) => by_open_result.push(operation.id),
                result => {
                    by_result.entry(parts.classes.erasure(result)).or_default().push(operation.id);
                }
            }
        }
        let mut under_test: Vec<ClassId> =
            parts.classes.ids().filter(|class| parts.classes[*class].under_test).collect();
        under_test.sort_by(|left, right| {
            parts.classes[*left].internal_name.cmp(&parts.classes[*right].internal_name)
        });
        Self { parts, under_test, by_owner, by_result, by_open_result }
    }

    /// The classes and the algebra of their types.
    pub fn classes(&self) -> &Classes {
        &self.parts.classes
    }

    /// All operations in order of id.
    pub fn operations(&self) -> &[Operation] {
        &self.parts.operations
    }

    /// What a class declares, in the order of its class file: fields, then constructors and methods.
    pub fn operations_of(&self, class: ClassId) -> &[OpId] {
        &self.by_owner[class.index()]
    }

    /// The classes the user asked for, in order of name.
    pub fn under_test(&self) -> impl Iterator<Item = ClassId> + '_ {
        self.under_test.iter().copied()
    }

    /// The operations of the classes the user asked for.
    pub fn operations_under_test(&self) -> impl Iterator<Item = &Operation> {
        self.under_test().flat_map(|class| self.operations_of(class)).map(|operation| &self[*operation])
    }

    /// The package in which tests of a class live: its own, or, if that is closed as the JDK's are, one below `jurat`.
    /// What has no package cannot be named in another.
    pub fn test_package(&self, class: ClassId) -> Arc<str> {
        let class = &self[class];
        if class.is_closed && !class.package.is_empty() {
            format!("jurat.{}", class.package).into()
        } else {
            class.package.clone()
        }
    }

    /// The class among whose tests those of a class are: a detail of another one, known to its package at most, is tested
    /// with it.
    pub fn tested_with(&self, class: ClassId) -> ClassId {
        let declared = &self[class];
        let is_detail = matches!(declared.visibility, Visibility::Private | Visibility::Package);
        match declared.outer {
            Some(outer) if is_detail && self[outer].under_test => self.tested_with(outer),
            _ => class,
        }
    }

    /// What was left out, and why.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.parts.left_out
    }

    /// Operations whose erased result is exactly this erased type.
    pub fn producers_of_exactly(&self, erased: &JavaType) -> &[OpId] {
        self.by_result.get(erased).map(Vec::as_slice).unwrap_or_default()
    }

    /// Operations whose result is a bare type variable, so that it may be anything.
    pub fn producers_of_anything(&self) -> &[OpId] {
        &self.by_open_result
    }

    /// Operations whose result may fit where `wanted` is needed, judged by erasure, in order of
    /// id. Whether one really fits is asked of [`Subject::instantiate`].
    pub fn producers(&self, wanted: &JavaType) -> Vec<OpId> {
        let classes = self.classes();
        let erased = classes.erasure(wanted);
        let mut found: Vec<OpId> = Vec::new();
        match &erased {
            JavaType::Void => {}
            JavaType::Primitive(wide) => {
                for narrow in Primitive::ALL.into_iter().filter(|narrow| narrow.widens_to(*wide)) {
                    found.extend(self.producers_of_exactly(&JavaType::Primitive(narrow)));
                }
            }
            JavaType::Class(class_type) => {
                found.extend(self.producers_of_exactly(&erased));
                for below in classes.subtypes(class_type.class) {
                    found.extend(self.producers_of_exactly(&JavaType::class(*below)));
                }
                found.extend(&self.by_open_result);
            }
            _ => {
                found.extend(self.producers_of_exactly(&erased));
                found.extend(&self.by_open_result);
            }
        }
        found.sort_unstable();
        found
    }

    /// True if the package has a top-level class of this simple name.
    pub fn package_declares(&self, package: &str, simple_name: &str) -> bool {
        self.parts.package_names.get(package).is_some_and(|names| names.contains(simple_name))
    }
}
