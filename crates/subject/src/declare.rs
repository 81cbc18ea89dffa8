//! What a class file says about its class before any type is resolved.

use std::sync::Arc;

use jurat_classfile::annotation::{Annotation, ElementValue};
use jurat_classfile::{Access, Attribute, ClassFile, Constant, Content, InnerClass};
use jurat_model::{Class, ClassId, ClassKind, Detail, Nesting, Origin, Visibility};

use crate::library::{Place, package_of};

/// The internal name of the class this one is a member of.
pub(crate) fn outer_name(file: &ClassFile) -> Option<String> {
    let outer = match own_entry(file) {
        Some(entry) => entry.outer,
        None => None,
    };
    outer.or_else(|| enclosing(file)).map(|outer| file.pool.class_name(outer).into_owned())
}

fn own_entry(file: &ClassFile) -> Option<&InnerClass> {
    let name = file.name();
    file.attributes.iter().find_map(|attribute| match &attribute.content {
        Content::InnerClasses(entries) => {
            entries.iter().find(|entry| file.pool.class_name(entry.class) == name)
        }
        _ => None,
    })
}

fn enclosing(file: &ClassFile) -> Option<jurat_classfile::ClassIndex> {
    file.attributes.iter().find_map(|attribute| match &attribute.content {
        Content::EnclosingMethod { class, .. } => Some(*class),
        _ => None,
    })
}

/// True if the compiler made the class up.
pub(crate) fn is_synthetic(file: &ClassFile) -> bool {
    let flagged = own_entry(file).is_some_and(|entry| entry.access.contains(Access::SYNTHETIC));
    flagged || file.access.contains(Access::SYNTHETIC) || has(&file.attributes, &Content::Synthetic)
}

/// True if an attribute without content is present.
pub(crate) fn has(attributes: &[Attribute], content: &Content) -> bool {
    attributes.iter().any(|attribute| attribute.content == *content)
}

/// True for members that the compiler made up.
pub(crate) fn is_compilers(access: Access, attributes: &[Attribute]) -> bool {
    access.contains(Access::SYNTHETIC) || has(attributes, &Content::Synthetic)
}

/// The class with all that needs no other class to be known.
pub(crate) fn class(
    name: &Arc<str>,
    file: &ClassFile,
    place: &Place,
    outer: Option<(ClassId, &Class)>,
    distance: u8,
) -> Class {
    let entry = own_entry(file);
    let access = entry.map_or(file.access, |entry| entry.access);
    let kind = kind(file);
    let (simple_name, source_name) = names(name, file, outer.map(|(_, class)| class));
    Class {
        internal_name: name.clone(),
        source_name,
        simple_name: simple_name.clone(),
        package: package_of(name).replace('/', ".").into(),
        module: place.module.clone(),
        exported: place.exported,
        is_closed: place.is_closed,
        origin: place.origin,
        under_test: false,
        distance,
        detail: Detail::Header,
        kind,
        is_abstract: file.access.is_abstract() || kind.is_interface(),
        is_final: file.access.contains(Access::FINAL),
        is_sealed: file
            .attributes
            .iter()
            .any(|attribute| matches!(attribute.content, Content::PermittedSubclasses(_))),
        permitted: Vec::new(),
        is_deprecated: is_deprecated(file, &file.attributes),
        is_for_removal: is_for_removal(file, &file.attributes),
        is_newer: false,
        is_auxiliary: outer.is_none() && is_auxiliary(file, &simple_name),
        visibility: visibility(access),
        nesting: nesting(file, entry),
        outer: outer.map(|(id, _)| id),
        type_params: Vec::new(),
        superclass: None,
        interfaces: Vec::new(),
        enum_constants: Vec::new(),
        fields: Vec::new(),
        record_components: Vec::new(),
        functional: None,
        predicates: Vec::new(),
        implementations: Vec::new(),
        constants: Vec::new(),
        missing: None,
    }
}

fn kind(file: &ClassFile) -> ClassKind {
    let extends = |name: &str| file.super_name().is_some_and(|superclass| superclass == name);
    if file.access.contains(Access::ANNOTATION) {
        ClassKind::Annotation
    } else if file.access.is_interface() {
        ClassKind::Interface
    } else if file.access.contains(Access::ENUM) && extends("java/lang/Enum") {
        ClassKind::Enum
    } else if extends("java/lang/Record") {
        ClassKind::Record
    } else {
        ClassKind::Class
    }
}

