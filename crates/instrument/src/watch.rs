//! Watches which fields and array elements a predicate reads, for the enumeration of structures.
//!
//! Every read of a watched field is reported the first time only, by the object it is read from: each watched
//! class gets a word of bits, one for each field whose read is known. So once a read is known it costs a load and
//! a test, and what a run reports is what is new in it. The engine clears bits when a field has to be seen again.
//!
//! Watched classes also learn to be written by number ([`PUT`]), so that a search beside them can go from candidate to
//! candidate without leaving the JVM; it is in the synthesized class [`WatchPlan::runtime`]. Loops of the subject are
//! counted, and calls that would end the JVM throw.

mod method;
mod runtime;
mod stride;

use jurat_classfile::descriptor::{FieldType, Primitive};
use jurat_classfile::{
    Access, BranchOp, BuildError, ClassFile, ClassOp, CodeBuilder, FieldOp, Insn, LocalOp, Op, TableSwitch,
};

pub use runtime::{CUT, DEEPEST, EXIT, field, runtime_classes};
pub use stride::{STRIDE, descriptor, walk};

/// What is watched.
#[derive(Clone, Debug, Default)]
pub struct WatchPlan {
    /// Binary name, with slashes, of the class that probes call; in the package of the root.
    pub runtime: String,
    /// Binary name of the class with the predicate.
    pub root: String,
    /// Name of the predicate, which has no parameters.
    pub predicate: String,
    /// Descriptor of the predicate: it returns `boolean` or `Boolean`.
    pub descriptor: String,
    /// The watched classes, superclasses before subclasses.
    pub classes: Vec<WatchedClass>,
    /// Every class of the subject with its superclass, for finding the class that declares a field.
    pub superclasses: Vec<(String, String)>,
    /// Descriptors of the elements of watched arrays.
    pub arrays: Vec<String>,
    /// Whether calls of the subject's methods are counted, so that recursion is cut before the stack overflows.
    pub counts_calls: bool,
}

/// A class whose fields are watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedClass {
    /// Binary name, with slashes.
    pub name: String,
    /// Binary name of its superclass.
    pub superclass: String,
    /// The number of its first field: those of its superclasses come before.
    pub first: u32,
    /// Names and descriptors of the fields it declares and structures may vary.
    pub fields: Vec<(String, String)>,
}

/// The field of every watched object that says where its positions begin; 0 in objects that are none of ours.
pub const BASE: &str = "jurat$base";
/// The field of every watched object that holds its hash, for classes that have none of their own.
pub const HASH: &str = "jurat$hash";
/// The method that writes a field by its number.
pub const PUT: &str = "jurat$put";
/// The method that says whether reads of the field with a number are known.
pub const MARK: &str = "jurat$mark";
/// The static method of the root that runs the predicate.
pub const TEST: &str = "jurat$test";
/// How many fields share a word of bits.
pub const BITS: u32 = 32;

/// The name of the field that holds the bits of fields `32 * word` and following.
pub fn seen(word: u32) -> String {
    format!("jurat$seen{word}")
}

/// Why a class cannot be watched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {reason}")]
pub struct Unwatchable {
    /// The class, and the method if it is one.
    pub class: String,
    /// Why.
    pub reason: String,
}

impl WatchPlan {
    /// The watched class of this name.
    pub fn class(&self, name: &str) -> Option<&WatchedClass> {
        self.classes.iter().find(|class| class.name == name)
    }

    /// The class that declares a watched field which code names through `owner`, and the field's number.
    fn resolve(&self, owner: &str, name: &str, descriptor: &str) -> Option<(&WatchedClass, u32)> {
        let mut owner = owner;
        loop {
            if let Some(class) = self.class(owner) {
                let found = class.fields.iter().position(|field| field.0 == name && field.1 == descriptor);
                if let Some(index) = found {
                    return Some((class, class.first + u32::try_from(index).expect("fields are few")));
                }
            }
            owner = &self.superclasses.iter().find(|(class, _)| class == owner)?.1;
        }
    }

