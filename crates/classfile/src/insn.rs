//! Instructions: compact, typed, and with jumps that name instructions instead of byte offsets.

use crate::pool::{ClassIndex, FieldIndex, InvokeDynamicIndex, LoadableIndex, MethodIndex};

/// A position in a method's code: the index of an instruction, or the number of instructions for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub u32);

impl Label {
    /// The label of the instruction at `index`.
    pub fn at(index: usize) -> Self {
        Self(u32::try_from(index).expect("code has fewer than 2^32 instructions"))
    }

    /// The position as an index into `Code::insns`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One instruction. Where the format has several forms for the same thing, the form is remembered, so that code
/// nobody edited is written as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Insn {
    /// An instruction without operands.
    Op(Op),
    /// Pushes a byte as an `int`.
    Bipush(i8),
    /// Pushes a short as an `int`.
    Sipush(i16),
    /// Pushes a constant.
    Ldc {
        /// The constant.
        constant: LoadableIndex,
        /// `ldc`, `ldc_w` or `ldc2_w`.
        form: LdcForm,
    },
    /// Reads or writes a local variable, or returns to the address in it.
    Local {
        /// What to do.
        op: LocalOp,
        /// The variable.
        slot: u16,
        /// How the slot is encoded.
        form: LocalForm,
    },
    /// Adds a constant to a local variable.
    Iinc {
        /// The variable.
        slot: u16,
        /// The constant.
        by: i16,
        /// True for the form with the `wide` prefix.
        wide: bool,
    },
    /// Jumps, perhaps.
    Branch {
        /// When, and how.
        op: BranchOp,
        /// Where to.
        target: Label,
        /// True for `goto_w` and `jsr_w`.
        wide: bool,
    },
    /// Jumps by an index into a dense table.
    TableSwitch(Box<TableSwitch>),
    /// Jumps by a sorted table of keys.
    LookupSwitch(Box<LookupSwitch>),
    /// Reads or writes a field.
    Field {
        /// What to do.
        op: FieldOp,
        /// The field.
        field: FieldIndex,
    },
    /// Calls a method.
    Invoke {
        /// How it is selected.
        op: InvokeOp,
        /// The method.
        method: MethodIndex,
    },
    /// Calls an interface method.
    InvokeInterface {
        /// The method.
        method: MethodIndex,
        /// Words of the receiver and arguments.
        count: u8,
    },
    /// Calls whatever the call site is linked to.
    InvokeDynamic(InvokeDynamicIndex),
    /// Allocates, casts or tests.
    Class {
        /// What to do.
        op: ClassOp,
        /// With which class.
        class: ClassIndex,
    },
    /// Makes an array of a primitive type.
    NewArray(ArrayKind),
    /// Makes an array of arrays.
    MultiNewArray {
        /// The array's class.
        class: ClassIndex,
        /// How many dimensions get a length.
        dimensions: u8,
    },
}

/// Methods have thousands of them, and most are read only to be written again.
const _: () = assert!(size_of::<Insn>() == 16);

/// How a constant is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LdcForm {
    /// `ldc`: index up to 255, one word.
    Short,
    /// `ldc_w`: any index, one word.
    Wide,
    /// `ldc2_w`: any index, two words.
    TwoWords,
}

/// How a local variable's number is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalForm {
    /// In the opcode, as in `iload_0`: slots 0 to 3.
    InOpcode,
    /// In one byte.
    Byte,
    /// In two bytes after the `wide` prefix.
    Wide,
}

/// A jump table for the keys from `low` on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSwitch {
    /// Where all other keys go.
    pub default: Label,
    /// The key of the first target.
    pub low: i32,
    /// Where each key goes; never empty.
    pub targets: Vec<Label>,
    /// The alignment bytes found before the table, zero in nearly all classes.
    pub padding: [u8; 3],
}

/// A jump table of keys in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupSwitch {
    /// Where all other keys go.
    pub default: Label,
    /// Keys and where they go.
    pub pairs: Vec<(i32, Label)>,
    /// The alignment bytes found before the table, zero in nearly all classes.
    pub padding: [u8; 3],
}

