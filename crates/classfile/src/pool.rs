//! The constant pool: append-only, so that an index once handed out stays true.

mod entry;
mod intern;
mod read;

pub use entry::{
    ClassIndex, Constant, DynamicIndex, FieldIndex, HandleIndex, HandleKind, InvokeDynamicIndex,
    LoadableIndex, MethodIndex, MethodTypeIndex, ModuleIndex, NameAndTypeIndex, PackageIndex, PoolIndex,
    StringIndex, Text, Utf8Index,
};
pub use intern::PoolFull;

use std::borrow::Cow;

use crate::mutf8;
use crate::output::Output;

/// The constants of one class.
///
/// ```
/// use jurat_classfile::ConstantPool;
/// let mut pool = ConstantPool::default();
/// let method = pool.add_method("java/lang/Object", "hashCode", "()I")?;
/// let member = pool.method(method);
/// assert_eq!((&*member.class, &*member.name, &*member.descriptor), ("java/lang/Object", "hashCode", "()I"));
/// assert_eq!(pool.add_method("java/lang/Object", "hashCode", "()I")?, method);
/// # Ok::<(), jurat_classfile::PoolFull>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ConstantPool {
    /// Slot 0 is not stored; the slot after a long or double holds `Unusable`.
    entries: Vec<Constant>,
    /// The bytes of all `Utf8` entries, one after the other.
    text: Vec<u8>,
    /// Where equal entries are found when constants are added; built by the first addition.
    lookup: intern::Lookup,
}

/// A field or method, spelled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// Binary name of the class named in the reference.
    pub class: Cow<'a, str>,
    /// The member's name.
    pub name: Cow<'a, str>,
    /// The member's descriptor.
    pub descriptor: Cow<'a, str>,
    /// True if the reference says that the class is an interface.
    pub interface: bool,
}

/// A dynamically computed constant or call site, spelled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dynamic<'a> {
    /// Position in the `BootstrapMethods` attribute.
    pub bootstrap: u16,
    /// The name passed to the bootstrap method.
    pub name: Cow<'a, str>,
    /// Type of the constant, or of the call site.
    pub descriptor: Cow<'a, str>,
}

impl ConstantPool {
    /// The entry at a raw index; `None` if there is none.
    #[inline]
    pub fn get(&self, index: u16) -> Option<Constant> {
        self.entries.get(usize::from(index).wrapping_sub(1)).copied()
    }

    /// The typed form of a raw index, if it names an entry of that kind.
    #[inline]
    pub fn check<I: PoolIndex>(&self, index: u16) -> Option<I> {
        I::of(index, self.get(index)?)
    }

    /// One more than the largest index, as the class file states it.
    pub fn count(&self) -> usize {
        self.entries.len() + 1
    }