    /// The interface that watched classes implement.
    fn interface(&self) -> String {
        runtime::interface(&self.runtime)
    }
}

/// A copy of `class` whose reads are reported.
pub fn watch(class: &ClassFile, plan: &WatchPlan) -> Result<ClassFile, Unwatchable> {
    let mut done = class.clone();
    let name = class.name().into_owned();
    for index in 0..class.methods.len() {
        method::weave(&mut done, index, plan).map_err(|reason| {
            let method = class.pool.utf8(class.methods[index].name);
            Unwatchable { class: format!("{name}.{method}"), reason }
        })?;
    }
    let mut members = || -> Result<(), BuildError> {
        if let Some(watched) = plan.class(&name) {
            add_members(&mut done, watched, plan)?;
        }
        if name == plan.root {
            add_test(&mut done, plan)?;
        }
        Ok(())
    };
    members().map_err(|error| Unwatchable { class: name.clone(), reason: error.to_string() })?;
    Ok(done)
}

fn add_members(class: &mut ClassFile, watched: &WatchedClass, plan: &WatchPlan) -> Result<(), BuildError> {
    let hidden = Access::PUBLIC | Access::SYNTHETIC | Access::TRANSIENT;
    let is_top = plan.class(&watched.superclass).is_none();
    if is_top {
        class.add_field(hidden, BASE, "I")?;
        class.add_field(hidden, HASH, "I")?;
        class.add_interface(&plan.interface())?;
    }
    let last = watched.first + u32::try_from(watched.fields.len()).expect("fields are few");
    let words = watched.first.div_ceil(BITS)..last.div_ceil(BITS);
    for word in words.clone() {
        class.add_field(hidden, &seen(word), "I")?;
    }
    if is_top || !words.is_empty() {
        add_mark(class, watched, plan, words)?;
    }
    for (number, _) in (watched.first..).zip(&watched.fields) {
        add_probe(class, watched, number, plan)?;
        add_write_probe(class, watched, number, plan)?;
    }
    add_put(class, watched, plan, "Ljava/lang/Object;", is_top)?;
    add_put(class, watched, plan, "J", is_top)?;
    if watched.superclass == "java/lang/Object" && class.method("hashCode", "()I").is_none() {
        add_hash(class, &watched.name)?;
    }
    Ok(())
}

/// Adds the method that a read of a field calls before it reads.
fn add_probe(
    class: &mut ClassFile,
    watched: &WatchedClass,
    number: u32,
    plan: &WatchPlan,
) -> Result<(), BuildError> {
    let (seen, bit) = (seen(number / BITS), 1_i32 << (number % BITS));
    let name = &watched.name;
    class.add_method(PROBE_ACCESS, &probe_name(number), &format!("(L{name};)V"), |code| {
        let done = code.label();
        code.local(LocalOp::Aload, 0);
        code.branch(BranchOp::Ifnull, done);
        code.local(LocalOp::Aload, 0);
        code.field(FieldOp::GetField, name, &seen, "I")?;
        code.push_int(bit)?;
        code.push(Op::Iand);
        code.branch(BranchOp::Ifne, done);
        code.local(LocalOp::Aload, 0);
        code.local(LocalOp::Aload, 0);
        code.field(FieldOp::GetField, name, &seen, "I")?;
        code.push_int(bit)?;
        code.push(Op::Ior);
        code.field(FieldOp::PutField, name, &seen, "I")?;
        report(code, name, number, &plan.runtime, "read")?;
        code.place(done);
        code.push(Op::Return);
        Ok(())
    })?;
    Ok(())
}