macro_rules! opcodes {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $byte:literal, $mnemonic:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "each variant is the instruction of that name in the JVM specification")]
        pub enum $name { $($variant = $byte,)* }

        impl $name {
            /// Every instruction of this kind.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            #[inline]
            pub(crate) fn from_byte(byte: u8) -> Option<Self> {
                match byte {
                    $($byte => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// The name in the JVM specification.
            pub fn mnemonic(self) -> &'static str {
                match self { $(Self::$variant => $mnemonic,)* }
            }
        }
    };
}

opcodes! {
    /// An instruction without operands.
    Op {
        Nop = 0, "nop"; AconstNull = 1, "aconst_null"; IconstM1 = 2, "iconst_m1"; Iconst0 = 3, "iconst_0";
        Iconst1 = 4, "iconst_1"; Iconst2 = 5, "iconst_2"; Iconst3 = 6, "iconst_3"; Iconst4 = 7, "iconst_4";
        Iconst5 = 8, "iconst_5"; Lconst0 = 9, "lconst_0"; Lconst1 = 10, "lconst_1"; Fconst0 = 11, "fconst_0";
        Fconst1 = 12, "fconst_1"; Fconst2 = 13, "fconst_2"; Dconst0 = 14, "dconst_0"; Dconst1 = 15, "dconst_1";
        Iaload = 46, "iaload"; Laload = 47, "laload"; Faload = 48, "faload"; Daload = 49, "daload";
        Aaload = 50, "aaload"; Baload = 51, "baload"; Caload = 52, "caload"; Saload = 53, "saload";
        Iastore = 79, "iastore"; Lastore = 80, "lastore"; Fastore = 81, "fastore"; Dastore = 82, "dastore";
        Aastore = 83, "aastore"; Bastore = 84, "bastore"; Castore = 85, "castore"; Sastore = 86, "sastore";
        Pop = 87, "pop"; Pop2 = 88, "pop2"; Dup = 89, "dup"; DupX1 = 90, "dup_x1"; DupX2 = 91, "dup_x2";
        Dup2 = 92, "dup2"; Dup2X1 = 93, "dup2_x1"; Dup2X2 = 94, "dup2_x2"; Swap = 95, "swap";
        Iadd = 96, "iadd"; Ladd = 97, "ladd"; Fadd = 98, "fadd"; Dadd = 99, "dadd";
        Isub = 100, "isub"; Lsub = 101, "lsub"; Fsub = 102, "fsub"; Dsub = 103, "dsub";
        Imul = 104, "imul"; Lmul = 105, "lmul"; Fmul = 106, "fmul"; Dmul = 107, "dmul";
        Idiv = 108, "idiv"; Ldiv = 109, "ldiv"; Fdiv = 110, "fdiv"; Ddiv = 111, "ddiv";
        Irem = 112, "irem"; Lrem = 113, "lrem"; Frem = 114, "frem"; Drem = 115, "drem";
        Ineg = 116, "ineg"; Lneg = 117, "lneg"; Fneg = 118, "fneg"; Dneg = 119, "dneg";
        Ishl = 120, "ishl"; Lshl = 121, "lshl"; Ishr = 122, "ishr"; Lshr = 123, "lshr";
        Iushr = 124, "iushr"; Lushr = 125, "lushr"; Iand = 126, "iand"; Land = 127, "land";
        Ior = 128, "ior"; Lor = 129, "lor"; Ixor = 130, "ixor"; Lxor = 131, "lxor";
        I2l = 133, "i2l"; I2f = 134, "i2f"; I2d = 135, "i2d"; L2i = 136, "l2i"; L2f = 137, "l2f";
        L2d = 138, "l2d"; F2i = 139, "f2i"; F2l = 140, "f2l"; F2d = 141, "f2d"; D2i = 142, "d2i";
        D2l = 143, "d2l"; D2f = 144, "d2f"; I2b = 145, "i2b"; I2c = 146, "i2c"; I2s = 147, "i2s";
        Lcmp = 148, "lcmp"; Fcmpl = 149, "fcmpl"; Fcmpg = 150, "fcmpg"; Dcmpl = 151, "dcmpl";
        Dcmpg = 152, "dcmpg"; Ireturn = 172, "ireturn"; Lreturn = 173, "lreturn"; Freturn = 174, "freturn";
        Dreturn = 175, "dreturn"; Areturn = 176, "areturn"; Return = 177, "return";
        ArrayLength = 190, "arraylength"; Athrow = 191, "athrow"; MonitorEnter = 194, "monitorenter";
        MonitorExit = 195, "monitorexit";
    }
}

