//! What can be wrong with a class file that is read, and with one that is written.

use std::fmt;

use thiserror::Error;

/// Why bytes are not a class file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct ReadError {
    /// The class, as far as the file got to naming it (binary name, with slashes).
    pub class: Option<String>,
    /// Where and what.
    pub fault: Fault,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.class {
            Some(class) => write!(f, "class {class}: {}", self.fault),
            None => write!(f, "not a class file Jurat can read: {}", self.fault),
        }
    }
}

/// One problem at one place of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Offset in bytes from the start of the class file.
    pub offset: usize,
    /// What was found there.
    pub problem: Problem,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.problem)
    }
}

/// What is wrong at some offset of a class file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// The input ends inside an item.
    #[error("the input ends {missing} bytes too early")]
    Truncated {
        /// How many more bytes the item needs.
        missing: usize,
    },
    /// The first four bytes are not `CAFEBABE`.
    #[error("the magic number is {0:#010x}, not 0xcafebabe")]
    Magic(u32),
    /// A class file format that this version does not know.
    #[error("class file version {0} is newer than {newest} (Java {java}), the newest known", newest = crate::MAX_MAJOR, java = crate::MAX_MAJOR - 44)]
    TooNew(u16),
    /// A class file format that never was.
    #[error("there is no class file version {0}")]
    Version(u16),
    /// A tag that no constant has.
    #[error("unknown constant tag {0}")]
    ConstantTag(u8),
    /// An index into the constant pool that does not lead to the right kind of entry.
    #[error("constant pool index {index} does not name {wanted}")]
    ConstantIndex {
        /// The index found.
        index: u16,
        /// The kind of entry that belongs there.
        wanted: &'static str,
    },
    /// A value outside its range.
    #[error("{what} cannot be {value}")]
    Value {
        /// What the value stands for.
        what: &'static str,
        /// The value found.
        value: u32,
    },
    /// A byte that is no opcode.
    #[error("unknown opcode {0:#04x}")]
    Opcode(u8),
    /// A code offset inside an instruction, or past the code.
    #[error("code offset {0} is not the start of an instruction")]
    Boundary(i64),
    /// Bytes left over after an item.
    #[error("bytes left over: {0}")]
    Excess(usize),
    /// Annotation values nested deeper than any compiler makes them.
    #[error("annotation values nest deeper than {max} levels", max = crate::annotation::MAX_DEPTH)]
    Depth,
}

/// Why a class cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WriteError {
    /// A table with more entries than its count can say.
    #[error("{count} {what} do not fit into the format's limit of {limit}")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A method with more than 65535 bytes of code.
    #[error("method {method} has {size} bytes of code, more than 65535")]
    CodeTooLong {
        /// Name and descriptor.
        method: String,
        /// The size it would have.
        size: usize,
    },
    /// A label past the end of the code.
    #[error("method {method}: label {label} is past the end of the code")]
    Label {
        /// Name and descriptor.
        method: String,
        /// The label.
        label: u32,
    },
    /// A branch further than its instruction reaches.
    #[error("method {method}: the branch at instruction {insn} is too far for its form")]
    Branch {
        /// Name and descriptor.
        method: String,
        /// Position of the branch.
        insn: usize,
    },
    /// A value that its instruction's form cannot hold.
    #[error("method {method}: the operand of instruction {insn} does not fit its form")]
    Operand {
        /// Name and descriptor.
        method: String,
        /// Position of the instruction.
        insn: usize,
    },
    /// Frames or line numbers out of order.
    #[error("method {method}: {what} are not in order of position")]
    Order {
        /// Name and descriptor.
        method: String,
        /// What is out of order.
        what: &'static str,
    },
}

impl WriteError {
    /// Fills in the method, which the code that finds such errors does not know.
    pub(crate) fn in_method(mut self, name: impl FnOnce() -> String) -> Self {
        if let Self::CodeTooLong { method, .. }
        | Self::Label { method, .. }
        | Self::Branch { method, .. }
        | Self::Operand { method, .. }
        | Self::Order { method, .. } = &mut self
        {
            *method = name();
        }
        self
    }
}
