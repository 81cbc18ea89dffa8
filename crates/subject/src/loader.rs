//! Reads classes into the table, each once, and follows what they mention.
//!
//! Work is queued, never recursive, so that no hierarchy is too deep: entering a class gives it an
//! id and its type variables; linking resolves supertypes and bounds; its members are resolved last, nearest
//! classes first, so that the order of ids depends on nothing but the class path.

use std::collections::VecDeque;
use std::sync::Arc;

use jurat_base::FxHashMap;
use jurat_classfile::{ClassFile, Problem};
use jurat_model::{
    Class, ClassId, Detail, JavaType, LeftOut, Nesting, Operation, Origin, Reason, TypeVar, TypeVarId,
    Visibility, WELL_KNOWN,
};

use crate::convert::{Scope, TypeFault};
use crate::error::LoadError;
use crate::library::{Library, Place};
use crate::release::Release;

/// How far from the classes under test operations are still read: 1 is what they mention, 2 what
/// that mentions. What lies one step further is known by its header only.
pub const MAX_DISTANCE: u8 = 2;

/// Everything read so far.
pub(crate) struct Loader<'a> {
    pub(crate) library: &'a Library<'a>,
    /// What of the JDK tests may use, if that is not all.
    pub(crate) release: Option<Release>,
    /// Known names; those that cannot be loaded have no id.
    by_name: FxHashMap<Arc<str>, Option<ClassId>>,
    pub(crate) classes: Vec<Class>,
    pub(crate) variables: Vec<TypeVar>,
    pub(crate) scopes: Vec<Scope>,
    /// What is needed of a class until its members are read.
    files: Vec<Option<ClassFile>>,
    states: Vec<State>,
    /// Operations in the order they were found; ids come later.
    pub(crate) operations: Vec<Operation>,
    pub(crate) left_out: Vec<LeftOut>,
    /// Selected classes of the JDK that code outside cannot name, kept if they hand members down.
    pub(crate) hidden: Vec<ClassId>,
    to_link: VecDeque<ClassId>,
    to_read: [VecDeque<ClassId>; MAX_DISTANCE as usize + 1],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    linked: bool,
    members: bool,
}

impl<'a> Loader<'a> {
    pub(crate) fn new(library: &'a Library<'a>) -> Self {
        Self {
            library,
            release: None,
            by_name: FxHashMap::default(),
            classes: Vec::new(),
            variables: Vec::new(),
            scopes: Vec::new(),
            files: Vec::new(),
            states: Vec::new(),
            operations: Vec::new(),
            left_out: Vec::new(),
            hidden: Vec::new(),
            to_link: VecDeque::new(),
            to_read: Default::default(),
        }
    }

    /// Loads what the language itself needs.
    pub(crate) fn load_well_known(&mut self) -> Result<(), LoadError> {
        for name in WELL_KNOWN {
            if self.intern(name, 1).is_err() {
                let jdk = self.library.jdk.home.display().to_string();
                return Err(LoadError::BrokenJdk { jdk, class: name.replace('/', ".") });
            }
        }
        Ok(())
    }

    /// Loads the classes under test and all they reach.
    pub(crate) fn load_selected(&mut self, selected: &[String]) {
        for name in selected {
            if let Err(reason) = self.take_under_test(name) {
                self.leave_out(&name.replace('/', "."), reason);
            }
        }
        self.drain();
    }

    /// Enters the exceptions that code may throw without any signature that says so, by their headers: tests that
    /// expect one must be able to name it.
    pub(crate) fn load_throwables(&mut self) {
        let library = self.library;
        let public =
            ["java/lang/", "java/util/", "java/io/", "java/nio/", "java/time/", "java/math/", "java/net/"];
        let of_jdk = library.base.names().filter(|name| public.iter().any(|prefix| name.starts_with(prefix)));
        for name in of_jdk.chain(library.class_path.names()) {
            let is_throwable = name.ends_with("Exception") || name.ends_with("Error");
            if is_throwable && !self.by_name.contains_key(name) {
                // One that cannot be read is not named by a test, and nothing else needs it.
                let _ = self.intern(name, MAX_DISTANCE + 1);
            }
        }
        self.drain();
    }

