//! The classes that probes call, synthesized as bytes: [`CLASS`] and the error it throws.
//!
//! Both belong to `java.base`, so that every class sees them whatever its loader, and so that they may use
//! `jdk.internal.misc.Unsafe`. A worker defines them with the boot loader, in the order of [`classes`], calls
//! `open()` and sets the static fields of [`fields`]. Until then every probe returns without effect: a JVM can
//! even boot with probes in all of `java.base`.
//!
//! # What a hit does
//! `hit(id)` compares `cells[id]` with `epoch`; equal means that the probe was hit before in this epoch, and that is
//! all. The first hit of an epoch by the thread `subject` appends the id to the list in shared memory, so that it
//! is known also when the worker dies, and sets the cell. A new epoch is begun by a new number in `epoch` and a
//! zero as the list's length; nothing has to be cleared. Ids that need more than two bytes are told by their page and
//! what is left of them: `hit_3(id - 3 * 65536)`.
//!
//! A hit by another thread counts only if the thread was started after the JVM was warm (its number is above
//! `systemTid`); then it sets `others[id]`, and [`header::OTHERS`] tells that there are any. A probe that both
//! hit may be missing in `others`: take what is in `others` and not in the list.
//!
//! # Fuel
//! `fuel()` takes one from the number that `fuel` points to, on the subject's thread only. Below zero, it throws
//! [`EXHAUSTED`], here and at every later probe, until somebody fills up. Threads that the subject started use
//! [`header::OTHERS_FUEL`]; system threads are never cut. If `guard` is set, the native method `refuse` is asked
//! before every cut of the subject's thread, and may answer that it must not be cut now, say because it is inside
//! an initializer of the JDK. Since the number is plain memory, a watchdog can cut by making it negative.
//!
//! # Distances
//! How far the operands of a branch were from sending it along an edge that it did not take, in the manner of Korel
//! and Tracey: for `a == b` the absolute difference, for `a < b` the difference plus one, and so on; 1 for
//! references; for a switch the distance to the nearest key. The smallest one of an epoch is kept for each edge
//! ([`distance`]), and a second list tells which edges have one.
//!
//! Where a branch looks at the answer of a call, the distance is that of what happened last inside the call, kept in
//! `near`: of the comparison that the answer came from, or what [`crate::judged`] says. `forget()` stands before such a
//! call, `answered` before the branch.

mod listing;

use jurat_classfile::{Access, BranchOp, BuildError, ClassFile, LocalOp, Op};

use crate::judged;

/// The class whose static methods are the probes.
pub const CLASS: &str = "java/lang/JuratProbe";

/// The error that is thrown when fuel is spent. It has no stack trace and cannot be changed.
pub const EXHAUSTED: &str = "java/lang/JuratFuelExhausted";

