//! Turns a class path into a Subject: find, read, resolve.
//!
//! The classes the user selected are read first; then what their signatures mention, and what those
//! mention in turn, each class at most once and only as far as it can matter (see [`MAX_DISTANCE`]).

mod convert;
mod declare;
mod error;
mod factories;
mod finish;
mod functional;
mod implementations;
mod label;
mod library;
mod loader;
mod members;
mod mine;
mod nearest;
mod release;
mod select;
mod wishes;

use jurat_classpath::ClassPath;
use jurat_classpath::jdk::Jdk;
use jurat_model::Subject;

pub use error::LoadError;
pub use loader::MAX_DISTANCE;
pub use select::{Pattern, select};
pub use wishes::Wishes;

use library::Library;
use loader::Loader;

/// What to load.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Where the classes under test and their dependencies are.
    pub class_path: &'a ClassPath,
    /// The JDK they run on.
    pub jdk: &'a Jdk,
    /// Which classes are under test; all if empty.
    pub patterns: &'a [Pattern],
}

/// Loads the selected classes and all they reach.
pub fn load(request: &Request<'_>) -> Result<Subject, LoadError> {
    load_with(request, &Wishes::default())
}

/// Loads the selected classes as the user wishes to see them.
pub fn load_with(request: &Request<'_>, wishes: &Wishes) -> Result<Subject, LoadError> {
    let library = Library::open(request.class_path, request.jdk)?;
    let selected = select(request.class_path, request.patterns)?;
    let mut loader = Loader::new(&library);
    loader.release = release::release_of(request.class_path, &selected, request.jdk);
    loader.load_well_known()?;
    loader.load_selected(&selected);
    wishes.load_checks(&mut loader)?;
    factories::load(&mut loader);
    implementations::load(&mut loader);
    loader.load_throwables();
    wishes.apply(&mut loader)?;
    finish::finish(loader, &selected)
}