/// Adds the method that a write of a field calls before it writes: what a predicate changes is put back.
fn add_write_probe(
    class: &mut ClassFile,
    watched: &WatchedClass,
    number: u32,
    plan: &WatchPlan,
) -> Result<(), BuildError> {
    let name = &watched.name;
    class.add_method(PROBE_ACCESS, &write_probe_name(number), &format!("(L{name};)V"), |code| {
        let done = code.label();
        code.local(LocalOp::Aload, 0);
        code.branch(BranchOp::Ifnull, done);
        report(code, name, number, &plan.runtime, "wrote")?;
        code.place(done);
        code.push(Op::Return);
        Ok(())
    })?;
    Ok(())
}

const PROBE_ACCESS: Access = Access(Access::PUBLIC.0 | Access::STATIC.0 | Access::SYNTHETIC.0);

fn probe_name(number: u32) -> String {
    format!("jurat$read{number}")
}

fn write_probe_name(number: u32) -> String {
    format!("jurat$wrote{number}")
}

fn report(
    code: &mut CodeBuilder<'_>,
    name: &str,
    number: u32,
    runtime: &str,
    what: &str,
) -> Result<(), BuildError> {
    code.local(LocalOp::Aload, 0);
    code.field(FieldOp::GetField, name, BASE, "I")?;
    code.push_int(number.cast_signed())?;
    code.invoke_static(runtime, what, "(II)V")?;
    Ok(())
}

/// Adds the method that writes one of the class's own fields by number, and passes other numbers on.
fn add_put(
    class: &mut ClassFile,
    watched: &WatchedClass,
    plan: &WatchPlan,
    value: &str,
    is_top: bool,
) -> Result<(), BuildError> {
    let is_reference = value != "J";
    let own: Vec<(u32, &(String, String))> = (watched.first..)
        .zip(&watched.fields)
        .filter(|(_, (_, descriptor))| descriptor.starts_with(['L', '[']) == is_reference)
        .collect();
    if own.is_empty() && !is_top {
        return Ok(());
    }
    let load = if is_reference { LocalOp::Aload } else { LocalOp::Lload };
    class.add_method(Access::PUBLIC | Access::SYNTHETIC, PUT, &format!("(I{value})V"), |code| {
        let other = code.label();
        if !own.is_empty() {
            // Fields of the other kind are never asked for here.
            let is_own = |number: u32| own.iter().any(|(known, _)| *known == number);
            let labels: Vec<_> = (watched.first..)
                .zip(&watched.fields)
                .map(|(number, _)| if is_own(number) { code.label() } else { other })
                .collect();
            code.local(LocalOp::Iload, 1);
            let low = watched.first.cast_signed();
            let switch = TableSwitch { default: other, low, targets: labels.clone(), padding: [0; 3] };
            code.push(Insn::TableSwitch(Box::new(switch)));
            for (number, (name, descriptor)) in &own {
                code.place(labels[(number - watched.first) as usize]);
                code.local(LocalOp::Aload, 0);
                code.local(load, 2);
                convert(code, descriptor)?;
                code.field(FieldOp::PutField, &watched.name, name, descriptor)?;
                code.push(Op::Return);
            }
        }
        code.place(other);
        if plan.class(&watched.superclass).is_some() {
            code.local(LocalOp::Aload, 0);
            code.local(LocalOp::Iload, 1);
            code.local(load, 2);
            code.invoke_special(&watched.superclass, PUT, &format!("(I{value})V"))?;
        }
        code.push(Op::Return);
        Ok(())
    })?;
    Ok(())
}

