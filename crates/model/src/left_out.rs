//! What the subject does not contain, and why.

use std::fmt;
use std::sync::Arc;

/// Something found in the class path that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The class (`org.foo.Bar`), member (`org.foo.Bar.baz(int)`) or class-path entry.
    pub what: Arc<str>,
    /// Why it cannot be used.
    pub reason: Reason,
}

/// Why something was left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Made by the compiler.
    Synthetic,
    /// Made by the compiler to bridge to the method it overrides.
    Bridge,
    /// Has no name.
    Anonymous,
    /// Has a name only inside the method that declares it.
    Local,
    /// Needs a class that is not in the class path.
    MissingDependency(Arc<str>),
    /// A preview of a later Java, which compiles only when asked for.
    Preview,
    /// The JDK warns of it because it can crash the JVM.
    Restricted,
    /// To be removed, and not what is tested.
    Obsolete,
    /// Gives something else in every JVM, and is not what is tested.
    Fickle,
    /// Changes the JVM for whatever runs after it.
    JvmWide,
    /// Its module keeps the package to itself.
    NotExported(Arc<str>),
    /// A member other code may not use, in a class that tests cannot share a package with.
    NotPublic,
    /// The class file cannot be read.
    Corrupt(Arc<str>),
    /// The class file is of a version Jurat does not know.
    TooNew(Arc<str>),
    /// The generic signature contradicts the descriptor or names variables nobody declares.
    UnresolvableGenerics(Arc<str>),
    /// The name cannot be written in Java source.
    NotJavaName,
    /// The file lies where its name does not belong.
    WrongPlace(Arc<str>),
    /// A module or package description, not a class.
    Description,
    /// Code that was called by a static initializer only, or cannot be called at all.
    Initializer,
    /// The same class comes earlier in the class path.
    Shadowed(Arc<str>),
    /// The user asked for it to be left alone.
    SetAside,
}

impl Reason {
    /// The reason without details, to group by.
    pub fn group(&self) -> &'static str {
        match self {
            Self::Synthetic => "synthetic (made by the compiler)",
            Self::Bridge => "bridge method (made by the compiler)",
            Self::Anonymous => "anonymous class",
            Self::Local => "local class",
            Self::MissingDependency(_) => "missing dependency",
            Self::Preview => "preview feature",
            Self::Restricted => "restricted (can crash the JVM)",
            Self::Obsolete => "to be removed",
            Self::Fickle => "different in every JVM",
            Self::JvmWide => "changes what other tests may do in the same JVM",
            Self::NotExported(_) => "package not exported by its module",
            Self::NotPublic => "not public, and tests cannot be in its package",
            Self::Corrupt(_) => "corrupt class file",
            Self::TooNew(_) => "class file too new",
            Self::UnresolvableGenerics(_) => "unresolvable generics",
            Self::NotJavaName => "name not writable in Java source",
            Self::WrongPlace(_) => "class file in the wrong place",
            Self::Description => "module or package description",
            Self::Initializer => "static initializer",
            Self::Shadowed(_) => "shadowed by an earlier class-path entry",
            Self::SetAside => "set aside in jurat.toml",
        }
    }

    /// A stable key for scripts.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Synthetic => "synthetic",
            Self::Bridge => "bridge",
            Self::Anonymous => "anonymous",
            Self::Local => "local",
            Self::MissingDependency(_) => "missing-dependency",
            Self::Preview => "preview",
            Self::Restricted => "restricted",
            Self::Obsolete => "obsolete",
            Self::Fickle => "fickle",
            Self::JvmWide => "jvm-wide",
            Self::NotExported(_) => "not-exported",
            Self::NotPublic => "not-public",
            Self::Corrupt(_) => "corrupt",
            Self::TooNew(_) => "too-new",
            Self::UnresolvableGenerics(_) => "unresolvable-generics",
            Self::NotJavaName => "not-java-name",
            Self::WrongPlace(_) => "wrong-place",
            Self::Description => "description",
            Self::Initializer => "initializer",
            Self::Shadowed(_) => "shadowed",
            Self::SetAside => "set-aside",
        }
    }

    /// What is particular to this case: the absent class, the offset, the version.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::MissingDependency(detail)
            | Self::NotExported(detail)
            | Self::Corrupt(detail)
            | Self::TooNew(detail)
            | Self::UnresolvableGenerics(detail)
            | Self::WrongPlace(detail)
            | Self::Shadowed(detail) => Some(detail),
            _ => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.detail() {
            Some(detail) => write!(out, "{}: {detail}", self.group()),
            None => out.write_str(self.group()),
        }
    }
}
