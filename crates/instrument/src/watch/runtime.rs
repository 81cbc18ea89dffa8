//! The classes that watched code calls, synthesized: what keeps the reads, and what writes and runs.

use jurat_classfile::descriptor::Primitive;
use jurat_classfile::{Access, BranchOp, BuildError, ClassFile, ClassOp, CodeBuilder, FieldOp, LocalOp, Op};

use super::{MARK, PUT, TEST, WatchPlan, from_bits, stride};

/// Static fields of the runtime class that are set and read from outside.
pub mod field {
    /// `int[]`: for each base plus field number, the position plus one; 0 for fields that do not vary.
    pub const POSITIONS: &str = "positions";
    /// `int[]`: positions that the last run read and that were not known.
    pub const READS: &str = "reads";
    /// `int[]`: positions that the last run wrote.
    pub const WRITES: &str = "writes";
    /// `boolean[]`: by position, whether the read of an array's length or element is known.
    pub const SEEN: &str = "seen";
    /// `Object[]`: the arrays that are ours.
    pub const ARRAYS: &str = "arrays";
    /// `int[]`: for each of them the position of its length, plus one.
    pub const BASES: &str = "bases";
    /// `int`: how many back-edges a run may take.
    pub const BUDGET: &str = "budget";
    /// `Object`: the root.
    pub const ROOT: &str = "root";
    /// `Throwable`: what the last failed run threw.
    pub const THROWN: &str = "thrown";
    /// `Object`: the array that was looked up last; to be cleared when the arrays change.
    pub const LAST: &str = "last";
    /// `int`: how many calls of the last run had not returned when it ended, where calls are counted.
    pub const DEPTH: &str = "depth";
}

/// What the name of the error ends with that ends a run which takes too long.
pub const CUT: &str = "Cut";
/// What the name of the error ends with that is thrown instead of ending the JVM.
pub const EXIT: &str = "Exit";

/// How deep counted calls may nest; a stack has room for many more.
pub const DEEPEST: i32 = 4_000;

pub(super) const STATIC: Access = Access(Access::PUBLIC.0 | Access::STATIC.0);

/// The name of the interface of watched classes.
pub(super) fn interface(runtime: &str) -> String {
    format!("{runtime}ed")
}

/// The classes beside the subject's: binary name with slashes, and bytes.
pub fn runtime_classes(plan: &WatchPlan) -> Result<Vec<(String, Vec<u8>)>, BuildError> {
    let mut classes = vec![runtime(plan)?, watched(plan)?];
    for suffix in [CUT, EXIT] {
        let mut error = ClassFile::new(&format!("{}{suffix}", plan.runtime), "java/lang/Error")?;
        error.add_default_constructor()?;
        classes.push(error);
    }
    let bytes = classes.iter().map(|class| {
        let bytes = class.write().expect("a few small methods fit into a class file");
        (class.name().into_owned(), bytes)
    });
    Ok(bytes.collect())
}

fn watched(plan: &WatchPlan) -> Result<ClassFile, BuildError> {
    let mut class = ClassFile::new(&interface(&plan.runtime), "java/lang/Object")?;
    class.access = Access::PUBLIC | Access::INTERFACE | Access::ABSTRACT;
    class.add_bodiless_method(Access::PUBLIC | Access::ABSTRACT, PUT, "(ILjava/lang/Object;)V")?;
    class.add_bodiless_method(Access::PUBLIC | Access::ABSTRACT, PUT, "(IJ)V")?;
    class.add_bodiless_method(Access::PUBLIC | Access::ABSTRACT, MARK, "(IZ)V")?;
    Ok(class)
}

