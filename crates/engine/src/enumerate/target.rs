//! The class whose structures are enumerated: its predicate, and the classes that structures are made of.

use std::collections::BTreeMap;
use std::path::Path;

use jurat_classfile::{Access, ClassFile, Constant};
use jurat_classpath::{ClassPath, Source};
use jurat_exhaustive::{ClassKind, ClassShape, FieldShape, FieldType, Shape};
use jurat_instrument::watch::{WatchPlan, runtime_classes, watch};

use crate::error::RunError;

/// Names under which a predicate is looked for, in this order.
pub const PREDICATES: [&str; 6] = ["repOK", "repOk", "checkRep", "invariant", "isValid", "isConsistent"];

/// A class with a predicate, read from a class path.
#[derive(Debug)]
pub struct Target {
    /// The classes that structures may be made of.
    pub shape: Shape,
    /// Name of the predicate.
    pub predicate: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Every class of the subject that the root may use, by binary name with slashes.
    pub(super) classes: BTreeMap<String, ClassFile>,
}

impl Target {
    /// Reads a class, what it uses and the subtypes of what its fields refer to; finds the predicate.
    pub fn read(path: &ClassPath, class: &str, predicate: Option<&str>) -> Result<Self, RunError> {
        let root = find(path, class)?;
        let reader = Reader { path };
        let classes = reader.closure(&root)?;
        let mut target = Self {
            shape: Shape { root: root.replace('/', "."), classes: Vec::new() },
            predicate: String::new(),
            descriptor: String::new(),
            classes,
        };
        target.find_predicate(class, predicate)?;
        target.shape.classes = target.shapes();
        Ok(target)
    }

    /// The superclasses of a class that are the subject's, nearest first, the class itself before them.
    pub(super) fn chain(&self, name: &str) -> Vec<&ClassFile> {
        let mut chain = Vec::new();
        let mut next = Some(name.to_owned());
        while let Some(class) = next.and_then(|name| self.classes.get(&name)) {
            chain.push(class);
            next = class.super_name().map(std::borrow::Cow::into_owned);
        }
        chain
    }

    fn find_predicate(&mut self, class: &str, asked: Option<&str>) -> Result<(), RunError> {
        let root = self.shape.root.replace('.', "/");
        let asked_names = asked.map_or(PREDICATES.to_vec(), |name| vec![name]);
        for name in &asked_names {
            let mut misfit = None;
            for (depth, owner) in self.chain(&root).into_iter().enumerate() {
                for method in owner.methods.iter().filter(|method| owner.pool.utf8(method.name) == *name) {
                    let descriptor = owner.pool.utf8(method.descriptor).into_owned();
                    match unfit(method.access, &descriptor, depth > 0) {
                        None => {
                            (self.predicate, self.descriptor) = ((*name).to_owned(), descriptor);
                            return Ok(());
                        }
                        Some(reason) => misfit = misfit.or(Some(reason)),
                    }
                }
            }
            if let Some(reason) = misfit {
                return Err(RunError::Usage(format!("{name} of {class} is no predicate: {reason}")));
            }
        }
        let looked = asked_names.join(", ");
        Err(RunError::Usage(match asked {
            Some(name) => format!("class {class} has no method {name}()"),
            None => format!(
                "class {class} has no predicate: looked for a method without parameters that returns boolean, named {looked}; \
                 name it with --predicate"
            ),
        }))
    }

    fn shapes(&self) -> Vec<ClassShape> {
        let root = self.shape.root.replace('.', "/");
        // The root first: finitizations list classes in this order.
        let mut names: Vec<&String> = self.classes.keys().collect();
        names.sort_by_key(|name| **name != root);
        names.into_iter().filter_map(|name| self.class_shape(name)).collect()
    }

    fn class_shape(&self, name: &str) -> Option<ClassShape> {
        let class = &self.classes[name];
        let constants = || {
            let is_constant = |field: &&jurat_classfile::Field| field.access.contains(Access::ENUM);
            class
                .fields
                .iter()
                .filter(is_constant)
                .map(|field| class.pool.utf8(field.name).into_owned())
                .collect()
        };
        let is_enum = |class: &ClassFile| class.access.contains(Access::ENUM);
        let kind = if is_enum(class) {
            // A constant with a body is a class of its own below its enum.
            if class.super_name()? != "java/lang/Enum" {
                return None;
            }
            ClassKind::Enum(constants())
        } else if class.access.contains(Access::ABSTRACT) {
            ClassKind::Abstract
        } else {
            ClassKind::Concrete
        };
        let chain = self.chain(name);
        let mut fields = Vec::new();
        for owner in chain.iter().rev().filter(|owner| !is_enum(owner)) {
            for field in owner.fields.iter().filter(|field| !field.access.contains(Access::SYNTHETIC)) {
                fields.push(FieldShape {
                    name: owner.pool.utf8(field.name).into_owned(),
                    declared_in: owner.name().replace('/', "."),
                    ty: FieldType::from_descriptor(&owner.pool.utf8(field.descriptor))?,
                    is_final: field.access.contains(Access::FINAL),
                    is_static: field.access.is_static(),
                });
            }
        }
        let supertypes = self.supertypes(class);
        Some(ClassShape { name: name.replace('/', "."), kind, supertypes, fields })
    }

    fn supertypes(&self, class: &ClassFile) -> Vec<String> {
        let direct = |class: &ClassFile| -> Vec<String> {
            let superclass = class.super_name().map(std::borrow::Cow::into_owned);
            superclass.into_iter().chain(class.interface_names().map(std::borrow::Cow::into_owned)).collect()
        };
        let mut found = direct(class);
        let mut next = 0;
        while let Some(name) = found.get(next).cloned() {
            next += 1;
            for supertype in self.classes.get(&name).map(&direct).unwrap_or_default() {
                if !found.contains(&supertype) {
                    found.push(supertype);
                }
            }
        }
        found.iter().map(|name| name.replace('/', ".")).collect()
    }

