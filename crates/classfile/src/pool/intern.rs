//! Adds constants, finding equal ones that are there already.

use std::hash::{Hash, Hasher};
use std::num::NonZeroU16;

use jurat_base::FxHashMap;
use thiserror::Error;

use super::ConstantPool;
use super::entry::{
    ClassIndex, Constant, DynamicIndex, FieldIndex, HandleIndex, HandleKind, InvokeDynamicIndex,
    LoadableIndex, MethodIndex, MethodTypeIndex, ModuleIndex, NameAndTypeIndex, PackageIndex, StringIndex,
    Utf8Index,
};
use crate::mutf8;

/// The pool has no room for another constant: 65535 entries is all that the format allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct PoolFull(&'static str);

const FULL: PoolFull = PoolFull("the constant pool is full");
impl PoolFull {
    pub(crate) const BOOTSTRAPS: Self = Self("a class has at most 65535 bootstrap methods");
}

const TOO_LONG: PoolFull = PoolFull("a text of more than 65535 bytes does not fit into the constant pool");

/// From the hash of an entry to its index. Two entries with one hash cost a repeated constant, nothing worse.
#[derive(Clone, Debug, Default)]
pub(super) struct Lookup {
    by_hash: FxHashMap<u64, NonZeroU16>,
    filled: bool,
}

impl ConstantPool {
    /// A text.
    pub fn add_utf8(&mut self, text: &str) -> Result<Utf8Index, PoolFull> {
        self.add_utf8_bytes(&mutf8::encode(text))
    }

    /// A text given in modified UTF-8.
    pub fn add_utf8_bytes(&mut self, bytes: &[u8]) -> Result<Utf8Index, PoolFull> {
        let length = u16::try_from(bytes.len()).map_err(|_| TOO_LONG)?;
        self.fill_lookup();
        let hash = hash_of(&bytes);
        if let Some(found) = self.lookup.by_hash.get(&hash).copied() {
            let index = Utf8Index::unchecked(found);
            if matches!(self.get(found.get()), Some(Constant::Utf8(text)) if self.text_bytes(text) == bytes) {
                return Ok(index);
            }
        }
        self.room_for(1)?;
        let text = self.push_text(bytes, length);
        self.append(Constant::Utf8(text), hash).map(Utf8Index::unchecked)
    }

    /// A class, by binary name (`java/lang/String`) or array descriptor (`[I`).
    pub fn add_class(&mut self, name: &str) -> Result<ClassIndex, PoolFull> {
        self.add_class_bytes(&mutf8::encode(name))
    }

    pub(crate) fn add_class_bytes(&mut self, name: &[u8]) -> Result<ClassIndex, PoolFull> {
        let name = self.add_utf8_bytes(name)?;
        self.intern(Constant::Class(name)).map(ClassIndex::unchecked)
    }

    /// A string literal.
    pub fn add_string(&mut self, value: &str) -> Result<StringIndex, PoolFull> {
        let text = self.add_utf8(value)?;
        self.intern(Constant::String(text)).map(StringIndex::unchecked)
    }

    /// An `int`.
    pub fn add_integer(&mut self, value: i32) -> Result<LoadableIndex, PoolFull> {
        self.intern(Constant::Integer(value)).map(LoadableIndex::unchecked)
    }

    /// A `float`.
    pub fn add_float(&mut self, value: f32) -> Result<LoadableIndex, PoolFull> {
        self.intern(Constant::Float(value.to_bits())).map(LoadableIndex::unchecked)
    }

    /// A `long`.
    pub fn add_long(&mut self, value: i64) -> Result<LoadableIndex, PoolFull> {
        self.intern(Constant::Long(value)).map(LoadableIndex::unchecked)
    }

    /// A `double`.
    pub fn add_double(&mut self, value: f64) -> Result<LoadableIndex, PoolFull> {
        self.intern(Constant::Double(value.to_bits())).map(LoadableIndex::unchecked)
    }

    /// A name with a descriptor.
    pub fn add_name_and_type(&mut self, name: &str, descriptor: &str) -> Result<NameAndTypeIndex, PoolFull> {
        let (name, descriptor) = (self.add_utf8(name)?, self.add_utf8(descriptor)?);
        self.intern(Constant::NameAndType { name, descriptor }).map(NameAndTypeIndex::unchecked)
    }

    /// A field of a class.
    pub fn add_field(&mut self, class: &str, name: &str, descriptor: &str) -> Result<FieldIndex, PoolFull> {
        let (class, name_and_type) = (self.add_class(class)?, self.add_name_and_type(name, descriptor)?);
        self.intern(Constant::FieldRef { class, name_and_type }).map(FieldIndex::unchecked)
    }

    /// A method of a class.
    pub fn add_method(&mut self, class: &str, name: &str, descriptor: &str) -> Result<MethodIndex, PoolFull> {
        let (class, name_and_type) = (self.add_class(class)?, self.add_name_and_type(name, descriptor)?);
        self.intern(Constant::MethodRef { class, name_and_type }).map(MethodIndex::unchecked)
    }

