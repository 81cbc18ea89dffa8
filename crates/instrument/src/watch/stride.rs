//! The search, beside the predicate: methods of the runtime class that go from candidate to candidate without
//! leaving the JVM.
//!
//! They do what the search outside does, on the same state, which is copied in before a stride and out after it.
//! What needs more than a write stops the stride: lengths of arrays, structures that are wanted, failures.

use jurat_classfile::{BranchOp, ClassFile, ClassOp, CodeBuilder, FieldOp, Insn, Label, LocalOp, Op};

use super::MARK;
use super::runtime::{Built, PUT_DESCRIPTOR, STATIC, field, interface};

/// Static fields of the runtime class that hold the state of a search and the tables it needs.
pub mod walk {
    /// By position, its choice.
    pub const VECTOR: &str = "vector";
    /// The positions on the stack.
    pub const STACK: &str = "stack";
    /// By position, whether it is on the stack.
    pub const STACKED: &str = "stacked";
    /// By height, the domain that the entry's value is of; -1 for none.
    pub const EFFECTS: &str = "effects";
    /// By height, how many members of that domain were used below.
    pub const BEFORE: &str = "before";
    /// By domain, how many of its members are used.
    pub const USED: &str = "used";
    /// How many entries the stack has.
    pub const HEIGHT: &str = "height";
    /// How many entries stay.
    pub const FLOOR: &str = "floor";
    /// Candidates of this stride.
    pub const EXPLORED: &str = "explored";
    /// Valid ones among them that nobody wants to see.
    pub const VALID: &str = "valid";
    /// By position, the object or array that is written.
    pub const TARGETS: &str = "targets";
    /// By position, the number of the field or the index of the element; -1 for lengths.
    pub const NUMBERS: &str = "numbers";
    /// By position, its values if they are references.
    pub const REFERENCES: &str = "references";
    /// By position, its values if they are primitive.
    pub const BITS: &str = "bits";
    /// By position and choice, the domain of the value, or -1.
    pub const DOMAINS: &str = "domains";
    /// By position and choice, the value's number in its domain.
    pub const INDICES: &str = "indices";
    /// By position and choice, where the members of the same domain end.
    pub const ENDS: &str = "ends";
    /// By position and choice, the object that the value is, or -1.
    pub const MEMBERS: &str = "members";
    /// By object, its first position.
    pub const FIRSTS: &str = "firsts";
    /// By object, how many positions it has, or that an array of choice 0 has.
    pub const SIZES: &str = "sizes";
    /// By object, 1 if it is an array, whose first choice adds to the size.
    pub const GROWS: &str = "grows";
    /// The object that is the root.
    pub const ROOT: &str = "rootObject";
    /// The objects met while looking for what is reachable.
    pub const MET: &str = "met";
    /// By object, the visit in which it was last met.
    pub const VISITS: &str = "visits";
}

/// The method that makes a stride: height, floor, most candidates, whether to stop at valid structures. Gives how the
/// last run ended (1 accepted, 2 failed) if that is left to the search outside, else 0.
pub const STRIDE: (&str, &str) = ("stride", "(IIIZ)I");

const FIELDS: &[(&str, &str)] = &[
    (walk::VECTOR, "[I"),
    (walk::STACK, "[I"),
    (walk::STACKED, "[I"),
    (walk::EFFECTS, "[I"),
    (walk::BEFORE, "[I"),
    (walk::USED, "[I"),
    (walk::HEIGHT, "I"),
    (walk::FLOOR, "I"),
    (walk::EXPLORED, "I"),
    (walk::VALID, "I"),
    (walk::TARGETS, "[Ljava/lang/Object;"),
    (walk::NUMBERS, "[I"),
    (walk::REFERENCES, "[[Ljava/lang/Object;"),
    (walk::BITS, "[[J"),
    (walk::DOMAINS, "[[I"),
    (walk::INDICES, "[[I"),
    (walk::ENDS, "[[I"),
    (walk::MEMBERS, "[[I"),
    (walk::FIRSTS, "[I"),
    (walk::SIZES, "[I"),
    (walk::GROWS, "[I"),
    (walk::ROOT, "I"),
    (walk::MET, "[I"),
    (walk::VISITS, "[I"),
    ("visit", "I"),
    ("metCount", "I"),
];

