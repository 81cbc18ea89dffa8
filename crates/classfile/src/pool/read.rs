//! Reads a constant pool and checks that its entries lead to entries of the right kind.

use std::num::NonZeroU16;

use super::entry::{
    ClassIndex, Constant, FieldIndex, HandleKind, MethodIndex, NameAndTypeIndex, PoolIndex, Text, Utf8Index,
};
use super::{ConstantPool, intern};
use crate::fault::{Fault, Problem};
use crate::input::{Input, Read};

impl ConstantPool {
    pub(crate) fn read(input: &mut Input<'_>) -> Read<Self> {
        let count = usize::from(input.u2()?);
        let start = *input;
        let slots = count.saturating_sub(1);
        // The smallest entry takes three bytes, and a slot without bytes follows one of nine.
        let entries = Vec::with_capacity(slots.min(input.remaining() / 3 + 1));
        let mut pool = Self { entries, text: Vec::new(), lookup: intern::Lookup::default() };
        while pool.entries.len() < slots {
            let constant = pool.read_entry(input)?;
            pool.entries.push(constant);
            if constant.is_wide() {
                pool.entries.push(Constant::Unusable);
            }
        }
        if pool.entries.len() > slots {
            return input.fault(Problem::Value { what: "the slot of a two-slot constant", value: 0xFFFF });
        }
        pool.check_links(start)?;
        Ok(pool)
    }

    fn read_entry(&mut self, input: &mut Input<'_>) -> Read<Constant> {
        let offset = input.position();
        Ok(match input.u1()? {
            1 => Constant::Utf8(self.read_text(input)?),
            3 => Constant::Integer(input.u4()?.cast_signed()),
            4 => Constant::Float(input.u4()?),
            5 => Constant::Long(input.u8()?.cast_signed()),
            6 => Constant::Double(input.u8()?),
            7 => Constant::Class(text_link(input)?),
            8 => Constant::String(text_link(input)?),
            9 => Constant::FieldRef { class: class_link(input)?, name_and_type: pair_link(input)? },
            10 => Constant::MethodRef { class: class_link(input)?, name_and_type: pair_link(input)? },
            11 => {
                Constant::InterfaceMethodRef { class: class_link(input)?, name_and_type: pair_link(input)? }
            }
            12 => Constant::NameAndType { name: text_link(input)?, descriptor: text_link(input)? },
            15 => Constant::MethodHandle { kind: handle_kind(input)?, reference: input.u2()? },
            16 => Constant::MethodType(text_link(input)?),
            17 => Constant::Dynamic { bootstrap: input.u2()?, name_and_type: pair_link(input)? },
            18 => Constant::InvokeDynamic { bootstrap: input.u2()?, name_and_type: pair_link(input)? },
            19 => Constant::Module(text_link(input)?),
            20 => Constant::Package(text_link(input)?),
            tag => return Err(Fault { offset, problem: Problem::ConstantTag(tag) }),
        })
    }

    fn read_text(&mut self, input: &mut Input<'_>) -> Read<Text> {
        let length = input.u2()?;
        let bytes = input.take(usize::from(length))?;
        Ok(self.push_text(bytes, length))
    }

    pub(super) fn push_text(&mut self, bytes: &[u8], length: u16) -> Text {
        let start = u32::try_from(self.text.len()).expect("65535 texts of 65535 bytes fit into 32 bits");
        self.text.extend_from_slice(bytes);
        Text { start, length }
    }

    /// Entries may refer forward, so links are checked when all are there.
    fn check_links(&self, start: Input<'_>) -> Read<()> {
        match self.entries.iter().position(|constant| self.broken_link(*constant).is_some()) {
            None => Ok(()),
            Some(broken) => Err(self.link_fault(start, broken)),
        }
    }

    /// The first index in `constant` that leads to the wrong kind of entry, and the kind wanted.
    fn broken_link(&self, constant: Constant) -> Option<(u16, &'static str)> {
        match constant {
            Constant::Class(text)
            | Constant::String(text)
            | Constant::MethodType(text)
            | Constant::Module(text)
            | Constant::Package(text) => self.broken(text),
            Constant::FieldRef { class, name_and_type }
            | Constant::MethodRef { class, name_and_type }
            | Constant::InterfaceMethodRef { class, name_and_type } => {
                self.broken(class).or_else(|| self.broken(name_and_type))
            }
            Constant::NameAndType { name, descriptor } => {
                self.broken(name).or_else(|| self.broken(descriptor))
            }
            Constant::Dynamic { name_and_type, .. } | Constant::InvokeDynamic { name_and_type, .. } => {
                self.broken(name_and_type)
            }
            Constant::MethodHandle { kind, reference } if kind.is_field() => {
                self.broken_raw::<FieldIndex>(reference)
            }
            Constant::MethodHandle { reference, .. } => self.broken_raw::<MethodIndex>(reference),
            Constant::Utf8(_)
            | Constant::Integer(_)
            | Constant::Float(_)
            | Constant::Long(_)
            | Constant::Double(_)
            | Constant::Unusable => None,
        }
    }

    #[inline]
    fn broken<I: PoolIndex>(&self, link: I) -> Option<(u16, &'static str)> {
        self.broken_raw::<I>(link.raw())
    }

    #[inline]
    fn broken_raw<I: PoolIndex>(&self, link: u16) -> Option<(u16, &'static str)> {
        match self.check::<I>(link) {
            Some(_) => None,
            None => Some((link, I::WANTED)),
        }
    }

    /// Walks the pool again to find where the entry with the broken link is.
    #[cold]
    fn link_fault(&self, mut input: Input<'_>, broken: usize) -> Fault {
        for constant in &self.entries[..broken] {
            let size = match constant {
                Constant::Utf8(text) => 3 + usize::from(text.length),
                Constant::Long(_) | Constant::Double(_) => 9,
                Constant::MethodHandle { .. } => 4,
                Constant::Class(_)
                | Constant::String(_)
                | Constant::MethodType(_)
                | Constant::Module(_)
                | Constant::Package(_) => 3,
                Constant::Unusable => 0,
                _ => 5,
            };
            if input.take(size).is_err() {
                break;
            }
        }
        let (index, wanted) = self.broken_link(self.entries[broken]).unwrap_or((0, "an entry"));
        Fault { offset: input.position(), problem: Problem::ConstantIndex { index, wanted } }
    }
}

/// A link that is checked later, except that it cannot be 0.
fn link(input: &mut Input<'_>, wanted: &'static str) -> Read<NonZeroU16> {
    let offset = input.position();
    let problem = Problem::ConstantIndex { index: 0, wanted };
    NonZeroU16::new(input.u2()?).ok_or(Fault { offset, problem })
}

fn text_link(input: &mut Input<'_>) -> Read<Utf8Index> {
    link(input, Utf8Index::WANTED).map(Utf8Index::unchecked)
}

fn class_link(input: &mut Input<'_>) -> Read<ClassIndex> {
    link(input, ClassIndex::WANTED).map(ClassIndex::unchecked)
}

fn pair_link(input: &mut Input<'_>) -> Read<NameAndTypeIndex> {
    link(input, NameAndTypeIndex::WANTED).map(NameAndTypeIndex::unchecked)
}

fn handle_kind(input: &mut Input<'_>) -> Read<HandleKind> {
    let offset = input.position();
    let byte = input.u1()?;
    let problem = Problem::Value { what: "a method handle's kind", value: byte.into() };
    HandleKind::from_byte(byte).ok_or(Fault { offset, problem })
}