opcodes! {
    /// What is done with a local variable.
    LocalOp {
        Iload = 21, "iload"; Lload = 22, "lload"; Fload = 23, "fload"; Dload = 24, "dload"; Aload = 25, "aload";
        Istore = 54, "istore"; Lstore = 55, "lstore"; Fstore = 56, "fstore"; Dstore = 57, "dstore";
        Astore = 58, "astore"; Ret = 169, "ret";
    }
}

opcodes! {
    /// When a branch is taken.
    BranchOp {
        Ifeq = 153, "ifeq"; Ifne = 154, "ifne"; Iflt = 155, "iflt"; Ifge = 156, "ifge"; Ifgt = 157, "ifgt";
        Ifle = 158, "ifle"; IfIcmpeq = 159, "if_icmpeq"; IfIcmpne = 160, "if_icmpne";
        IfIcmplt = 161, "if_icmplt"; IfIcmpge = 162, "if_icmpge"; IfIcmpgt = 163, "if_icmpgt";
        IfIcmple = 164, "if_icmple"; IfAcmpeq = 165, "if_acmpeq"; IfAcmpne = 166, "if_acmpne";
        Goto = 167, "goto"; Jsr = 168, "jsr"; Ifnull = 198, "ifnull"; Ifnonnull = 199, "ifnonnull";
    }
}

opcodes! {
    /// What is done with a field.
    FieldOp {
        GetStatic = 178, "getstatic"; PutStatic = 179, "putstatic"; GetField = 180, "getfield";
        PutField = 181, "putfield";
    }
}

opcodes! {
    /// How the method to call is selected; interface calls are [`Insn::InvokeInterface`].
    InvokeOp {
        Virtual = 182, "invokevirtual"; Special = 183, "invokespecial"; Static = 184, "invokestatic";
    }
}

opcodes! {
    /// What is done with a class.
    ClassOp {
        New = 187, "new"; NewArray = 189, "anewarray"; CheckCast = 192, "checkcast";
        InstanceOf = 193, "instanceof";
    }
}

opcodes! {
    /// The element type of a primitive array, by its `newarray` code.
    ArrayKind {
        Boolean = 4, "boolean"; Char = 5, "char"; Float = 6, "float"; Double = 7, "double"; Byte = 8, "byte";
        Short = 9, "short"; Int = 10, "int"; Long = 11, "long";
    }
}

impl BranchOp {
    /// The branch taken exactly when this one is not; none for `goto` and `jsr`.
    pub fn inverse(self) -> Option<Self> {
        Some(match self {
            Self::Ifeq => Self::Ifne,
            Self::Ifne => Self::Ifeq,
            Self::Iflt => Self::Ifge,
            Self::Ifge => Self::Iflt,
            Self::Ifgt => Self::Ifle,
            Self::Ifle => Self::Ifgt,
            Self::IfIcmpeq => Self::IfIcmpne,
            Self::IfIcmpne => Self::IfIcmpeq,
            Self::IfIcmplt => Self::IfIcmpge,
            Self::IfIcmpge => Self::IfIcmplt,
            Self::IfIcmpgt => Self::IfIcmple,
            Self::IfIcmple => Self::IfIcmpgt,
            Self::IfAcmpeq => Self::IfAcmpne,
            Self::IfAcmpne => Self::IfAcmpeq,
            Self::Ifnull => Self::Ifnonnull,
            Self::Ifnonnull => Self::Ifnull,
            Self::Goto | Self::Jsr => return None,
        })
    }

    /// True if control may also go on to the next instruction.
    pub fn is_conditional(self) -> bool {
        self.inverse().is_some()
    }
}

impl LocalOp {
    /// True for the five loads.
    pub fn is_load(self) -> bool {
        (self as u8) <= Self::Aload as u8
    }

    /// Words the variable takes.
    pub fn words(self) -> u16 {
        match self {
            Self::Lload | Self::Dload | Self::Lstore | Self::Dstore => 2,
            _ => 1,
        }
    }
}

impl Insn {
    /// Reads or writes a local variable, in the shortest form.
    pub fn local(op: LocalOp, slot: u16) -> Self {
        let form = match slot {
            0..=3 if op != LocalOp::Ret => LocalForm::InOpcode,
            0..=0xFF => LocalForm::Byte,
            _ => LocalForm::Wide,
        };
        Self::Local { op, slot, form }
    }

