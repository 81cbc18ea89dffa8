//! A method's code and the tables that belong to it.

mod read;
mod write;

pub(crate) use read::Positions;
pub(crate) use write::CodeWriter;

use crate::attribute::{Attribute, Content};
use crate::insn::{Insn, Label};
use crate::pool::{ClassIndex, Utf8Index};

/// The `Code` attribute: instructions, and tables whose positions are labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Words of operand stack needed.
    pub max_stack: u16,
    /// Words of local variables needed.
    pub max_locals: u16,
    /// The instructions.
    pub insns: Vec<Insn>,
    /// Exception handlers; the first that matches wins.
    pub handlers: Vec<Handler>,
    /// Frames, line numbers, variables and the rest.
    pub attributes: Vec<Attribute>,
}

/// Where exceptions thrown in a range of instructions go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The first instruction covered.
    pub start: Label,
    /// The first instruction not covered any more.
    pub end: Label,
    /// Where control goes.
    pub target: Label,
    /// The class caught, or none for all.
    pub catch: Option<ClassIndex>,
}

/// A line number, from one instruction on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineNumber {
    /// The first instruction of the line.
    pub start: Label,
    /// The line in the source file.
    pub line: u16,
}

/// A local variable of the source, and where it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalVariable {
    /// The first instruction where it has a value.
    pub start: Label,
    /// The first instruction where it has none any more.
    pub end: Label,
    /// Its name.
    pub name: Utf8Index,
    /// Its descriptor, or in a `LocalVariableTypeTable` its signature.
    pub descriptor: Utf8Index,
    /// Its slot.
    pub slot: u16,
}

/// A range of source positions, as `javac -Xjcov` writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharacterRange {
    /// The first instruction.
    pub start: Label,
    /// The first instruction after the range.
    pub end: Label,
    /// Where it begins in the source: line times 1024 plus column.
    pub from: u32,
    /// Where it ends in the source.
    pub to: u32,
    /// What kind of source construct it is.
    pub flags: u16,
}

/// The types of locals and stack at one instruction, given relative to the frame before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The instruction.
    pub at: Label,
    /// What changed.
    pub kind: FrameKind,
}

/// What a frame says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// The locals of the frame before, and an empty stack.
    Same {
        /// Written in the long form even where the short one would do.
        extended: bool,
    },
    /// The locals of the frame before, and one value on the stack.
    OneStack {
        /// The value.
        stack: VerificationType,
        /// Written in the long form even where the short one would do.
        extended: bool,
    },
    /// The last one to three locals are gone; the stack is empty.
    Chop(u8),
    /// One to three locals more; the stack is empty.
    Append(Vec<VerificationType>),
    /// Everything spelled out.
    Full(Box<FullFrame>),
}

/// All locals and the whole stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FullFrame {
    /// Local variables; a long or double is one entry.
    pub locals: Vec<VerificationType>,
    /// The operand stack, bottom first; a long or double is one entry.
    pub stack: Vec<VerificationType>,
}

/// A type as the verifier sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerificationType {
    /// Nothing usable.
    Top,
    /// `int` and the smaller types.
    Integer,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `long`.
    Long,
    /// `null`.
    Null,
    /// `this` in a constructor, before the superclass constructor is called.
    UninitializedThis,
    /// An instance of a class or array class.
    Object(ClassIndex),
    /// What the `new` at that instruction made, before its constructor is called.
    Uninitialized(Label),
}

impl VerificationType {
    /// True for the two types that take two words.
    pub fn is_wide(self) -> bool {
        matches!(self, Self::Long | Self::Double)
    }
}

impl Code {
    /// The frames; empty if there are none or they could not be decoded.
    pub fn frames(&self) -> &[Frame] {
        self.attributes
            .iter()
            .find_map(|attribute| match &attribute.content {
                Content::StackMapTable(frames) => Some(frames.as_slice()),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// Line numbers, in the order of the tables.
    pub fn line_numbers(&self) -> impl Iterator<Item = LineNumber> + '_ {
        self.attributes
            .iter()
            .filter_map(|attribute| match &attribute.content {
                Content::LineNumberTable(lines) => Some(lines),
                _ => None,
            })
            .flatten()
            .copied()
    }

    /// Local variables with their descriptors.
    pub fn local_variables(&self) -> impl Iterator<Item = LocalVariable> + '_ {
        self.attributes
            .iter()
            .filter_map(|attribute| match &attribute.content {
                Content::LocalVariableTable(variables) => Some(variables),
                _ => None,
            })
            .flatten()
            .copied()
    }
}