    /// All entries with their indices, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u16, Constant)> + '_ {
        (1..).zip(self.entries.iter().copied())
    }

    /// The bytes of a text, in modified UTF-8.
    pub fn utf8_bytes(&self, index: Utf8Index) -> &[u8] {
        match self.get(index.raw()) {
            Some(Constant::Utf8(text)) => self.text_bytes(text),
            _ => b"",
        }
    }

    /// A text. See [`mutf8::decode`] for what becomes of lone surrogates.
    pub fn utf8(&self, index: Utf8Index) -> Cow<'_, str> {
        mutf8::decode(self.utf8_bytes(index))
    }

    /// The binary name of a class (`java/lang/Object`), or the descriptor of an array.
    pub fn class_name(&self, index: ClassIndex) -> Cow<'_, str> {
        self.text_of(self.get(index.raw()))
    }

    /// The name of a class as bytes.
    pub(crate) fn class_name_bytes(&self, index: ClassIndex) -> &[u8] {
        match self.get(index.raw()) {
            Some(Constant::Class(name)) => self.utf8_bytes(name),
            _ => b"",
        }
    }

    /// The value of a string constant. [`ConstantPool::string_utf16`] also holds lone surrogates.
    pub fn string(&self, index: StringIndex) -> Cow<'_, str> {
        self.text_of(self.get(index.raw()))
    }

    /// The chars of a string constant.
    pub fn string_utf16(&self, index: StringIndex) -> Vec<u16> {
        match self.get(index.raw()) {
            Some(Constant::String(text)) => mutf8::utf16(self.utf8_bytes(text)),
            _ => Vec::new(),
        }
    }

    /// The descriptor of a method type.
    pub fn method_type(&self, index: MethodTypeIndex) -> Cow<'_, str> {
        self.text_of(self.get(index.raw()))
    }

    /// The name of a module.
    pub fn module_name(&self, index: ModuleIndex) -> Cow<'_, str> {
        self.text_of(self.get(index.raw()))
    }

    /// The name of a package, with slashes.
    pub fn package_name(&self, index: PackageIndex) -> Cow<'_, str> {
        self.text_of(self.get(index.raw()))
    }

    /// A name and its descriptor.
    pub fn name_and_type(&self, index: NameAndTypeIndex) -> (Cow<'_, str>, Cow<'_, str>) {
        match self.get(index.raw()) {
            Some(Constant::NameAndType { name, descriptor }) => (self.utf8(name), self.utf8(descriptor)),
            _ => (Cow::Borrowed(""), Cow::Borrowed("")),
        }
    }

    /// The field that a reference names.
    pub fn field(&self, index: FieldIndex) -> Member<'_> {
        self.member(index.raw())
    }

    /// The method that a reference names.
    pub fn method(&self, index: MethodIndex) -> Member<'_> {
        self.member(index.raw())
    }

    /// A method handle: its kind and the member it leads to.
    pub fn handle(&self, index: HandleIndex) -> (HandleKind, Member<'_>) {
        match self.get(index.raw()) {
            Some(Constant::MethodHandle { kind, reference }) => (kind, self.member(reference)),
            _ => (HandleKind::GetField, self.member(0)),
        }
    }

    /// A dynamically computed constant.
    pub fn dynamic(&self, index: DynamicIndex) -> Dynamic<'_> {
        self.dynamic_at(index.raw())
    }

    /// A dynamically computed call site.
    pub fn invoke_dynamic(&self, index: InvokeDynamicIndex) -> Dynamic<'_> {
        self.dynamic_at(index.raw())
    }

    fn dynamic_at(&self, index: u16) -> Dynamic<'_> {
        match self.get(index) {
            Some(
                Constant::Dynamic { bootstrap, name_and_type }
                | Constant::InvokeDynamic { bootstrap, name_and_type },
            ) => {
                let (name, descriptor) = self.name_and_type(name_and_type);
                Dynamic { bootstrap, name, descriptor }
            }
            _ => Dynamic { bootstrap: 0, name: Cow::Borrowed(""), descriptor: Cow::Borrowed("") },
        }
    }

    fn member(&self, index: u16) -> Member<'_> {
        let (class, name_and_type, interface) = match self.get(index) {
            Some(
                Constant::FieldRef { class, name_and_type } | Constant::MethodRef { class, name_and_type },
            ) => (class, name_and_type, false),
            Some(Constant::InterfaceMethodRef { class, name_and_type }) => (class, name_and_type, true),
            _ => {
                let empty = Cow::Borrowed("");
                return Member {
                    class: empty.clone(),
                    name: empty.clone(),
                    descriptor: empty,
                    interface: false,
                };
            }
        };
        let (name, descriptor) = self.name_and_type(name_and_type);
        Member { class: self.class_name(class), name, descriptor, interface }
    }

    fn text_of(&self, constant: Option<Constant>) -> Cow<'_, str> {
        match constant {
            Some(
                Constant::Class(text)
                | Constant::String(text)
                | Constant::MethodType(text)
                | Constant::Module(text)
                | Constant::Package(text),
            ) => self.utf8(text),
            _ => Cow::Borrowed(""),
        }
    }

    fn text_bytes(&self, text: Text) -> &[u8] {
        &self.text[text.start as usize..][..usize::from(text.length)]
    }

    pub(crate) fn write(&self, output: &mut Output) -> Result<(), crate::WriteError> {
        output.count(self.count(), "constants")?;
        for constant in &self.entries {
            self.write_entry(output, *constant);
        }
        Ok(())
    }

    fn write_entry(&self, output: &mut Output, constant: Constant) {
        let Some(tag) = constant.tag() else { return };
        output.u1(tag);
        match constant {
            Constant::Utf8(text) => {
                output.u2(text.length);
                output.raw(self.text_bytes(text));
            }
            Constant::Integer(value) => output.u4(value.cast_unsigned()),
            Constant::Float(bits) => output.u4(bits),
            Constant::Long(value) => output.raw(&value.to_be_bytes()),
            Constant::Double(bits) => output.raw(&bits.to_be_bytes()),
            Constant::Class(text)
            | Constant::String(text)
            | Constant::MethodType(text)
            | Constant::Module(text)
            | Constant::Package(text) => output.index(text),
            Constant::FieldRef { class, name_and_type }
            | Constant::MethodRef { class, name_and_type }
            | Constant::InterfaceMethodRef { class, name_and_type } => {
                output.index(class);
                output.index(name_and_type);
            }
            Constant::NameAndType { name, descriptor } => {
                output.index(name);
                output.index(descriptor);
            }
            Constant::MethodHandle { kind, reference } => {
                output.u1(kind as u8);
                output.u2(reference);
            }
            Constant::Dynamic { bootstrap, name_and_type }
            | Constant::InvokeDynamic { bootstrap, name_and_type } => {
                output.u2(bootstrap);
                output.index(name_and_type);
            }
            Constant::Unusable => {}
        }
    }
}