    /// A method of an interface.
    pub fn add_interface_method(
        &mut self,
        interface: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<MethodIndex, PoolFull> {
        let class = self.add_class(interface)?;
        let name_and_type = self.add_name_and_type(name, descriptor)?;
        self.intern(Constant::InterfaceMethodRef { class, name_and_type }).map(MethodIndex::unchecked)
    }

    /// A handle that reads or writes a field; `None` if `kind` calls a method instead.
    pub fn add_field_handle(
        &mut self,
        kind: HandleKind,
        field: FieldIndex,
    ) -> Result<Option<HandleIndex>, PoolFull> {
        self.add_handle(kind.is_field(), kind, field.raw())
    }

    /// A handle that calls a method; `None` if `kind` reads or writes a field instead.
    pub fn add_method_handle(
        &mut self,
        kind: HandleKind,
        method: MethodIndex,
    ) -> Result<Option<HandleIndex>, PoolFull> {
        self.add_handle(!kind.is_field(), kind, method.raw())
    }

    fn add_handle(
        &mut self,
        fits: bool,
        kind: HandleKind,
        reference: u16,
    ) -> Result<Option<HandleIndex>, PoolFull> {
        if !fits {
            return Ok(None);
        }
        self.intern(Constant::MethodHandle { kind, reference })
            .map(|index| Some(HandleIndex::unchecked(index)))
    }

    /// A method descriptor as a value.
    pub fn add_method_type(&mut self, descriptor: &str) -> Result<MethodTypeIndex, PoolFull> {
        let text = self.add_utf8(descriptor)?;
        self.intern(Constant::MethodType(text)).map(MethodTypeIndex::unchecked)
    }

    /// A constant computed by the bootstrap method at position `bootstrap`.
    pub fn add_dynamic(
        &mut self,
        bootstrap: u16,
        name: &str,
        descriptor: &str,
    ) -> Result<DynamicIndex, PoolFull> {
        let name_and_type = self.add_name_and_type(name, descriptor)?;
        self.intern(Constant::Dynamic { bootstrap, name_and_type }).map(DynamicIndex::unchecked)
    }

    /// A call site linked by the bootstrap method at position `bootstrap`.
    pub fn add_invoke_dynamic(
        &mut self,
        bootstrap: u16,
        name: &str,
        descriptor: &str,
    ) -> Result<InvokeDynamicIndex, PoolFull> {
        let name_and_type = self.add_name_and_type(name, descriptor)?;
        self.intern(Constant::InvokeDynamic { bootstrap, name_and_type }).map(InvokeDynamicIndex::unchecked)
    }

    /// A module.
    pub fn add_module(&mut self, name: &str) -> Result<ModuleIndex, PoolFull> {
        let text = self.add_utf8(name)?;
        self.intern(Constant::Module(text)).map(ModuleIndex::unchecked)
    }

    /// A package, with slashes.
    pub fn add_package(&mut self, name: &str) -> Result<PackageIndex, PoolFull> {
        let text = self.add_utf8(name)?;
        self.intern(Constant::Package(text)).map(PackageIndex::unchecked)
    }

    fn intern(&mut self, constant: Constant) -> Result<NonZeroU16, PoolFull> {
        self.fill_lookup();
        let hash = hash_of(&constant);
        if let Some(found) = self.lookup.by_hash.get(&hash)
            && self.get(found.get()) == Some(constant)
        {
            return Ok(*found);
        }
        self.room_for(if constant.is_wide() { 2 } else { 1 })?;
        self.append(constant, hash)
    }

    fn room_for(&self, slots: usize) -> Result<(), PoolFull> {
        if self.count() + slots > usize::from(u16::MAX) { Err(FULL) } else { Ok(()) }
    }

    fn append(&mut self, constant: Constant, hash: u64) -> Result<NonZeroU16, PoolFull> {
        let index = u16::try_from(self.count()).ok().and_then(NonZeroU16::new).ok_or(FULL)?;
        self.entries.push(constant);
        if constant.is_wide() {
            self.entries.push(Constant::Unusable);
        }
        self.lookup.by_hash.entry(hash).or_insert(index);
        Ok(index)
    }

    fn fill_lookup(&mut self) {
        if self.lookup.filled {
            return;
        }
        let mut by_hash = FxHashMap::default();
        by_hash.reserve(self.entries.len() + 32);
        for (index, constant) in self.iter() {
            let hash = match constant {
                Constant::Utf8(text) => hash_of(&self.text_bytes(text)),
                Constant::Unusable => continue,
                other => hash_of(&other),
            };
            if let Some(index) = NonZeroU16::new(index) {
                by_hash.entry(hash).or_insert(index);
            }
        }
        self.lookup = Lookup { by_hash, filled: true };
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_constants_are_added_once() {
        let mut pool = ConstantPool::default();
        let first = pool.add_long(7).expect("room");
        let second = pool.add_string("x").expect("room");
        assert_eq!(pool.add_long(7).expect("room"), first);
        assert_eq!(pool.add_string("x").expect("room"), second);
        assert_eq!(pool.count(), 5);
    }

    #[test]
    fn a_full_pool_says_so() {
        let mut pool = ConstantPool::default();
        let mut last = Ok(pool.add_integer(0).expect("room"));
        for value in 1..70_000 {
            last = pool.add_integer(value);
        }
        assert_eq!(last, Err(FULL));
        assert_eq!(pool.count(), 65_535);
        assert!(pool.add_integer(3).is_ok(), "what is there is still found");
    }

    #[test]
    fn a_text_that_is_too_long_says_so() {
        assert_eq!(ConstantPool::default().add_utf8(&"x".repeat(65_536)), Err(TOO_LONG));
    }
}
