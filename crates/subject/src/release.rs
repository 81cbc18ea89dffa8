//! The Java release of the classes under test: what the JDK has in newer ones only is not for their tests.
//!
//! A test that calls `WeakHashMap.newWeakHashMap` compiles with JDK 25, but not in a build that asks for release 17. What
//! is newer stays known, because compilers see it among overloads, and is marked.

use std::borrow::Cow;
use std::sync::Arc;

use jurat_base::FxHashMap;
use jurat_classfile::{Attribute, ClassFile};
use jurat_classpath::jdk::Jdk;
use jurat_classpath::{ClassPath, Past, Source};

use crate::convert::signature;

/// What the JDK's classes declared in the release for which the selected classes are compiled; none if they still are what
/// they were.
pub(crate) fn release_of(class_path: &ClassPath, selected: &[String], jdk: &Jdk) -> Option<Release> {
    if selected.iter().any(|name| matches!(class_path.source(name), Some(Source::Module(_)))) {
        return None;
    }
    let bytes = selected.iter().filter_map(|name| class_path.read(name).ok().flatten());
    let major = bytes.filter_map(|bytes| Some(u16::from_be_bytes([*bytes.get(6)?, *bytes.get(7)?])));
    // Release 8 is the oldest that tests are written for.
    let release = major.max()?.saturating_sub(44).max(8);
    Some(Release { past: Past::open(jdk, release.into())?, classes: FxHashMap::default() })
}

/// An older release of the JDK.
pub(crate) struct Release {
    past: Past,
    classes: FxHashMap<String, Option<Arc<Members>>>,
}

/// What a class declared, by name and descriptor, with the types as they were written if they are generic; and the classes
/// above it.
struct Members {
    declared: FxHashMap<(String, String), Option<String>>,
    above: Vec<String>,
}

impl Release {
    pub(crate) fn has_class(&mut self, name: &str) -> bool {
        self.class(name).is_some()
    }

    fn class(&mut self, name: &str) -> Option<Arc<Members>> {
        if let Some(known) = self.classes.get(name) {
            return known.clone();
        }
        let file = self.past.read(name).and_then(|bytes| ClassFile::read(&bytes).ok());
        let members = file.as_ref().map(|file| Arc::new(Members::of(file)));
        self.classes.insert(name.to_owned(), members.clone());
        members
    }

    /// Whether a class had a member of these types, or inherited it. Of a class that nothing is known of, all was there.
    pub(crate) fn has(
        &mut self,
        class: &str,
        (name, descriptor): (&str, &str),
        generic: Option<&str>,
    ) -> bool {
        let member = (name.to_owned(), descriptor.to_owned());
        let mut left = vec![class.to_owned()];
        while let Some(above) = left.pop() {
            let Some(members) = self.class(&above) else { return true };
            if let Some(written) = members.declared.get(&member) {
                return above != class || written.as_deref() == generic;
            }
            if name != "<init>" {
                left.extend(members.above.iter().cloned());
            }
        }
        false
    }
}

impl Members {
    fn of(file: &ClassFile) -> Self {
        let member = |name, descriptor, attributes: &[Attribute]| {
            let text = |index| file.pool.utf8(index).into_owned();
            ((text(name), text(descriptor)), signature(file, attributes))
        };
        let methods = file.methods.iter().map(|it| member(it.name, it.descriptor, &it.attributes));
        let fields = file.fields.iter().map(|it| member(it.name, it.descriptor, &it.attributes));
        let above = file.super_name().into_iter().chain(file.interface_names());
        Self { declared: methods.chain(fields).collect(), above: above.map(Cow::into_owned).collect() }
    }
}