/// Fields of the runtime class that belong to the predicate's side.
const OTHERS: &[(&str, &str)] =
    &[(field::READS, "[I"), (field::WRITES, "[I"), (field::SEEN, "[Z"), ("count", "I"), ("wrote", "I")];

/// The descriptor of a static field.
pub fn descriptor(field: &str) -> Option<&'static str> {
    FIELDS.iter().chain(OTHERS).find(|(name, _)| *name == field).map(|(_, descriptor)| *descriptor)
}

type Body = fn(&mut Pen<'_, '_>) -> Built;

/// The methods; slots of their parameters come first.
const METHODS: &[(&str, &str, Body)] = &[
    ("follow", "(I)I", follow),
    ("hold", "(II)V", hold),
    ("note", "(I)V", note),
    ("mark", "(IZ)V", mark),
    ("push", "(I)V", push),
    ("lift", "()V", lift),
    ("pop", "(I)V", pop),
    ("next", "()Z", next),
    ("take", "()V", take),
    ("restore", "()V", restore),
    ("meet", "(I)V", meet),
    ("reach", "()V", reach),
    ("reachFrom", "(I)V", reach_from),
    (STRIDE.0, STRIDE.1, stride),
];

/// Adds the search to the runtime class.
pub(super) fn add(class: &mut ClassFile, name: &str) -> Built {
    for (field, descriptor) in FIELDS {
        class.add_field(STATIC, field, descriptor)?;
    }
    for (method, descriptor, body) in METHODS {
        class.add_method(STATIC, method, descriptor, |code| body(&mut Pen { code, class: name }))?;
    }
    Ok(())
}

/// Writes code of the runtime class.
struct Pen<'c, 'p> {
    code: &'c mut CodeBuilder<'p>,
    class: &'c str,
}

impl Pen<'_, '_> {
    /// Pushes a static field.
    fn get(&mut self, name: &str) -> Built {
        let descriptor = descriptor(name).expect("a field of the runtime class");
        Ok(self.code.field(FieldOp::GetStatic, self.class, name, descriptor)?)
    }

    /// Sets a static field to what is on top.
    fn set(&mut self, name: &str) -> Built {
        let descriptor = descriptor(name).expect("a field of the runtime class");
        Ok(self.code.field(FieldOp::PutStatic, self.class, name, descriptor)?)
    }

    /// Pushes an element of an `int[]`.
    fn at(&mut self, list: &str, slot: u16) -> Built {
        self.get(list)?;
        self.int(slot);
        self.code.push(Op::Iaload);
        Ok(())
    }

    /// Pushes a row of a table.
    fn row(&mut self, table: &str, slot: u16) -> Built {
        self.get(table)?;
        self.int(slot);
        self.code.push(Op::Aaload);
        Ok(())
    }

    /// Pushes an element of an `int[][]`.
    fn cell(&mut self, table: &str, row: u16, column: u16) -> Built {
        self.row(table, row)?;
        self.int(column);
        self.code.push(Op::Iaload);
        Ok(())
    }

    /// Pushes the local `int` in a slot.
    fn int(&mut self, slot: u16) {
        self.code.local(LocalOp::Iload, slot);
    }

    /// Puts what is on top into a slot.
    fn keep(&mut self, slot: u16) {
        self.code.local(LocalOp::Istore, slot);
    }

    /// Adds to a static `int`.
    fn add(&mut self, name: &str, by: i32) -> Built {
        self.get(name)?;
        self.code.push_int(by)?;
        self.code.push(Op::Iadd);
        self.set(name)
    }

    fn zero(&mut self, name: &str) -> Built {
        self.code.push(Op::Iconst0);
        self.set(name)
    }

    /// Pushes the place of the entry on top of the stack.
    fn top(&mut self) -> Built {
        self.get(walk::HEIGHT)?;
        self.code.push(Op::Iconst1);
        self.code.push(Op::Isub);
        Ok(())
    }