    /// Adds to a local variable, in the shortest form.
    pub fn iinc(slot: u16, by: i16) -> Self {
        Self::Iinc { slot, by, wide: slot > 0xFF || i8::try_from(by).is_err() }
    }

    /// Jumps, in the short form; see [`BranchOp`].
    pub fn branch(op: BranchOp, target: Label) -> Self {
        Self::Branch { op, target, wide: false }
    }

    /// Jumps always.
    pub fn goto(target: Label) -> Self {
        Self::branch(BranchOp::Goto, target)
    }

    /// Pushes a constant of one word (all but `long`, `double` and dynamic constants of those types).
    pub fn ldc(constant: impl Into<LoadableIndex>) -> Self {
        let constant = constant.into();
        let form = if constant.raw() <= 0xFF { LdcForm::Short } else { LdcForm::Wide };
        Self::Ldc { constant, form }
    }

    /// Pushes a constant of two words.
    pub fn ldc2(constant: impl Into<LoadableIndex>) -> Self {
        Self::Ldc { constant: constant.into(), form: LdcForm::TwoWords }
    }

    /// How many bytes the instruction takes if it stands at `offset`.
    pub(crate) fn size(&self, offset: usize) -> usize {
        let padding = 3 - offset % 4;
        match self {
            Self::Op(_) => 1,
            Self::Bipush(_) | Self::NewArray(_) => 2,
            Self::Sipush(_) | Self::Field { .. } | Self::Invoke { .. } | Self::Class { .. } => 3,
            Self::Ldc { form, .. } => 2 + usize::from(*form != LdcForm::Short),
            Self::Local { form, .. } => match form {
                LocalForm::InOpcode => 1,
                LocalForm::Byte => 2,
                LocalForm::Wide => 4,
            },
            Self::Iinc { wide, .. } => 3 + 3 * usize::from(*wide),
            Self::Branch { wide, .. } => 3 + 2 * usize::from(*wide),
            Self::TableSwitch(switch) => 13 + padding + 4 * switch.targets.len(),
            Self::LookupSwitch(switch) => 9 + padding + 8 * switch.pairs.len(),
            Self::InvokeInterface { .. } | Self::InvokeDynamic(_) => 5,
            Self::MultiNewArray { .. } => 4,
        }
    }

    /// True if the next instruction is never reached from this one by falling through. `jsr` counts as falling
    /// through, because its subroutine comes back.
    pub fn ends_block(&self) -> bool {
        match self {
            Self::Op(op) => matches!(
                op,
                Op::Ireturn | Op::Lreturn | Op::Freturn | Op::Dreturn | Op::Areturn | Op::Return | Op::Athrow
            ),
            Self::Branch { op, .. } => *op == BranchOp::Goto,
            Self::TableSwitch(_) | Self::LookupSwitch(_) => true,
            Self::Local { op, .. } => *op == LocalOp::Ret,
            _ => false,
        }
    }

    /// True for the six return instructions.
    pub fn is_return(&self) -> bool {
        matches!(self, Self::Op(op) if (Op::Ireturn as u8..=Op::Return as u8).contains(&(*op as u8)))
    }

    /// Calls `visit` with every label the instruction may jump to.
    pub fn for_each_target(&self, mut visit: impl FnMut(Label)) {
        match self {
            Self::Branch { target, .. } => visit(*target),
            Self::TableSwitch(switch) => {
                visit(switch.default);
                switch.targets.iter().copied().for_each(visit);
            }
            Self::LookupSwitch(switch) => {
                visit(switch.default);
                switch.pairs.iter().for_each(|(_, target)| visit(*target));
            }
            _ => {}
        }
    }

    /// Replaces every label the instruction may jump to.
    pub fn map_targets(&mut self, mut map: impl FnMut(Label) -> Label) {
        match self {
            Self::Branch { target, .. } => *target = map(*target),
            Self::TableSwitch(switch) => {
                switch.default = map(switch.default);
                for target in &mut switch.targets {
                    *target = map(*target);
                }
            }
            Self::LookupSwitch(switch) => {
                switch.default = map(switch.default);
                for (_, target) in &mut switch.pairs {
                    *target = map(*target);
                }
            }
            _ => {}
        }
    }
}

impl From<Op> for Insn {
    fn from(op: Op) -> Self {
        Self::Op(op)
    }
}
