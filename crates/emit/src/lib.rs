//! Turns a suite into Java source: tests a person would keep. No files, no JVM.
//!
//! What is emitted compiles by construction: every name is in scope and accessible, every call means the
//! overload it should, every warning that a statement would cause is silenced where it arises. A test for which
//! that cannot be had is left out, with the reason.

mod aid;
mod body;
mod call;
mod check;
mod class_file;
mod expression;
mod law;
mod layout;
mod lints;
mod literal;
mod locals;
mod mock;
mod reflection;
mod stamp;
pub mod structures;
mod test_name;
mod uses;

use jurat_model::{Obstacle, Subject, Suite};

pub use stamp::{Touch, stamp, touch};

/// Which JUnit the tests are written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Junit {
    /// JUnit 4.13 or newer.
    Four,
    /// JUnit 5.4 or newer.
    #[default]
    Five,
}

/// How tests are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmitOptions {
    /// For which JUnit.
    pub junit: Junit,
    /// The Java release the source must compile under; 8 or newer.
    pub release: u32,
    /// The most lines of one file.
    pub max_lines: usize,
    /// What stands between the class under test and `Test` in the names of test classes.
    pub infix: &'static str,
}

impl Default for EmitOptions {
    fn default() -> Self {
        Self { junit: Junit::default(), release: 8, max_lines: 3000, infix: "Jurat" }
    }
}

/// Which test of a suite is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestId {
    /// Position of its class in the suite.
    pub class: usize,
    /// Its position among the tests of the class.
    pub test: usize,
}

/// A Java source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaFile {
    /// Its package; empty for the unnamed one.
    pub package: String,
    /// Simple name of the class it declares.
    pub class_name: String,
    /// Where it belongs below the source folder: `shop/cache/LruCacheJuratTest.java`.
    pub path: String,
    /// Its text.
    pub text: String,
    /// The tests in it, in order.
    pub tests: Vec<EmittedTest>,
}

/// Where one test of the suite went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmittedTest {
    /// The test.
    pub test: TestId,
    /// Name of the method.
    pub name: String,
    /// First and last line of the method, counted from 1.
    pub lines: (usize, usize),
    /// Which check (by position in the test) stands on which line.
    pub checks: Vec<(usize, usize)>,
}

/// What became of a suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emitted {
    /// The source files.
    pub files: Vec<JavaFile>,
    /// Tests that cannot be written, and why.
    pub left_out: Vec<(TestId, Obstacle)>,
    /// Checks (by position in their test) that cannot be written, and why; their tests were emitted without them.
    pub unasserted: Vec<(TestId, usize, Obstacle)>,
}

/// Writes the tests of a suite, one or a few files for each class under test.
pub fn emit(subject: &Subject, suite: &Suite, options: &EmitOptions) -> Emitted {
    let mut emitted = Emitted::default();
    for (position, class_suite) in suite.classes.iter().enumerate() {
        class_file::write(subject, class_suite, position, options, &mut emitted);
    }
    emitted
}