    fn take_under_test(&mut self, name: &str) -> Result<(), Reason> {
        if name.ends_with("module-info") || name.ends_with("package-info") {
            return Err(Reason::Description);
        }
        if self.library.is_shadowed(name) {
            return Err(Reason::Shadowed("the JDK has a class of that name".into()));
        }
        let id = match self.by_name.get(name) {
            Some(Some(id)) => *id,
            // Read as a stranger first: only what passes the checks below is worth more.
            _ => self.read(name, MAX_DISTANCE + 1)?,
        };
        self.check_selected(id)?;
        if self.classes[id.index()].origin == Origin::Jdk && !self.is_exposed(id) {
            self.hidden.push(id);
        } else {
            self.put_under_test(id);
        }
        Ok(())
    }

    /// Whether a class can be under test at all.
    fn check_selected(&self, id: ClassId) -> Result<(), Reason> {
        let class = &self.classes[id.index()];
        if self.file(id).is_some_and(crate::declare::is_synthetic) {
            return Err(Reason::Synthetic);
        }
        let mut around = Some(id);
        while let Some(outer) = around {
            match self.classes[outer.index()].nesting {
                Nesting::Anonymous => return Err(Reason::Anonymous),
                Nesting::Local => return Err(Reason::Local),
                _ => around = self.classes[outer.index()].outer,
            }
        }
        if self.file(id).is_some_and(|file| crate::declare::is_preview(file, &file.attributes)) {
            return Err(Reason::Preview);
        }
        if !class.exported {
            return Err(Reason::NotExported(class.package.clone()));
        }
        let whole_name = class.source_name.split('.');
        if !whole_name.clone().all(jurat_model::is_identifier) {
            return Err(Reason::NotJavaName);
        }
        Ok(())
    }

    /// True if code outside the package can name the class.
    fn is_exposed(&self, id: ClassId) -> bool {
        let class = &self.classes[id.index()];
        class.exported
            && class.visibility == Visibility::Public
            && class.outer.is_none_or(|outer| self.is_exposed(outer))
    }

    fn put_under_test(&mut self, id: ClassId) {
        let class = &mut self.classes[id.index()];
        class.under_test = true;
        class.distance = 0;
        class.detail = Detail::Operations;
        if !self.states[id.index()].members {
            self.to_read[0].push_back(id);
        }
        if self.states[id.index()].linked {
            self.take_handed_down(id);
        }
    }

    /// Public members of a hidden class are members of the public classes below it: a JDK class
    /// brings the hidden classes above it under test.
    fn take_handed_down(&mut self, id: ClassId) {
        let class = &self.classes[id.index()];
        if !class.under_test || class.origin != Origin::Jdk {
            return;
        }
        let above: Vec<ClassId> =
            class.superclass.iter().chain(&class.interfaces).filter_map(JavaType::class_id).collect();
        for above in above {
            let class = &self.classes[above.index()];
            if !class.under_test && class.exported && !self.is_exposed(above) {
                self.put_under_test(above);
            }
        }
    }

    pub(crate) fn leave_out(&mut self, what: &str, reason: Reason) {
        self.left_out.push(LeftOut { what: what.into(), reason });
    }

    /// Works until nothing is left to link or read.
    pub(crate) fn drain(&mut self) {
        loop {
            if let Some(id) = self.to_link.pop_front() {
                self.link(id);
            } else if let Some(id) = self.to_read.iter_mut().find_map(VecDeque::pop_front) {
                self.read_members(id);
            } else {
                return;
            }
        }
    }

    /// The id of a class mentioned at this distance; fails with the name of an absent class.
    pub(crate) fn intern(&mut self, name: &str, distance: u8) -> Result<ClassId, Arc<str>> {
        let distance = distance.min(MAX_DISTANCE + 1);
        match self.by_name.get(name) {
            Some(Some(id)) => {
                let id = *id;
                self.come_nearer(id, distance);
                Ok(id)
            }
            Some(None) => Err(name.into()),
            None => self.read(name, distance).map_err(|_| name.into()),
        }
    }

    fn come_nearer(&mut self, id: ClassId, distance: u8) {
        let class = &mut self.classes[id.index()];
        if distance >= class.distance {
            return;
        }
        class.distance = distance;
        self.schedule(id);
    }