    /// Calls a method of the runtime class.
    fn call(&mut self, name: &str, descriptor: &str) -> Built {
        Ok(self.code.invoke_static(self.class, name, descriptor)?)
    }

    fn op(&mut self, op: Op) {
        self.code.push(op);
    }

    fn branch(&mut self, op: BranchOp, target: Label) {
        self.code.branch(op, target);
    }

    /// Runs `body` for slot `slot` from 0 up to what `end` pushes.
    fn count_up(
        &mut self,
        slot: u16,
        end: impl Fn(&mut Self) -> Built,
        body: impl FnOnce(&mut Self) -> Built,
    ) -> Built {
        self.op(Op::Iconst0);
        self.keep(slot);
        self.count_on(slot, end, body)
    }

    /// The same from what the slot holds.
    fn count_on(
        &mut self,
        slot: u16,
        end: impl Fn(&mut Self) -> Built,
        body: impl FnOnce(&mut Self) -> Built,
    ) -> Built {
        let done = self.code.label();
        let again = self.code.here();
        self.int(slot);
        end(self)?;
        self.branch(BranchOp::IfIcmpge, done);
        body(self)?;
        self.code.push(Insn::iinc(slot, 1));
        self.branch(BranchOp::Goto, again);
        self.code.place(done);
        Ok(())
    }
}

/// The next choice of a position that gives no structure isomorphic to an earlier one; -1 if there is none.
fn follow(pen: &mut Pen<'_, '_>) -> Built {
    let (position, choice, domain) = (0, 1, 2);
    let (found, none) = (pen.code.label(), pen.code.label());
    pen.at(walk::VECTOR, position)?;
    pen.op(Op::Iconst1);
    pen.op(Op::Iadd);
    pen.keep(choice);
    let again = pen.code.here();
    pen.int(choice);
    pen.row(walk::DOMAINS, position)?;
    pen.op(Op::ArrayLength);
    pen.branch(BranchOp::IfIcmpge, none);
    pen.cell(walk::DOMAINS, position, choice)?;
    pen.keep(domain);
    pen.int(domain);
    pen.branch(BranchOp::Iflt, found);
    pen.cell(walk::INDICES, position, choice)?;
    pen.at(walk::USED, domain)?;
    pen.branch(BranchOp::IfIcmple, found);
    pen.cell(walk::ENDS, position, choice)?;
    pen.keep(choice);
    pen.branch(BranchOp::Goto, again);
    pen.code.place(found);
    pen.int(choice);
    pen.op(Op::Ireturn);
    pen.code.place(none);
    pen.op(Op::IconstM1);
    pen.op(Op::Ireturn);
    Ok(())
}

/// Makes a position hold a choice.
fn hold(pen: &mut Pen<'_, '_>) -> Built {
    let (position, choice) = (0, 1);
    pen.get(walk::VECTOR)?;
    pen.int(position);
    pen.int(choice);
    pen.op(Op::Iastore);
    write(pen, position, choice)?;
    pen.op(Op::Return);
    Ok(())
}

/// Writes a choice of a position.
fn write(pen: &mut Pen<'_, '_>, position: u16, choice: u16) -> Built {
    pen.row(walk::TARGETS, position)?;
    pen.at(walk::NUMBERS, position)?;
    pen.row(walk::REFERENCES, position)?;
    pen.row(walk::BITS, position)?;
    pen.int(choice);
    pen.call("put", PUT_DESCRIPTOR)
}

