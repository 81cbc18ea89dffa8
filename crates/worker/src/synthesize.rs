//! Classes made from nothing in the subject's loader: mocks, and bridges for methods that ask who calls them.

use jurat_classfile::descriptor::{FieldType, MethodType, Primitive};
use jurat_classfile::{Access, BranchOp, BuildError, ClassFile, ClassOp, CodeBuilder, FieldOp, LocalOp, Op};

use crate::calls;
use crate::mocks::MockMethod;

type Failure = Box<dyn std::error::Error>;

/// The field of a mock that holds its number.
pub(crate) const NUMBER: (&std::ffi::CStr, &std::ffi::CStr) = (c"jurat$number", c"I");

/// A class that stands in for another.
pub(crate) struct MockClass<'a> {
    pub(crate) name: &'a str,
    /// The class it extends; `java/lang/Object` for interfaces.
    pub(crate) superclass: &'a str,
    pub(crate) interface: Option<&'a str>,
    /// The methods that ask us, with their access flags.
    pub(crate) methods: &'a [(MockMethod, Access)],
    /// Whether `equals`, `hashCode` and `toString` tell one mock from another, as in Mockito.
    pub(crate) own_identity: bool,
}

impl MockClass<'_> {
    /// The class file. It has no constructor: mocks are allocated only.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Failure> {
        let mut class = ClassFile::new(self.name, self.superclass)?;
        class.access.insert(Access::SYNTHETIC);
        if let Some(interface) = self.interface {
            class.add_interface(interface)?;
        }
        let number = NUMBER.0.to_str()?;
        class.add_field(Access::PUBLIC, number, "I")?;
        for (position, (method, access)) in self.methods.iter().enumerate() {
            let signature = method.descriptor.parse::<MethodType>()?;
            let position = i32::try_from(position)?;
            class.add_method(*access, &method.name, &method.descriptor, |code| {
                ask(code, self.name, position, &signature)
            })?;
        }
        if self.own_identity {
            identity(&mut class)?;
        }
        Ok(class.write()?)
    }
}

/// `return (R) JuratCalls.ask(this.number, position, new Object[] {arguments})`.
fn ask(
    code: &mut CodeBuilder<'_>,
    own: &str,
    position: i32,
    signature: &MethodType,
) -> Result<(), BuildError> {
    code.local(LocalOp::Aload, 0);
    code.field(FieldOp::GetField, own, NUMBER.0.to_str().map_err(|_| BuildError::Descriptor)?, "I")?;
    code.push_int(position)?;
    code.push_int(i32::try_from(signature.parameters.len()).map_err(|_| BuildError::TooManyArguments)?)?;
    code.class(ClassOp::NewArray, "java/lang/Object")?;
    let mut slot = 1;
    for (index, parameter) in (0..).zip(&signature.parameters) {
        code.push(Op::Dup);
        code.push_int(index)?;
        code.load(parameter, slot);
        if let FieldType::Primitive(primitive) = parameter {
            code.box_value(*primitive)?;
        }
        code.push(Op::Aastore);
        slot += parameter.words();
    }
    code.invoke_static(calls::CLASS, "ask", "(II[Ljava/lang/Object;)Ljava/lang/Object;")?;
    match &signature.result {
        None => code.push(Op::Pop),
        Some(FieldType::Primitive(primitive)) => unbox_or_zero(code, *primitive)?,
        Some(reference) => {
            let name = reference.class_name().ok_or(BuildError::Descriptor)?;
            code.class(ClassOp::CheckCast, &name)?;
        }
    }
    code.return_value(signature.result.as_ref());
    Ok(())
}

/// Who outlived its sequence is given null, of which a primitive result is a zero.
fn unbox_or_zero(code: &mut CodeBuilder<'_>, primitive: Primitive) -> Result<(), BuildError> {
    let (boxed, end) = (code.label(), code.label());
    code.push(Op::Dup);
    code.branch(BranchOp::Ifnonnull, boxed);
    code.push(Op::Pop);
    code.push(match primitive {
        Primitive::Long => Op::Lconst0,
        Primitive::Float => Op::Fconst0,
        Primitive::Double => Op::Dconst0,
        _ => Op::Iconst0,
    });
    code.branch(BranchOp::Goto, end);
    code.place(boxed);
    code.unbox_value(primitive)?;
    code.place(end);
    Ok(())
}

/// What a mock says it is; the mocks of emitted tests say the same.
const MOCK: &str = "a mock";

/// Mocks equal themselves only, and say no more than what they are.
fn identity(class: &mut ClassFile) -> Result<(), Failure> {
    class.add_method(Access::PUBLIC, "equals", "(Ljava/lang/Object;)Z", |code| {
        let (other, end) = (code.label(), code.label());
        code.local(LocalOp::Aload, 0);
        code.local(LocalOp::Aload, 1);
        code.branch(BranchOp::IfAcmpne, other);
        code.push(Op::Iconst1);
        code.branch(BranchOp::Goto, end);
        code.place(other);
        code.push(Op::Iconst0);
        code.place(end);
        code.push(Op::Ireturn);
        Ok(())
    })?;
    class.add_method(Access::PUBLIC, "hashCode", "()I", |code| {
        code.local(LocalOp::Aload, 0);
        code.invoke_static("java/lang/System", "identityHashCode", "(Ljava/lang/Object;)I")?;
        code.push(Op::Ireturn);
        Ok(())
    })?;
    class.add_method(Access::PUBLIC, "toString", "()Ljava/lang/String;", |code| {
        code.push_string(MOCK)?;
        code.push(Op::Areturn);
        Ok(())
    })?;
    Ok(())
}

/// How a bridge reaches its method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    Static,
    Virtual,
    Interface,
}

/// A class with one static method, `call`, that calls another method: the receiver, if there is one, comes first.
pub(crate) fn bridge(
    own: &str,
    reach: Reach,
    class: &str,
    name: &str,
    descriptor: &str,
) -> Result<(Vec<u8>, String), Failure> {
    let signature = descriptor.parse::<MethodType>()?;
    let mut parameters = Vec::new();
    if reach != Reach::Static {
        parameters.push(FieldType::Object(class.into()));
    }
    parameters.extend(signature.parameters.iter().cloned());
    let (_, result) = descriptor.split_once(')').ok_or("a descriptor is malformed")?;
    let texts: Vec<String> = parameters.iter().map(ToString::to_string).collect();
    let own_descriptor = format!("({}){result}", texts.concat());
    let mut file = ClassFile::new(own, "java/lang/Object")?;
    file.add_method(Access::PUBLIC | Access::STATIC, "call", &own_descriptor, |code| {
        let mut slot = 0;
        for parameter in &parameters {
            code.load(parameter, slot);
            slot += parameter.words();
        }
        match reach {
            Reach::Static => code.invoke_static(class, name, descriptor)?,
            Reach::Virtual => code.invoke_virtual(class, name, descriptor)?,
            Reach::Interface => code.invoke_interface(class, name, descriptor)?,
        }
        code.return_value(signature.result.as_ref());
        Ok(())
    })?;
    Ok((file.write()?, own_descriptor))
}