/// Static fields of [`CLASS`] that are set from outside, and the static methods to call or bind.
pub mod fields {
    /// `int[]`: the epoch in which the subject's thread hit each probe last. Its length bounds ids and lists.
    pub const CELLS: (&str, &str) = ("cells", "[I");
    /// `int[]`: the epoch in which a thread that the subject started hit each probe last.
    pub const OTHERS: (&str, &str) = ("others", "[I");
    /// `int`: the number of the epoch. Zero switches the probes off: set it last.
    pub const EPOCH: (&str, &str) = ("epoch", "I");
    /// `Thread`: the one that runs statements. While it is null, no thread counts and none is cut.
    pub const SUBJECT: (&str, &str) = ("subject", "Ljava/lang/Thread;");
    /// `long`: the largest number of a thread that belongs to the system.
    pub const SYSTEM_TID: (&str, &str) = ("systemTid", "J");
    /// `long`: where [`super::header`] is.
    pub const HEADER: (&str, &str) = ("header", "J");
    /// `long`: where the list of hits is, an `int` for each cell.
    pub const LIST: (&str, &str) = ("list", "J");
    /// `long`: where the fuel of the subject's thread is, a `long`.
    pub const FUEL: (&str, &str) = ("fuel", "J");
    /// `long`: where the distances are, [`super::distance::SIZE`] bytes for each cell; zero for none.
    pub const DISTANCES: (&str, &str) = ("distances", "J");
    /// `long`: where the list of edges with a distance is, an `int` for each cell.
    pub const DISTANCE_LIST: (&str, &str) = ("distanceList", "J");
    /// `boolean`: whether to ask `refuse` before a cut.
    pub const GUARD: (&str, &str) = ("guard", "Z");
    /// `int`: the mutant that is live, see [`crate::mutants`]. Public, because mutated code reads it by itself.
    pub const MUTANT: (&str, &str) = ("mutant", "I");
    /// `Error`: what is thrown when fuel is spent; there once `open` was called.
    pub const SPENT: (&str, &str) = ("spent", "Ljava/lang/Error;");
    /// A static method, to be called once before anything else is set.
    pub const OPEN: (&str, &str) = ("open", "()V");
    /// A native static method, to be bound if `guard` is set: true if the thread must not be cut now.
    pub const REFUSE: (&str, &str) = ("refuse", "()Z");
    /// A native static method, to be bound if calls are judged ([`crate::judged`]): the answer of a call, its position in
    /// the list of judged ones, and its operands; gives how near the other answer was, or zero if it cannot tell.
    pub const WEIGH: (&str, &str) = ("weigh", "(ZILjava/lang/Object;Ljava/lang/Object;)D");
    /// The same for calls that are asked about a unit.
    pub const WEIGH_UNIT: (&str, &str) = ("weighUnit", "(ZII)D");
}

/// Offsets from the address in [`fields::HEADER`].
pub mod header {
    /// How many ids the list of hits holds, an `int`.
    pub const COUNT: usize = 0;
    /// The last epoch in which a thread that the subject started hit something, an `int`.
    pub const OTHERS: usize = 4;
    /// How many ids the list of edges with a distance holds, an `int`.
    pub const DISTANCE_COUNT: usize = 8;
    /// An `int` that is set to 1 when the subject's thread runs out of fuel.
    pub const SPENT: usize = 12;
    /// The fuel of all threads that the subject started, a `long`.
    pub const OTHERS_FUEL: usize = 16;
    /// How many bytes the header has.
    pub const SIZE: usize = 24;
}

/// Offsets within the entry of one edge in the area of distances.
pub mod distance {
    /// The smallest distance of the epoch, a `double`.
    pub const VALUE: usize = 0;
    /// The epoch, an `int`. In other epochs there is no distance.
    pub const EPOCH: usize = 8;
    /// How many bytes an entry has.
    pub const SIZE: usize = 16;
}