/// Counts the member that the value of the position on top refers to.
fn note(pen: &mut Pen<'_, '_>) -> Built {
    let (position, choice, domain, index) = (0, 1, 2, 3);
    let (done, refers) = (pen.code.label(), pen.code.label());
    pen.at(walk::VECTOR, position)?;
    pen.keep(choice);
    pen.cell(walk::DOMAINS, position, choice)?;
    pen.keep(domain);
    pen.int(domain);
    pen.branch(BranchOp::Ifge, refers);
    pen.op(Op::Return);
    pen.code.place(refers);
    pen.get(walk::EFFECTS)?;
    pen.top()?;
    pen.int(domain);
    pen.op(Op::Iastore);
    pen.get(walk::BEFORE)?;
    pen.top()?;
    pen.at(walk::USED, domain)?;
    pen.op(Op::Iastore);
    pen.cell(walk::INDICES, position, choice)?;
    pen.keep(index);
    pen.int(index);
    pen.at(walk::USED, domain)?;
    pen.branch(BranchOp::IfIcmplt, done);
    pen.get(walk::USED)?;
    pen.int(domain);
    pen.int(index);
    pen.op(Op::Iconst1);
    pen.op(Op::Iadd);
    pen.op(Op::Iastore);
    pen.code.place(done);
    pen.op(Op::Return);
    Ok(())
}

/// Says whether reads of a position are known.
fn mark(pen: &mut Pen<'_, '_>) -> Built {
    let (position, known) = (0, 1);
    let array = pen.code.label();
    let interface = interface(pen.class);
    pen.row(walk::TARGETS, position)?;
    pen.code.class(ClassOp::InstanceOf, &interface)?;
    pen.branch(BranchOp::Ifeq, array);
    pen.row(walk::TARGETS, position)?;
    pen.code.class(ClassOp::CheckCast, &interface)?;
    pen.at(walk::NUMBERS, position)?;
    pen.int(known);
    pen.code.invoke_interface(&interface, MARK, "(IZ)V")?;
    pen.op(Op::Return);
    pen.code.place(array);
    pen.get(field::SEEN)?;
    pen.int(position);
    pen.int(known);
    pen.op(Op::Bastore);
    pen.op(Op::Return);
    Ok(())
}

/// Puts a position on the stack.
fn push(pen: &mut Pen<'_, '_>) -> Built {
    let position = 0;
    pen.get(walk::STACKED)?;
    pen.int(position);
    pen.op(Op::Iconst1);
    pen.op(Op::Iastore);
    pen.get(walk::STACK)?;
    pen.get(walk::HEIGHT)?;
    pen.int(position);
    pen.op(Op::Iastore);
    pen.get(walk::EFFECTS)?;
    pen.get(walk::HEIGHT)?;
    pen.op(Op::IconstM1);
    pen.op(Op::Iastore);
    pen.add(walk::HEIGHT, 1)?;
    pen.int(position);
    pen.call("note", "(I)V")?;
    pen.op(Op::Return);
    Ok(())
}

/// Takes back what the value on top did to the counts.
fn lift(pen: &mut Pen<'_, '_>) -> Built {
    let (top, domain) = (0, 1);
    let refers = pen.code.label();
    pen.top()?;
    pen.keep(top);
    pen.at(walk::EFFECTS, top)?;
    pen.keep(domain);
    pen.int(domain);
    pen.branch(BranchOp::Ifge, refers);
    pen.op(Op::Return);
    pen.code.place(refers);
    pen.get(walk::USED)?;
    pen.int(domain);
    pen.at(walk::BEFORE, top)?;
    pen.op(Op::Iastore);
    pen.get(walk::EFFECTS)?;
    pen.int(top);
    pen.op(Op::IconstM1);
    pen.op(Op::Iastore);
    pen.op(Op::Return);
    Ok(())
}

/// Takes a lifted position off the stack, back at choice 0.
fn pop(pen: &mut Pen<'_, '_>) -> Built {
    let position = 0;
    let done = pen.code.label();
    pen.add(walk::HEIGHT, -1)?;
    pen.get(walk::STACKED)?;
    pen.int(position);
    pen.op(Op::Iconst0);
    pen.op(Op::Iastore);
    pen.int(position);
    pen.op(Op::Iconst0);
    pen.call("mark", "(IZ)V")?;
    pen.at(walk::VECTOR, position)?;
    pen.branch(BranchOp::Ifeq, done);
    pen.int(position);
    pen.op(Op::Iconst0);
    pen.call("hold", "(II)V")?;
    pen.code.place(done);
    pen.op(Op::Return);
    Ok(())
}