fn runtime(plan: &WatchPlan) -> Result<ClassFile, BuildError> {
    let mut class = ClassFile::new(&plan.runtime, "java/lang/Object")?;
    let fields = [
        (field::POSITIONS, "[I"),
        (field::READS, "[I"),
        (field::WRITES, "[I"),
        (field::SEEN, "[Z"),
        (field::ARRAYS, "[Ljava/lang/Object;"),
        (field::BASES, "[I"),
        (field::BUDGET, "I"),
        (field::ROOT, "Ljava/lang/Object;"),
        (field::THROWN, "Ljava/lang/Throwable;"),
        (field::LAST, "Ljava/lang/Object;"),
        (field::DEPTH, "I"),
        ("lastBase", "I"),
        ("count", "I"),
        ("wrote", "I"),
        ("fuel", "I"),
    ];
    for (name, descriptor) in fields {
        class.add_field(STATIC, name, descriptor)?;
    }
    let this = Runtime { name: &plan.runtime, plan };
    class.add_method(STATIC, "read", "(II)V", |code| this.read(code))?;
    class.add_method(STATIC, "wrote", "(II)V", |code| this.wrote(code))?;
    class.add_method(STATIC, "tick", "()V", |code| this.tick(code))?;
    class.add_method(STATIC, "enter", "()V", |code| this.enter(code))?;
    class.add_method(STATIC, "leave", "()V", |code| this.leave(code))?;
    class.add_method(STATIC, "exit", "(I)V", |code| this.throw(code, EXIT))?;
    class.add_method(STATIC, "exit", "(Ljava/lang/Runtime;I)V", |code| this.throw(code, EXIT))?;
    class.add_method(STATIC, "find", "(Ljava/lang/Object;)I", |code| this.find(code))?;
    class.add_method(STATIC, "report", "(I)V", |code| this.report(code))?;
    class.add_method(STATIC, "length", "(Ljava/lang/Object;)V", |code| this.length(code))?;
    class.add_method(STATIC, "element", "(Ljava/lang/Object;I)V", |code| this.element(code))?;
    class.add_method(STATIC, "all", "(Ljava/lang/Object;)V", |code| this.all(code))?;
    class.add_method(STATIC, "put", PUT_DESCRIPTOR, |code| this.put(code))?;
    class.add_method(STATIC, "run", "()I", |code| this.run(code))?;
    class.add_method(STATIC, "replay", REPLAY_DESCRIPTOR, |code| this.replay(code))?;
    stride::add(&mut class, &plan.runtime)?;
    Ok(class)
}

/// Target, field number or index, values if they are references, values if they are primitive, choice.
pub(super) const PUT_DESCRIPTOR: &str = "(Ljava/lang/Object;I[Ljava/lang/Object;[JI)V";
/// By write: target, number, values if they are references, values if they are primitive, choice (negative if the
/// predicate is not run after the write). Gives how many runs were not rejected.
const REPLAY_DESCRIPTOR: &str = "([Ljava/lang/Object;[I[[Ljava/lang/Object;[[J[I)I";

struct Runtime<'a> {
    name: &'a str,
    plan: &'a WatchPlan,
}

pub(super) type Built = Result<(), BuildError>;

