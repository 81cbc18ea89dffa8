//! One constant, and the typed indices that lead to one.

use std::num::NonZeroU16;

/// One entry of the constant pool. Floating-point values are kept as bits, so that NaNs stay what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// A text.
    Utf8(Text),
    /// An `int`, or a smaller integral type.
    Integer(i32),
    /// The bits of a `float`.
    Float(u32),
    /// A `long`.
    Long(i64),
    /// The bits of a `double`.
    Double(u64),
    /// A class, by binary name.
    Class(Utf8Index),
    /// A string literal.
    String(Utf8Index),
    /// A field of a class.
    FieldRef {
        /// The class named in the source.
        class: ClassIndex,
        /// Name and descriptor.
        name_and_type: NameAndTypeIndex,
    },
    /// A method of a class.
    MethodRef {
        /// The class named in the source.
        class: ClassIndex,
        /// Name and descriptor.
        name_and_type: NameAndTypeIndex,
    },
    /// A method of an interface.
    InterfaceMethodRef {
        /// The interface named in the source.
        class: ClassIndex,
        /// Name and descriptor.
        name_and_type: NameAndTypeIndex,
    },
    /// A name with a descriptor.
    NameAndType {
        /// The name.
        name: Utf8Index,
        /// The descriptor.
        descriptor: Utf8Index,
    },
    /// A method handle.
    MethodHandle {
        /// What the handle does.
        kind: HandleKind,
        /// Raw index of a field or method reference.
        reference: u16,
    },
    /// A method descriptor as a value.
    MethodType(Utf8Index),
    /// A constant computed by a bootstrap method.
    Dynamic {
        /// Position in the `BootstrapMethods` attribute.
        bootstrap: u16,
        /// Name and field descriptor.
        name_and_type: NameAndTypeIndex,
    },
    /// A call site linked by a bootstrap method.
    InvokeDynamic {
        /// Position in the `BootstrapMethods` attribute.
        bootstrap: u16,
        /// Name and method descriptor.
        name_and_type: NameAndTypeIndex,
    },
    /// A module.
    Module(Utf8Index),
    /// A package.
    Package(Utf8Index),
    /// The slot after a `Long` or `Double`.
    Unusable,
}

/// Where the bytes of a `Utf8` entry are; only its own pool can read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Text {
    pub(super) start: u32,
    pub(super) length: u16,
}

/// What a method handle does when invoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum HandleKind {
    /// Reads an instance field.
    GetField = 1,
    /// Reads a static field.
    GetStatic = 2,
    /// Writes an instance field.
    PutField = 3,
    /// Writes a static field.
    PutStatic = 4,
    /// Calls a method of a class.
    InvokeVirtual = 5,
    /// Calls a static method.
    InvokeStatic = 6,
    /// Calls a private or superclass method.
    InvokeSpecial = 7,
    /// Makes an instance.
    NewInvokeSpecial = 8,
    /// Calls a method of an interface.
    InvokeInterface = 9,
}

impl HandleKind {
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            1 => Self::GetField,
            2 => Self::GetStatic,
            3 => Self::PutField,
            4 => Self::PutStatic,
            5 => Self::InvokeVirtual,
            6 => Self::InvokeStatic,
            7 => Self::InvokeSpecial,
            8 => Self::NewInvokeSpecial,
            9 => Self::InvokeInterface,
            _ => return None,
        })
    }

    /// True for the four kinds that lead to a field.
    pub fn is_field(self) -> bool {
        matches!(self, Self::GetField | Self::GetStatic | Self::PutField | Self::PutStatic)
    }
}