/// Goes to the next candidate; false if there is none, or if the search outside has to.
fn next(pen: &mut Pen<'_, '_>) -> Built {
    let (position, choice) = (0, 1);
    let (none, exhausted) = (pen.code.label(), pen.code.label());
    let again = pen.code.here();
    pen.get(walk::HEIGHT)?;
    pen.get(walk::FLOOR)?;
    pen.branch(BranchOp::IfIcmple, none);
    pen.get(walk::STACK)?;
    pen.top()?;
    pen.op(Op::Iaload);
    pen.keep(position);
    pen.at(walk::NUMBERS, position)?;
    pen.branch(BranchOp::Iflt, none);
    pen.call("lift", "()V")?;
    pen.int(position);
    pen.call("follow", "(I)I")?;
    pen.keep(choice);
    pen.int(choice);
    pen.branch(BranchOp::Iflt, exhausted);
    pen.int(position);
    pen.int(choice);
    pen.call("hold", "(II)V")?;
    pen.int(position);
    pen.call("note", "(I)V")?;
    pen.op(Op::Iconst1);
    pen.op(Op::Ireturn);
    pen.code.place(exhausted);
    pen.int(position);
    pen.call("pop", "(I)V")?;
    pen.branch(BranchOp::Goto, again);
    pen.code.place(none);
    pen.op(Op::Iconst0);
    pen.op(Op::Ireturn);
    Ok(())
}

/// Puts what the last run read anew on the stack.
fn take(pen: &mut Pen<'_, '_>) -> Built {
    let (at, position) = (0, 1);
    pen.count_up(
        at,
        |pen| pen.get("count"),
        |pen| {
            let known = pen.code.label();
            pen.at(field::READS, at)?;
            pen.keep(position);
            pen.at(walk::STACKED, position)?;
            pen.branch(BranchOp::Ifne, known);
            pen.int(position);
            pen.call("push", "(I)V")?;
            pen.code.place(known);
            Ok(())
        },
    )?;
    pen.op(Op::Return);
    Ok(())
}

/// Puts back what the predicate wrote to fields: one by one, or all if the list was too short.
fn restore(pen: &mut Pen<'_, '_>) -> Built {
    let (at, position, choice) = (0, 1, 2);
    let all = pen.code.label();
    let put_back = |pen: &mut Pen<'_, '_>| {
        pen.at(walk::VECTOR, position)?;
        pen.keep(choice);
        write(pen, position, choice)
    };
    pen.get("wrote")?;
    pen.get(field::WRITES)?;
    pen.op(Op::ArrayLength);
    pen.branch(BranchOp::IfIcmpge, all);
    pen.count_up(
        at,
        |pen| pen.get("wrote"),
        |pen| {
            pen.at(field::WRITES, at)?;
            pen.keep(position);
            put_back(pen)
        },
    )?;
    pen.op(Op::Return);
    pen.code.place(all);
    pen.count_up(
        position,
        |pen| {
            pen.get(walk::VECTOR)?;
            pen.op(Op::ArrayLength);
            Ok(())
        },
        |pen| {
            let element = pen.code.label();
            pen.row(walk::TARGETS, position)?;
            pen.code.class(ClassOp::InstanceOf, &interface(pen.class))?;
            pen.branch(BranchOp::Ifeq, element);
            put_back(pen)?;
            pen.code.place(element);
            Ok(())
        },
    )?;
    pen.op(Op::Return);
    Ok(())
}

/// Takes note of an object that is reachable.
fn meet(pen: &mut Pen<'_, '_>) -> Built {
    let object = 0;
    let new = pen.code.label();
    pen.at(walk::VISITS, object)?;
    pen.get("visit")?;
    pen.branch(BranchOp::IfIcmpne, new);
    pen.op(Op::Return);
    pen.code.place(new);
    pen.get(walk::VISITS)?;
    pen.int(object);
    pen.get("visit")?;
    pen.op(Op::Iastore);
    pen.get(walk::MET)?;
    pen.get("metCount")?;
    pen.int(object);
    pen.op(Op::Iastore);
    pen.add("metCount", 1)?;
    pen.op(Op::Return);
    Ok(())
}