/// Names and bytes of the classes, in the order in which they have to be defined.
pub fn classes() -> [(&'static str, Vec<u8>); 2] {
    let write = |class: Result<ClassFile, BuildError>| {
        let class = class.expect("the listing assembles");
        class.write().expect("the class is small")
    };
    [(EXHAUSTED, write(exhausted())), (CLASS, write(probe()))]
}

/// `final class JuratFuelExhausted extends Error`, without suppressed exceptions and stack trace.
fn exhausted() -> Result<ClassFile, BuildError> {
    let mut class = ClassFile::new(EXHAUSTED, "java/lang/Error")?;
    class.access.insert(Access::FINAL);
    class.add_method(Access(0), "<init>", "()V", |code| {
        code.local(LocalOp::Aload, 0);
        code.push_string("the fuel for this statement is spent")?;
        code.push(Op::AconstNull);
        code.push(Op::Iconst0);
        code.push(Op::Iconst0);
        code.invoke_special("java/lang/Error", "<init>", "(Ljava/lang/String;Ljava/lang/Throwable;ZZ)V")?;
        code.push(Op::Return);
        Ok(())
    })?;
    Ok(class)
}

fn probe() -> Result<ClassFile, BuildError> {
    let mut class = ClassFile::new(CLASS, "java/lang/Object")?;
    class.access.insert(Access::FINAL);
    let own = [("unsafe", "Ljdk/internal/misc/Unsafe;"), fields::SPENT, ("tid", "J"), ("near", "D")];
    for (name, descriptor) in own.into_iter().chain(FIELDS) {
        class.add_field(Access::STATIC, name, descriptor)?;
    }
    class.add_field(Access::PUBLIC | Access::STATIC, fields::MUTANT.0, fields::MUTANT.1)?;
    listing::assemble(&mut class, include_str!("runtime/probe.jasm"))?;
    for page in 0..=PAGES {
        for op in BranchOp::ALL.iter().filter(|op| op.is_conditional()) {
            listing::assemble(&mut class, &branch_listing(*op, page))?;
        }
        if page > 0 {
            listing::assemble(&mut class, &hit_listing(page))?;
        }
    }
    for number in 0..judged::JUDGED.len() {
        listing::assemble(&mut class, &judged::listing(number))?;
    }
    for (name, descriptor) in [fields::REFUSE, fields::WEIGH, fields::WEIGH_UNIT] {
        class.add_bodiless_method(Access::STATIC | Access::NATIVE, name, descriptor)?;
    }
    Ok(class)
}

const FIELDS: [(&str, &str); 11] = [
    fields::CELLS,
    fields::OTHERS,
    fields::EPOCH,
    fields::SUBJECT,
    fields::SYSTEM_TID,
    fields::HEADER,
    fields::LIST,
    fields::FUEL,
    fields::DISTANCES,
    fields::DISTANCE_LIST,
    fields::GUARD,
];

/// How many pages of ids have methods of their own, besides the one that needs none.
const PAGES: u8 = 15;

/// The page of an id, and the id within it, if the page has methods of its own.
pub(crate) fn paged(id: i32) -> Option<(u8, i16)> {
    let page = u8::try_from(id.checked_add(1 << 15)? >> 16).ok()?;
    let rest = i16::try_from(id - (i32::from(page) << 16)).ok()?;
    (1..=PAGES).contains(&page).then_some((page, rest))
}

/// The method that takes ids of a page within that page.
pub(crate) fn page_method(name: &str, page: u8) -> String {
    if page == 0 { name.to_owned() } else { format!("{name}_{page}") }
}

/// What makes an id of one within a page.
fn page_listing(page: u8) -> String {
    if page == 0 { String::new() } else { format!("push {}\niadd\n", i32::from(page) << 16) }
}

/// The probe that was reached has this id within a page.
fn hit_listing(page: u8) -> String {
    let (name, whole) = (page_method("hit", page), page_listing(page));
    format!("method {name} (I)V\niload 0\n{whole}invokestatic hit (I)V\nreturn\n")
}

/// The probe for a conditional jump: its operands, then the id of the edge taken; the other edge has the next id.
fn branch_listing(op: BranchOp, page: u8) -> String {
    let name = op.mnemonic();
    let (operands, load, id) = match name {
        "ifnull" | "ifnonnull" => ("Ljava/lang/Object;", "aload 0", 1),
        "if_acmpeq" | "if_acmpne" => ("Ljava/lang/Object;Ljava/lang/Object;", "aload 0\naload 1", 2),
        _ if name.starts_with("if_icmp") => ("II", "iload 0\niload 1", 2),
        _ => ("I", "iload 0", 1),
    };
    let (method, whole) = (page_method(name, page), page_listing(page));
    format!(
        "method {method} ({operands}I)V\n{load}\n{name} taken\niinc {id} 1\ntaken:\niload {id}\n{whole}invokestatic hit (I)V\nreturn\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_its_page_and_what_is_left() {
        for id in [0, 1, 0x7fff] {
            assert_eq!(paged(id), None, "two bytes say {id}");
        }
        for id in [0x8000, 0xffff, 0x1_0000, 0x1_7fff, 0x1_8000, 0xf_7fff] {
            let (page, rest) = paged(id).expect("there is a page for it");
            assert_eq!((i32::from(page) << 16) + i32::from(rest), id);
        }
        assert_eq!(paged(0xf_8000), None, "there are no more pages");
        assert_eq!(paged(i32::MAX), None);
    }
}