impl Constant {
    pub(super) fn tag(self) -> Option<u8> {
        Some(match self {
            Self::Utf8(_) => 1,
            Self::Integer(_) => 3,
            Self::Float(_) => 4,
            Self::Long(_) => 5,
            Self::Double(_) => 6,
            Self::Class(_) => 7,
            Self::String(_) => 8,
            Self::FieldRef { .. } => 9,
            Self::MethodRef { .. } => 10,
            Self::InterfaceMethodRef { .. } => 11,
            Self::NameAndType { .. } => 12,
            Self::MethodHandle { .. } => 15,
            Self::MethodType(_) => 16,
            Self::Dynamic { .. } => 17,
            Self::InvokeDynamic { .. } => 18,
            Self::Module(_) => 19,
            Self::Package(_) => 20,
            Self::Unusable => return None,
        })
    }

    /// True for an entry that takes two slots, and on the stack two words.
    pub fn is_wide(self) -> bool {
        matches!(self, Self::Long(_) | Self::Double(_))
    }
}

/// An index that was checked, once, to lead to an entry of one kind.
pub trait PoolIndex: Copy {
    /// The kind of entry, as error messages name it.
    const WANTED: &'static str;

    /// The typed index, if `constant` (the entry at `index`) is of the right kind.
    fn of(index: u16, constant: Constant) -> Option<Self>;

    /// The index as the class file has it.
    fn raw(self) -> u16;
}

macro_rules! indices {
    ($($(#[$meta:meta])* $name:ident, $wanted:literal, ($pattern:pat);)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(NonZeroU16);

        impl $name {
            pub(crate) fn unchecked(index: NonZeroU16) -> Self {
                Self(index)
            }

            /// The index as the class file has it.
            pub fn raw(self) -> u16 {
                self.0.get()
            }
        }

        impl PoolIndex for $name {
            const WANTED: &'static str = $wanted;

            #[inline]
            fn of(index: u16, constant: Constant) -> Option<Self> {
                match constant {
                    $pattern => NonZeroU16::new(index).map(Self),
                    _ => None,
                }
            }

            #[inline]
            fn raw(self) -> u16 {
                self.0.get()
            }
        }
    )*};
}

indices! {
    /// Leads to a text.
    Utf8Index, "a Utf8", (Constant::Utf8(_));
    /// Leads to a class.
    ClassIndex, "a Class", (Constant::Class(_));
    /// Leads to a string.
    StringIndex, "a String", (Constant::String(_));
    /// Leads to a name with a descriptor.
    NameAndTypeIndex, "a NameAndType", (Constant::NameAndType { .. });
    /// Leads to a field reference.
    FieldIndex, "a Fieldref", (Constant::FieldRef { .. });
    /// Leads to a method reference, of a class or of an interface.
    MethodIndex, "a Methodref", (Constant::MethodRef { .. } | Constant::InterfaceMethodRef { .. });
    /// Leads to a method handle.
    HandleIndex, "a MethodHandle", (Constant::MethodHandle { .. });
    /// Leads to a method type.
    MethodTypeIndex, "a MethodType", (Constant::MethodType(_));
    /// Leads to a dynamically computed constant.
    DynamicIndex, "a Dynamic", (Constant::Dynamic { .. });
    /// Leads to a dynamically computed call site.
    InvokeDynamicIndex, "an InvokeDynamic", (Constant::InvokeDynamic { .. });
    /// Leads to a module.
    ModuleIndex, "a Module", (Constant::Module(_));
    /// Leads to a package.
    PackageIndex, "a Package", (Constant::Package(_));
    /// Leads to a constant that `ldc` can push or a bootstrap method can take.
    LoadableIndex, "a loadable constant", (Constant::Integer(_) | Constant::Float(_) | Constant::Long(_)
        | Constant::Double(_) | Constant::Class(_) | Constant::String(_) | Constant::MethodHandle { .. }
        | Constant::MethodType(_) | Constant::Dynamic { .. });
}

macro_rules! loadable {
    ($($name:ident)*) => {$(
        impl From<$name> for LoadableIndex {
            fn from(index: $name) -> Self {
                Self(index.0)
            }
        }
    )*};
}

loadable! { ClassIndex StringIndex HandleIndex MethodTypeIndex DynamicIndex }
