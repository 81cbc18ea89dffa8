//! Where classes come from: the JDK first, then the user's class path, as the JVM looks them up.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use jurat_base::{FxHashMap, FxHashSet};
use jurat_classfile::{ClassFile, Content};
use jurat_classpath::jdk::Jdk;
use jurat_classpath::{ClassPath, ClassPathError, Image, Source};
use jurat_model::Origin;

/// All classes that can be found.
pub(crate) struct Library<'a> {
    pub(crate) class_path: &'a ClassPath,
    pub(crate) jdk: &'a Jdk,
    pub(crate) base: ClassPath,
    /// The other modules of the JDK, opened when a class is in none of the places above.
    rest: OnceCell<Option<ClassPath>>,
    image: Image,
    exports: RefCell<FxHashMap<String, Arc<FxHashSet<String>>>>,
}

/// A class file and where it was found.
pub(crate) struct Found {
    pub(crate) bytes: Vec<u8>,
    pub(crate) place: Place,
}

/// Where a class file was found.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) origin: Origin,
    pub(crate) module: Option<Arc<str>>,
    /// Whether the module exports the package to everyone.
    pub(crate) exported: bool,
    /// Whether nobody may add classes to the package.
    pub(crate) is_closed: bool,
}

impl<'a> Library<'a> {
    pub(crate) fn open(class_path: &'a ClassPath, jdk: &'a Jdk) -> Result<Self, ClassPathError> {
        let base = ClassPath::open("jrt:/java.base", jdk.feature, Some(jdk))?;
        let image = Image::open(&jdk.home)?;
        Ok(Self {
            class_path,
            jdk,
            base,
            rest: OnceCell::new(),
            image,
            exports: RefCell::new(FxHashMap::default()),
        })
    }

    /// True if a class of the user's path is never seen, because the JDK has one of that name.
    pub(crate) fn is_shadowed(&self, name: &str) -> bool {
        self.base.contains(name) && !matches!(self.class_path.source(name), Some(Source::Module(_)))
    }

    /// The class of this internal name; none if it is nowhere, or cannot be read from disk.
    pub(crate) fn find(&self, name: &str) -> Option<Found> {
        let holder = [&self.base, self.class_path]
            .into_iter()
            .find(|path| path.contains(name))
            .or_else(|| self.rest().filter(|path| path.contains(name)))?;
        let bytes = holder.read(name).ok().flatten()?;
        Some(Found { bytes, place: self.place(holder, name) })
    }

    fn rest(&self) -> Option<&ClassPath> {
        self.rest.get_or_init(|| ClassPath::of_jdk(self.jdk).ok()).as_ref()
    }

    fn place(&self, holder: &ClassPath, name: &str) -> Place {
        let is_closed = holder.is_closed(name);
        match holder.source(name) {
            Some(Source::Module(module)) => Place {
                origin: Origin::Jdk,
                module: Some(module.as_str().into()),
                exported: self.exports(module).contains(package_of(name)),
                is_closed,
            },
            _ => Place { origin: Origin::ClassPath, module: None, exported: true, is_closed },
        }
    }

    /// The packages (with slashes) that a module of the JDK exports to everyone.
    pub(crate) fn exports(&self, module: &str) -> Arc<FxHashSet<String>> {
        if let Some(known) = self.exports.borrow().get(module) {
            return known.clone();
        }
        let bytes = self.image.module_info(module).ok().flatten().unwrap_or_default();
        let exported =
            Arc::new(ClassFile::read(&bytes).map_or_else(|_| FxHashSet::default(), |file| exported(&file)));
        self.exports.borrow_mut().insert(module.to_owned(), exported.clone());
        exported
    }
}

fn exported(file: &ClassFile) -> FxHashSet<String> {
    let modules = file.attributes.iter().filter_map(|attribute| match &attribute.content {
        Content::Module(module) => Some(module),
        _ => None,
    });
    modules
        .flat_map(|module| &module.exports)
        .filter(|export| export.to.is_empty())
        .map(|export| file.pool.package_name(export.package).into_owned())
        .collect()
}

/// `java/util` of `java/util/Map`; empty for the unnamed package.
pub(crate) fn package_of(name: &str) -> &str {
    name.rfind('/').map_or("", |slash| &name[..slash])
}