impl Runtime<'_> {
    fn get(&self, code: &mut CodeBuilder<'_>, name: &str, descriptor: &str) -> Built {
        Ok(code.field(FieldOp::GetStatic, self.name, name, descriptor)?)
    }

    fn set(&self, code: &mut CodeBuilder<'_>, name: &str, descriptor: &str) -> Built {
        Ok(code.field(FieldOp::PutStatic, self.name, name, descriptor)?)
    }

    fn call(&self, code: &mut CodeBuilder<'_>, name: &str, descriptor: &str) -> Built {
        Ok(code.invoke_static(self.name, name, descriptor)?)
    }

    /// Appends the position in `slot` to a list, if there is room.
    fn append(&self, code: &mut CodeBuilder<'_>, slot: u16, list: &str, count: &str) -> Built {
        let full = code.label();
        self.get(code, count, "I")?;
        self.get(code, list, "[I")?;
        code.push(Op::ArrayLength);
        code.branch(BranchOp::IfIcmpge, full);
        self.get(code, list, "[I")?;
        self.get(code, count, "I")?;
        code.local(LocalOp::Iload, slot);
        code.push(Op::Iastore);
        self.get(code, count, "I")?;
        code.push(Op::Iconst1);
        code.push(Op::Iadd);
        self.set(code, count, "I")?;
        code.place(full);
        Ok(())
    }

    /// Finds the position of a field in the table, and leaves if it has none; the position goes to slot 2.
    fn position(&self, code: &mut CodeBuilder<'_>) -> Built {
        let (ours, varies) = (code.label(), code.label());
        code.local(LocalOp::Iload, 0);
        code.branch(BranchOp::Ifne, ours);
        code.push(Op::Return);
        code.place(ours);
        self.get(code, field::POSITIONS, "[I")?;
        code.local(LocalOp::Iload, 0);
        code.local(LocalOp::Iload, 1);
        code.push(Op::Iadd);
        code.push(Op::Iaload);
        code.push(Op::Iconst1);
        code.push(Op::Isub);
        code.local(LocalOp::Istore, 2);
        code.local(LocalOp::Iload, 2);
        code.branch(BranchOp::Ifge, varies);
        code.push(Op::Return);
        code.place(varies);
        Ok(())
    }

    fn read(&self, code: &mut CodeBuilder<'_>) -> Built {
        self.position(code)?;
        self.append(code, 2, field::READS, "count")?;
        code.push(Op::Return);
        Ok(())
    }

    fn wrote(&self, code: &mut CodeBuilder<'_>) -> Built {
        self.position(code)?;
        self.append(code, 2, field::WRITES, "wrote")?;
        code.push(Op::Return);
        Ok(())
    }

    fn tick(&self, code: &mut CodeBuilder<'_>) -> Built {
        let enough = code.label();
        self.get(code, "fuel", "I")?;
        code.push(Op::Iconst1);
        code.push(Op::Isub);
        code.push(Op::Dup);
        self.set(code, "fuel", "I")?;
        code.branch(BranchOp::Ifge, enough);
        // Stays empty, however often it is caught.
        code.push(Op::Iconst0);
        self.set(code, "fuel", "I")?;
        self.throw(code, CUT)?;
        code.place(enough);
        code.push(Op::Return);
        Ok(())
    }

    /// Throws what a stack that overflows would, only earlier: in the subject's own code, where it does no harm.
    fn enter(&self, code: &mut CodeBuilder<'_>) -> Built {
        let enough = code.label();
        self.get(code, field::DEPTH, "I")?;
        code.push(Op::Iconst1);
        code.push(Op::Iadd);
        code.push(Op::Dup);
        self.set(code, field::DEPTH, "I")?;
        code.push_int(DEEPEST)?;
        code.branch(BranchOp::IfIcmple, enough);
        code.class(ClassOp::New, "java/lang/StackOverflowError")?;
        code.push(Op::Dup);
        code.invoke_special("java/lang/StackOverflowError", "<init>", "()V")?;
        code.push(Op::Athrow);
        code.place(enough);
        code.push(Op::Return);
        Ok(())
    }

    fn leave(&self, code: &mut CodeBuilder<'_>) -> Built {
        self.get(code, field::DEPTH, "I")?;
        code.push(Op::Iconst1);
        code.push(Op::Isub);
        self.set(code, field::DEPTH, "I")?;
        code.push(Op::Return);
        Ok(())
    }

    fn throw(&self, code: &mut CodeBuilder<'_>, suffix: &str) -> Built {
        let error = format!("{}{suffix}", self.name);
        code.class(ClassOp::New, &error)?;
        code.push(Op::Dup);
        code.invoke_special(&error, "<init>", "()V")?;
        code.push(Op::Athrow);
        Ok(())
    }

    /// The position of an array's length, plus one; 0 if the array is none of ours.
    fn find(&self, code: &mut CodeBuilder<'_>) -> Built {
        let (search, again, next, none) = (code.label(), code.label(), code.label(), code.label());
        code.local(LocalOp::Aload, 0);
        self.get(code, field::LAST, "Ljava/lang/Object;")?;
        code.branch(BranchOp::IfAcmpne, search);
        self.get(code, "lastBase", "I")?;
        code.push(Op::Ireturn);
        code.place(search);
        code.push(Op::Iconst0);
        code.local(LocalOp::Istore, 1);
        code.place(again);
        code.local(LocalOp::Iload, 1);
        self.get(code, field::ARRAYS, "[Ljava/lang/Object;")?;
        code.push(Op::ArrayLength);
        code.branch(BranchOp::IfIcmpge, none);
        self.get(code, field::ARRAYS, "[Ljava/lang/Object;")?;
        code.local(LocalOp::Iload, 1);
        code.push(Op::Aaload);
        code.local(LocalOp::Aload, 0);
        code.branch(BranchOp::IfAcmpne, next);
        code.local(LocalOp::Aload, 0);
        self.set(code, field::LAST, "Ljava/lang/Object;")?;
        self.get(code, field::BASES, "[I")?;
        code.local(LocalOp::Iload, 1);
        code.push(Op::Iaload);
        code.push(Op::Dup);
        self.set(code, "lastBase", "I")?;
        code.push(Op::Ireturn);
        code.place(next);
        code.push(jurat_classfile::Insn::iinc(1, 1));
        code.branch(BranchOp::Goto, again);
        code.place(none);
        code.local(LocalOp::Aload, 0);
        self.set(code, field::LAST, "Ljava/lang/Object;")?;
        code.push(Op::Iconst0);
        self.set(code, "lastBase", "I")?;
        code.push(Op::Iconst0);
        code.push(Op::Ireturn);
        Ok(())
    }

    /// Reports a position of an array unless its read is known.
    fn report(&self, code: &mut CodeBuilder<'_>) -> Built {
        let unknown = code.label();
        self.get(code, field::SEEN, "[Z")?;
        code.local(LocalOp::Iload, 0);
        code.push(Op::Baload);
        code.branch(BranchOp::Ifeq, unknown);
        code.push(Op::Return);
        code.place(unknown);
        self.get(code, field::SEEN, "[Z")?;
        code.local(LocalOp::Iload, 0);
        code.push(Op::Iconst1);
        code.push(Op::Bastore);
        self.append(code, 0, field::READS, "count")?;
        code.push(Op::Return);
        Ok(())
    }

    /// Looks the array in slot 0 up, and leaves if it is none of ours; its base goes to `slot`, its length is read.
    fn ours(&self, code: &mut CodeBuilder<'_>, slot: u16) -> Built {
        let ours = code.label();
        code.local(LocalOp::Aload, 0);
        self.call(code, "find", "(Ljava/lang/Object;)I")?;
        code.local(LocalOp::Istore, slot);
        code.local(LocalOp::Iload, slot);
        code.branch(BranchOp::Ifne, ours);
        code.push(Op::Return);
        code.place(ours);
        code.local(LocalOp::Iload, slot);
        code.push(Op::Iconst1);
        code.push(Op::Isub);
        self.call(code, "report", "(I)V")
    }

    fn length(&self, code: &mut CodeBuilder<'_>) -> Built {
        self.ours(code, 1)?;
        code.push(Op::Return);
        Ok(())
    }

    /// Reports an element; one out of bounds is no element, but the length says so.
    fn element(&self, code: &mut CodeBuilder<'_>) -> Built {
        let out = code.label();
        self.ours(code, 2)?;
        code.local(LocalOp::Iload, 1);
        code.branch(BranchOp::Iflt, out);
        code.local(LocalOp::Iload, 1);
        code.local(LocalOp::Aload, 0);
        code.invoke_static("java/lang/reflect/Array", "getLength", "(Ljava/lang/Object;)I")?;
        code.branch(BranchOp::IfIcmpge, out);
        code.local(LocalOp::Iload, 2);
        code.local(LocalOp::Iload, 1);
        code.push(Op::Iadd);
        self.call(code, "report", "(I)V")?;
        code.place(out);
        code.push(Op::Return);
        Ok(())
    }

    fn all(&self, code: &mut CodeBuilder<'_>) -> Built {
        let (again, done) = (code.label(), code.label());
        self.ours(code, 1)?;
        code.push(Op::Iconst0);
        code.local(LocalOp::Istore, 2);
        code.place(again);
        code.local(LocalOp::Iload, 2);
        code.local(LocalOp::Aload, 0);
        code.invoke_static("java/lang/reflect/Array", "getLength", "(Ljava/lang/Object;)I")?;
        code.branch(BranchOp::IfIcmpge, done);
        code.local(LocalOp::Iload, 1);
        code.local(LocalOp::Iload, 2);
        code.push(Op::Iadd);
        self.call(code, "report", "(I)V")?;
        code.push(jurat_classfile::Insn::iinc(2, 1));
        code.branch(BranchOp::Goto, again);
        code.place(done);
        code.push(Op::Return);
        Ok(())
    }

    /// Writes one choice to a field of a watched object, or to an element of an array.
    fn put(&self, code: &mut CodeBuilder<'_>) -> Built {
        let (array, primitive, elements) = (code.label(), code.label(), code.label());
        let interface = interface(self.name);
        code.local(LocalOp::Aload, 0);
        code.class(ClassOp::InstanceOf, &interface)?;
        code.branch(BranchOp::Ifeq, array);
        code.local(LocalOp::Aload, 2);
        code.branch(BranchOp::Ifnull, primitive);
        code.local(LocalOp::Aload, 0);
        code.class(ClassOp::CheckCast, &interface)?;
        code.local(LocalOp::Iload, 1);
        reference(code);
        code.invoke_interface(&interface, PUT, "(ILjava/lang/Object;)V")?;
        code.push(Op::Return);
        code.place(primitive);
        code.local(LocalOp::Aload, 0);
        code.class(ClassOp::CheckCast, &interface)?;
        code.local(LocalOp::Iload, 1);
        bits(code);
        code.invoke_interface(&interface, PUT, "(IJ)V")?;
        code.push(Op::Return);
        code.place(array);
        code.local(LocalOp::Aload, 2);
        code.branch(BranchOp::Ifnull, elements);
        code.local(LocalOp::Aload, 0);
        code.class(ClassOp::CheckCast, "[Ljava/lang/Object;")?;
        code.local(LocalOp::Iload, 1);
        reference(code);
        code.push(Op::Aastore);
        code.push(Op::Return);
        code.place(elements);
        for (primitive, descriptor, store) in ELEMENTS {
            let other = code.label();
            code.local(LocalOp::Aload, 0);
            code.class(ClassOp::InstanceOf, descriptor)?;
            code.branch(BranchOp::Ifeq, other);
            code.local(LocalOp::Aload, 0);
            code.class(ClassOp::CheckCast, descriptor)?;
            code.local(LocalOp::Iload, 1);
            bits(code);
            from_bits(code, primitive)?;
            code.push(store);
            code.push(Op::Return);
            code.place(other);
        }
        code.push(Op::Return);
        Ok(())
    }

    /// Runs the predicate once: 0 it rejects, 1 it accepts, 2 it throws.
    fn run(&self, code: &mut CodeBuilder<'_>) -> Built {
        let root = &self.plan.root;
        code.push(Op::Iconst0);
        self.set(code, "count", "I")?;
        code.push(Op::Iconst0);
        self.set(code, "wrote", "I")?;
        code.push(Op::Iconst0);
        self.set(code, field::DEPTH, "I")?;
        self.get(code, field::BUDGET, "I")?;
        self.set(code, "fuel", "I")?;
        let start = code.here();
        self.get(code, field::ROOT, "Ljava/lang/Object;")?;
        code.class(ClassOp::CheckCast, root)?;
        code.invoke_static(root, TEST, &format!("(L{root};)Z"))?;
        code.push(Op::Ireturn);
        let end = code.here();
        self.set(code, field::THROWN, "Ljava/lang/Throwable;")?;
        code.push(Op::Iconst2);
        code.push(Op::Ireturn);
        Ok(code.handler(start, end, end, Some("java/lang/Throwable"))?)
    }

    /// Writes and runs what it is told, without searching: how fast a search could be at best.
    fn replay(&self, code: &mut CodeBuilder<'_>) -> Built {
        let (again, skip, done, plain) = (code.label(), code.label(), code.label(), code.label());
        code.push(Op::Iconst0);
        code.local(LocalOp::Istore, 5);
        code.push(Op::Iconst0);
        code.local(LocalOp::Istore, 6);
        code.place(again);
        code.local(LocalOp::Iload, 5);
        code.local(LocalOp::Aload, 4);
        code.push(Op::ArrayLength);
        code.branch(BranchOp::IfIcmpge, done);
        for (slot, load) in
            [(0, Op::Aaload), (1, Op::Iaload), (2, Op::Aaload), (3, Op::Aaload), (4, Op::Iaload)]
        {
            code.local(LocalOp::Aload, slot);
            code.local(LocalOp::Iload, 5);
            code.push(load);
        }
        code.push(Op::Dup);
        code.local(LocalOp::Istore, 7);
        // A negative choice is the complement of the real one.
        code.push(Op::Dup);
        code.branch(BranchOp::Ifge, plain);
        code.push(Op::IconstM1);
        code.push(Op::Ixor);
        code.place(plain);
        self.call(code, "put", PUT_DESCRIPTOR)?;
        code.local(LocalOp::Iload, 7);
        code.branch(BranchOp::Iflt, skip);
        code.local(LocalOp::Iload, 6);
        self.call(code, "run", "()I")?;
        code.push(Op::Iadd);
        code.local(LocalOp::Istore, 6);
        code.place(skip);
        code.push(jurat_classfile::Insn::iinc(5, 1));
        code.branch(BranchOp::Goto, again);
        code.place(done);
        code.local(LocalOp::Iload, 6);
        code.push(Op::Ireturn);
        Ok(())
    }
}

/// Every primitive with the descriptor of its arrays and the instruction that writes an element.
const ELEMENTS: [(Primitive, &str, Op); 8] = [
    (Primitive::Int, "[I", Op::Iastore),
    (Primitive::Boolean, "[Z", Op::Bastore),
    (Primitive::Byte, "[B", Op::Bastore),
    (Primitive::Char, "[C", Op::Castore),
    (Primitive::Short, "[S", Op::Sastore),
    (Primitive::Long, "[J", Op::Lastore),
    (Primitive::Float, "[F", Op::Fastore),
    (Primitive::Double, "[D", Op::Dastore),
];

/// Pushes the reference of the choice in slot 4.
fn reference(code: &mut CodeBuilder<'_>) {
    code.local(LocalOp::Aload, 2);
    code.local(LocalOp::Iload, 4);
    code.push(Op::Aaload);
}

/// Pushes the bits of the choice in slot 4.
fn bits(code: &mut CodeBuilder<'_>) {
    code.local(LocalOp::Aload, 3);
    code.local(LocalOp::Iload, 4);
    code.push(Op::Laload);
}
