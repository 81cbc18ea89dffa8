//! Access flags of classes, fields, methods, parameters and modules.

use std::ops::{BitOr, BitOrAssign};

/// A set of `ACC_…` flags, kept as the class file has them.
///
/// ```
/// use jurat_classfile::Access;
/// let mut access = Access::PUBLIC | Access::FINAL;
/// access.remove(Access::FINAL);
/// assert_eq!(access, Access::PUBLIC);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Access(pub u16);

impl Access {
    /// Visible everywhere.
    pub const PUBLIC: Self = Self(0x0001);
    /// Visible in its own class and nest.
    pub const PRIVATE: Self = Self(0x0002);
    /// Visible in its package and subclasses.
    pub const PROTECTED: Self = Self(0x0004);
    /// Not bound to an instance.
    pub const STATIC: Self = Self(0x0008);
    /// Cannot be overridden, extended or assigned again.
    pub const FINAL: Self = Self(0x0010);
    /// The method locks its receiver.
    pub const SYNCHRONIZED: Self = Self(0x0020);
    /// Set by every modern compiler on classes.
    pub const SUPER: Self = Self(0x0020);
    /// A requirement that holds for those that require this module.
    pub const TRANSITIVE: Self = Self(0x0020);
    /// The field is read and written in order.
    pub const VOLATILE: Self = Self(0x0040);
    /// The method was made by the compiler to match an erased signature.
    pub const BRIDGE: Self = Self(0x0040);
    /// The field is left out of serialization.
    pub const TRANSIENT: Self = Self(0x0080);
    /// The last parameter takes any number of arguments.
    pub const VARARGS: Self = Self(0x0080);
    /// The method's body is not bytecode.
    pub const NATIVE: Self = Self(0x0100);
    /// An interface.
    pub const INTERFACE: Self = Self(0x0200);
    /// Not to be instantiated, or without a body.
    pub const ABSTRACT: Self = Self(0x0400);
    /// Strict floating point, before it was the only kind.
    pub const STRICT: Self = Self(0x0800);
    /// Not in the source.
    pub const SYNTHETIC: Self = Self(0x1000);
    /// An annotation interface.
    pub const ANNOTATION: Self = Self(0x2000);
    /// An enum, or one of its constants.
    pub const ENUM: Self = Self(0x4000);
    /// Demanded by the language, not written in the source.
    pub const MANDATED: Self = Self(0x8000);
    /// The class file is a module descriptor.
    pub const MODULE: Self = Self(0x8000);

    /// True if all of `flags` are set.
    #[must_use]
    pub fn contains(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Sets `flags`.
    pub fn insert(&mut self, flags: Self) {
        self.0 |= flags.0;
    }

    /// Clears `flags`.
    pub fn remove(&mut self, flags: Self) {
        self.0 &= !flags.0;
    }

    /// True for a static member.
    #[must_use]
    pub fn is_static(self) -> bool {
        self.contains(Self::STATIC)
    }

    /// True for an interface, annotation interfaces included.
    #[must_use]
    pub fn is_interface(self) -> bool {
        self.contains(Self::INTERFACE)
    }

    /// True for an abstract class or method.
    #[must_use]
    pub fn is_abstract(self) -> bool {
        self.contains(Self::ABSTRACT)
    }
}

impl BitOr for Access {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Access {
    fn bitor_assign(&mut self, other: Self) {
        self.insert(other);
    }
}