/// Adds the method that sets or clears a bit of the class's own words, and passes other numbers on.
fn add_mark(
    class: &mut ClassFile,
    watched: &WatchedClass,
    plan: &WatchPlan,
    words: std::ops::Range<u32>,
) -> Result<(), BuildError> {
    class.add_method(Access::PUBLIC | Access::SYNTHETIC, MARK, "(IZ)V", |code| {
        for word in words {
            let (other, clear) = (code.label(), code.label());
            code.local(LocalOp::Iload, 1);
            code.push_int(BITS.cast_signed())?;
            code.push(Op::Idiv);
            code.push_int(word.cast_signed())?;
            code.branch(BranchOp::IfIcmpne, other);
            code.local(LocalOp::Aload, 0);
            code.local(LocalOp::Aload, 0);
            code.field(FieldOp::GetField, &watched.name, &seen(word), "I")?;
            code.push(Op::Iconst1);
            code.local(LocalOp::Iload, 1);
            // Shifts look at the lowest bits only, which are the field's place in the word.
            code.push(Op::Ishl);
            code.local(LocalOp::Iload, 2);
            code.branch(BranchOp::Ifeq, clear);
            code.push(Op::Ior);
            code.field(FieldOp::PutField, &watched.name, &seen(word), "I")?;
            code.push(Op::Return);
            code.place(clear);
            code.push(Op::IconstM1);
            code.push(Op::Ixor);
            code.push(Op::Iand);
            code.field(FieldOp::PutField, &watched.name, &seen(word), "I")?;
            code.push(Op::Return);
            code.place(other);
        }
        if plan.class(&watched.superclass).is_some() {
            code.local(LocalOp::Aload, 0);
            code.local(LocalOp::Iload, 1);
            code.local(LocalOp::Iload, 2);
            code.invoke_special(&watched.superclass, MARK, "(IZ)V")?;
        }
        code.push(Op::Return);
        Ok(())
    })?;
    Ok(())
}

/// Turns what [`PUT`] is given into a value of the field's type.
fn convert(code: &mut CodeBuilder<'_>, descriptor: &str) -> Result<(), BuildError> {
    match descriptor.parse::<FieldType>().map_err(|_| BuildError::Descriptor)? {
        FieldType::Object(name) => code.class(ClassOp::CheckCast, &name)?,
        FieldType::Array(_) => code.class(ClassOp::CheckCast, descriptor)?,
        FieldType::Primitive(primitive) => from_bits(code, primitive)?,
    }
    Ok(())
}

/// Turns a `long` of bits into a primitive.
fn from_bits(code: &mut CodeBuilder<'_>, primitive: Primitive) -> Result<(), BuildError> {
    if primitive == Primitive::Double {
        code.invoke_static("java/lang/Double", "longBitsToDouble", "(J)D")?;
    } else if primitive != Primitive::Long {
        code.push(Op::L2i);
    }
    match primitive {
        Primitive::Byte => code.push(Op::I2b),
        Primitive::Char => code.push(Op::I2c),
        Primitive::Short => code.push(Op::I2s),
        Primitive::Float => code.invoke_static("java/lang/Float", "intBitsToFloat", "(I)F")?,
        _ => {}
    }
    Ok(())
}

/// Gives objects a hash that is theirs in every JVM: sets of them are then walked in the same order everywhere. Hashes
/// are small and follow one another, so that small sets have no collisions.
fn add_hash(class: &mut ClassFile, name: &str) -> Result<(), BuildError> {
    class.add_method(Access::PUBLIC | Access::SYNTHETIC, "hashCode", "()I", |code| {
        code.local(LocalOp::Aload, 0);
        code.field(FieldOp::GetField, name, HASH, "I")?;
        code.push(Op::Ireturn);
        Ok(())
    })?;
    Ok(())
}

fn add_test(class: &mut ClassFile, plan: &WatchPlan) -> Result<(), BuildError> {
    let root = &plan.root;
    let own = class.method(&plan.predicate, &plan.descriptor);
    let is_private = own.is_some_and(|method| method.access.contains(Access::PRIVATE));
    class.add_method(PROBE_ACCESS, TEST, &format!("(L{root};)Z"), |code| {
        code.local(LocalOp::Aload, 0);
        if is_private {
            code.invoke_special(root, &plan.predicate, &plan.descriptor)?;
        } else {
            code.invoke_virtual(root, &plan.predicate, &plan.descriptor)?;
        }
        if plan.descriptor != "()Z" {
            code.unbox_value(Primitive::Boolean)?;
        }
        code.push(Op::Ireturn);
        Ok(())
    })?;
    Ok(())
}