    /// Queues the members of a class that is near enough.
    fn schedule(&mut self, id: ClassId) {
        let class = &mut self.classes[id.index()];
        if class.distance <= MAX_DISTANCE && !self.states[id.index()].members {
            class.detail = Detail::Operations;
            self.to_read[usize::from(class.distance)].push_back(id);
        }
    }

    /// Reads a class file that was not read before.
    fn read(&mut self, name: &str, distance: u8) -> Result<ClassId, Reason> {
        let name: Arc<str> = name.into();
        self.by_name.insert(name.clone(), None);
        let found = self.library.find(&name).ok_or_else(|| Reason::MissingDependency(dotted(&name)))?;
        let file = ClassFile::read(&found.bytes).map_err(|error| match error.fault.problem {
            Problem::TooNew(_) => Reason::TooNew(error.fault.to_string().into()),
            _ => Reason::Corrupt(error.fault.to_string().into()),
        })?;
        if file.name() != *name {
            return Err(Reason::WrongPlace(format!("it declares {}", file.name().replace('/', ".")).into()));
        }
        let id = self.enter(name, file, &found.place, distance).map_err(Reason::MissingDependency)?;
        Ok(id)
    }

    /// Gives the class an id and its type variables their places.
    fn enter(
        &mut self,
        name: Arc<str>,
        file: ClassFile,
        place: &Place,
        distance: u8,
    ) -> Result<ClassId, Arc<str>> {
        let outer = match crate::declare::outer_name(&file) {
            Some(outer) => {
                Some(self.intern(&outer, distance.max(MAX_DISTANCE + 1)).map_err(|name| dotted(&name))?)
            }
            None => None,
        };
        let id = ClassId::from_index(self.classes.len());
        let around = outer.map(|outer| &self.classes[outer.index()]);
        let mut class = crate::declare::class(&name, &file, place, outer.zip(around), distance);
        // Of what is known to its package only, not all is told.
        let is_open = class.exported && class.visibility == Visibility::Public;
        if let Some(release) = self.release.as_mut().filter(|_| class.origin == Origin::Jdk && is_open) {
            class.is_newer = !release.has_class(&name);
        }
        class.fields = self.told_fields(&class, &file);
        self.classes.push(class);
        self.states.push(State::default());
        self.scopes.push(Scope::default());
        self.declare_variables(id, &file);
        self.files.push(Some(file));
        self.by_name.insert(name, Some(id));
        self.to_link.push_back(id);
        self.schedule(id);
        Ok(id)
    }

    /// Resolves supertypes and bounds.
    fn link(&mut self, id: ClassId) {
        self.states[id.index()].linked = true;
        let Some(file) = self.files[id.index()].take() else { return };
        if let Err(fault) = self.link_supertypes(id, &file) {
            let TypeFault::Missing(name) = fault else {
                unreachable!("a class whose signature cannot be resolved falls back to its erasure")
            };
            self.classes[id.index()].missing = Some(dotted(&name));
        }
        let wanted = self.classes[id.index()].detail == Detail::Operations;
        if wanted {
            self.files[id.index()] = Some(file);
        }
        self.take_handed_down(id);
    }

    fn read_members(&mut self, id: ClassId) {
        if std::mem::replace(&mut self.states[id.index()].members, true) {
            return;
        }
        let file = self.files[id.index()].take().or_else(|| self.read_again(id));
        if let Some(file) = file {
            self.resolve_members(id, &file);
        }
    }

    /// A class that came nearer after its file was dropped.
    fn read_again(&self, id: ClassId) -> Option<ClassFile> {
        let found = self.library.find(&self.classes[id.index()].internal_name)?;
        ClassFile::read(&found.bytes).ok()
    }

    fn file(&self, id: ClassId) -> Option<&ClassFile> {
        self.files[id.index()].as_ref()
    }

    pub(crate) fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.index()]
    }

    /// A class that was read.
    pub(crate) fn known(&self, name: &str) -> Option<ClassId> {
        self.by_name.get(name).copied().flatten()
    }

    pub(crate) fn add_variable(&mut self, variable: TypeVar) -> TypeVarId {
        self.variables.push(variable);
        TypeVarId::from_index(self.variables.len() - 1)
    }
}

/// `java.util.Map$Entry` of `java/util/Map$Entry`, for messages.
pub(crate) fn dotted(name: &str) -> Arc<str> {
    name.replace('/', ".").into()
}