    /// Writes the subject's classes, watched, and what they call, below a folder.
    pub(super) fn write_watched(&self, plan: &WatchPlan, folder: &Path) -> Result<(), RunError> {
        for class in self.classes.values() {
            let watched =
                watch(class, plan).map_err(|error| RunError::Usage(format!("cannot watch {error}")))?;
            let bytes = watched.write().map_err(|error| RunError::Usage(format!("cannot watch {error}")))?;
            save(folder, &class.name(), &bytes)?;
        }
        let classes = runtime_classes(plan).map_err(|error| RunError::Bug(error.to_string()))?;
        classes.iter().try_for_each(|(name, bytes)| save(folder, name, bytes))
    }
}

fn save(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), RunError> {
    let file = folder.join(format!("{name}.class"));
    // Workers may be reading: they see the old class or the new one, never a part of one.
    let part = file.with_extension("part");
    let saved = file
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(&part, bytes))
        .and_then(|()| std::fs::rename(&part, &file));
    saved.map_err(|error| RunError::Environment(format!("cannot write {}: {error}", file.display())))
}

/// Why a method is no predicate; none if it is one.
fn unfit(access: Access, descriptor: &str, inherited: bool) -> Option<&'static str> {
    if access.contains(Access::SYNTHETIC) {
        Some("the compiler made it")
    } else if !descriptor.starts_with("()") {
        Some("it has parameters")
    } else if !matches!(descriptor, "()Z" | "()Ljava/lang/Boolean;") {
        Some("it does not return boolean")
    } else if access.is_static() {
        Some("it is static")
    } else if inherited && access.contains(Access::PRIVATE) {
        Some("it is private in a superclass")
    } else {
        None
    }
}

/// The class as the class path names it: dots or slashes, and `$` or a dot before a nested class.
fn find(path: &ClassPath, class: &str) -> Result<String, RunError> {
    let mut name = class.replace('.', "/");
    loop {
        if path.contains(&name) {
            break;
        }
        let Some(at) = name.rfind('/') else {
            return Err(RunError::Usage(format!("the class path has no class {class}{}", near(path, class))));
        };
        name.replace_range(at..=at, "$");
    }
    match path.source(&name) {
        Some(Source::Module(module)) => Err(RunError::Usage(format!(
            "class {class} is the JDK's own (module {module}): fields inside JDK objects are never enumerated"
        ))),
        _ => Ok(name),
    }
}

fn near(path: &ClassPath, class: &str) -> String {
    let simple = class.rsplit(['.', '/', '$']).next().unwrap_or(class);
    let like: Vec<String> = path
        .names()
        .filter(|name| name.rsplit(['/', '$']).next().is_some_and(|last| last.eq_ignore_ascii_case(simple)))
        .take(3)
        .map(|name| name.replace('/', "."))
        .collect();
    if like.is_empty() { String::new() } else { format!("; it has {}", like.join(", ")) }
}

struct Reader<'a> {
    path: &'a ClassPath,
}

impl Reader<'_> {
    fn is_subject(&self, name: &str) -> bool {
        self.path.contains(name) && !matches!(self.path.source(name), Some(Source::Module(_)))
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, RunError> {
        let bytes = self.path.read(name).map_err(|error| RunError::Environment(error.to_string()))?;
        bytes.ok_or_else(|| RunError::Environment(format!("class {name} is gone from the class path")))
    }

    /// The root, everything that code mentions or fields refer to, and the subtypes of all these.
    fn closure(&self, root: &str) -> Result<BTreeMap<String, ClassFile>, RunError> {
        let below = self.direct_subtypes()?;
        let mut classes = BTreeMap::new();
        let mut open = vec![root.to_owned()];
        while let Some(name) = open.pop() {
            if classes.contains_key(&name) || !self.is_subject(&name) {
                continue;
            }
            let class = ClassFile::read(&self.bytes(&name)?)
                .map_err(|error| RunError::Environment(format!("{name}: {error}")))?;
            for (_, constant) in class.pool.iter() {
                if let Constant::Class(text) = constant {
                    open.extend(element_class(&class.pool.utf8(text)));
                }
            }
            for field in class.fields.iter().filter(|field| !field.access.is_static()) {
                open.extend(element_class(&class.pool.utf8(field.descriptor)));
            }
            open.extend(below.get(&name).into_iter().flatten().cloned());
            classes.insert(name, class);
        }
        Ok(classes)
    }

    /// For each class and interface, the classes of the subject right below it.
    fn direct_subtypes(&self) -> Result<BTreeMap<String, Vec<String>>, RunError> {
        let mut below: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in self.path.names().filter(|name| self.is_subject(name)) {
            // What cannot be read is not asked for, or complained about when it is.
            let Ok(header) = ClassFile::read_header(&self.bytes(name)?) else { continue };
            let supertypes = header.super_name().into_iter().chain(header.interface_names());
            for supertype in supertypes.filter(|supertype| self.is_subject(supertype)) {
                below.entry(supertype.into_owned()).or_default().push(name.to_owned());
            }
        }
        Ok(below)
    }
}

/// The class that a class constant or descriptor is about: the element's, for arrays.
fn element_class(text: &str) -> Option<String> {
    let element = text.trim_start_matches('[');
    match element.strip_prefix('L').and_then(|name| name.strip_suffix(';')) {
        Some(name) => Some(name.to_owned()),
        None if element.len() > 1 || text == element && !element.is_empty() => Some(element.to_owned()),
        None => None,
    }
}