/// Counts every position that the structure can reach as read.
fn reach(pen: &mut Pen<'_, '_>) -> Built {
    let (at, object) = (0, 1);
    pen.add("visit", 1)?;
    pen.zero("metCount")?;
    pen.get(walk::ROOT)?;
    pen.call("meet", "(I)V")?;
    pen.count_up(
        at,
        |pen| pen.get("metCount"),
        |pen| {
            pen.at(walk::MET, at)?;
            pen.keep(object);
            pen.int(object);
            pen.call("reachFrom", "(I)V")
        },
    )?;
    pen.op(Op::Return);
    Ok(())
}

/// The same for the positions of one object.
fn reach_from(pen: &mut Pen<'_, '_>) -> Built {
    let (object, position, end, choice) = (0, 1, 2, 3);
    let plain = pen.code.label();
    pen.at(walk::FIRSTS, object)?;
    pen.keep(position);
    pen.int(position);
    pen.at(walk::SIZES, object)?;
    pen.op(Op::Iadd);
    pen.keep(end);
    pen.at(walk::GROWS, object)?;
    pen.branch(BranchOp::Ifeq, plain);
    pen.int(end);
    pen.at(walk::VECTOR, position)?;
    pen.op(Op::Iadd);
    pen.keep(end);
    pen.code.place(plain);
    pen.count_on(
        position,
        |pen| {
            pen.int(end);
            Ok(())
        },
        |pen| {
            let (known, plain) = (pen.code.label(), pen.code.label());
            pen.at(walk::STACKED, position)?;
            pen.branch(BranchOp::Ifne, known);
            pen.int(position);
            pen.op(Op::Iconst1);
            pen.call("mark", "(IZ)V")?;
            pen.int(position);
            pen.call("push", "(I)V")?;
            pen.code.place(known);
            pen.at(walk::VECTOR, position)?;
            pen.keep(choice);
            pen.cell(walk::MEMBERS, position, choice)?;
            pen.branch(BranchOp::Iflt, plain);
            pen.cell(walk::MEMBERS, position, choice)?;
            pen.call("meet", "(I)V")?;
            pen.code.place(plain);
            Ok(())
        },
    )?;
    pen.op(Op::Return);
    Ok(())
}

/// Goes from candidate to candidate.
fn stride(pen: &mut Pen<'_, '_>) -> Built {
    let (height, floor, most, keeps, ending) = (0, 1, 2, 3, 4);
    let (done, clean, accepted, leave) =
        (pen.code.label(), pen.code.label(), pen.code.label(), pen.code.label());
    pen.int(height);
    pen.set(walk::HEIGHT)?;
    pen.int(floor);
    pen.set(walk::FLOOR)?;
    pen.zero(walk::EXPLORED)?;
    pen.zero(walk::VALID)?;
    let again = pen.code.here();
    pen.get(walk::EXPLORED)?;
    pen.int(most);
    pen.branch(BranchOp::IfIcmpge, done);
    pen.call("next", "()Z")?;
    pen.branch(BranchOp::Ifeq, done);
    pen.call("run", "()I")?;
    pen.keep(ending);
    pen.add(walk::EXPLORED, 1)?;
    pen.get("wrote")?;
    pen.branch(BranchOp::Ifeq, clean);
    pen.call("restore", "()V")?;
    pen.code.place(clean);
    pen.call("take", "()V")?;
    pen.int(ending);
    pen.branch(BranchOp::Ifeq, again);
    pen.int(ending);
    pen.op(Op::Iconst1);
    pen.branch(BranchOp::IfIcmpne, leave);
    pen.int(keeps);
    pen.branch(BranchOp::Ifeq, accepted);
    pen.code.place(leave);
    pen.int(ending);
    pen.op(Op::Ireturn);
    pen.code.place(accepted);
    pen.add(walk::VALID, 1)?;
    pen.call("reach", "()V")?;
    pen.branch(BranchOp::Goto, again);
    pen.code.place(done);
    pen.op(Op::Iconst0);
    pen.op(Op::Ireturn);
    Ok(())
}