fn nesting(file: &ClassFile, entry: Option<&InnerClass>) -> Nesting {
    match entry {
        None if enclosing(file).is_some() => Nesting::Local,
        None => Nesting::TopLevel,
        Some(entry) if entry.name.is_none() => Nesting::Anonymous,
        Some(entry) if entry.outer.is_none() => Nesting::Local,
        Some(entry) if entry.access.is_static() || entry.access.is_interface() => Nesting::Static,
        Some(_) => Nesting::Inner,
    }
}

/// Simple and source name. A dollar sign means nothing by itself: what is nested is what the class
/// file says is nested.
fn names(name: &str, file: &ClassFile, outer: Option<&Class>) -> (Arc<str>, Arc<str>) {
    let inner_name = own_entry(file).and_then(|entry| entry.name);
    if let (Some(outer), Some(inner)) = (outer, inner_name) {
        let simple = file.pool.utf8(inner);
        return (simple.as_ref().into(), format!("{}.{simple}", outer.source_name).into());
    }
    let dotted = name.replace('/', ".");
    let simple = dotted.rsplit('.').next().unwrap_or(&dotted);
    (simple.into(), dotted.as_str().into())
}

pub(crate) fn visibility(access: Access) -> Visibility {
    if access.contains(Access::PUBLIC) {
        Visibility::Public
    } else if access.contains(Access::PROTECTED) {
        Visibility::Protected
    } else if access.contains(Access::PRIVATE) {
        Visibility::Private
    } else {
        Visibility::Package
    }
}

pub(crate) fn is_deprecated(file: &ClassFile, attributes: &[Attribute]) -> bool {
    has(attributes, &Content::Deprecated) || is_annotated(file, attributes, &["Ljava/lang/Deprecated;"])
}

/// True if it is `@Deprecated(forRemoval = true)`.
pub(crate) fn is_for_removal(file: &ClassFile, attributes: &[Attribute]) -> bool {
    let is_true = |value: &ElementValue| match value {
        ElementValue::Constant(b'Z', constant) => {
            matches!(file.pool.get(constant.raw()), Some(Constant::Integer(value)) if value != 0)
        }
        _ => false,
    };
    annotations(attributes)
        .filter(|annotation| file.pool.utf8(annotation.descriptor) == "Ljava/lang/Deprecated;")
        .flat_map(|annotation| &annotation.elements)
        .any(|(name, value)| file.pool.utf8(*name) == "forRemoval" && is_true(value))
}

/// True if the class of this simple name comes from a Java file of another name.
fn is_auxiliary(file: &ClassFile, simple_name: &str) -> bool {
    let named = file.attributes.iter().find_map(|attribute| match attribute.content {
        Content::SourceFile(name) => Some(file.pool.utf8(name)),
        _ => None,
    });
    let stem = named.as_deref().and_then(|name| name.strip_suffix(".java"));
    stem.is_some_and(|stem| stem != simple_name)
}

fn annotations(attributes: &[Attribute]) -> impl Iterator<Item = &Annotation> {
    let lists = attributes.iter().filter_map(|attribute| match &attribute.content {
        Content::Annotations(_, annotations) => Some(annotations),
        _ => None,
    });
    lists.flatten()
}

/// True if one of these annotations is present.
pub(crate) fn is_annotated(file: &ClassFile, attributes: &[Attribute], descriptors: &[&str]) -> bool {
    annotations(attributes)
        .any(|annotation| descriptors.contains(&file.pool.utf8(annotation.descriptor).as_ref()))
}

/// True if the JDK marks it as a preview of a later Java.
pub(crate) fn is_preview(file: &ClassFile, attributes: &[Attribute]) -> bool {
    is_annotated(file, attributes, &["Ljdk/internal/javac/PreviewFeature;", "Ljdk/internal/PreviewFeature;"])
}

/// True if members of the class that are not public can never be called by a test.
pub(crate) fn is_closed(class: &Class) -> bool {
    class.origin == Origin::Jdk
}
