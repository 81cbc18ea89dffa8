//! Sends calls of chosen methods to static methods elsewhere.

use jurat_classfile::{
    ClassFile, Constant, ConstantPool, Content, HandleIndex, HandleKind, Insn, InvokeOp, LoadableIndex,
    Member, PoolFull,
};

use crate::plan::Rewrite;

/// The instruction that makes a call go elsewhere, if it is one of those that do.
pub(crate) fn rewritten(
    insn: &Insn,
    pool: &mut ConstantPool,
    rewrites: &[Rewrite],
) -> Result<Option<Insn>, PoolFull> {
    let (method, is_static) = match insn {
        // What a class inherits is called so; sent elsewhere, the call would come back to the class itself.
        Insn::Invoke { op: InvokeOp::Special, .. } => return Ok(None),
        Insn::Invoke { op, method } => (*method, *op == InvokeOp::Static),
        Insn::InvokeInterface { method, .. } => (*method, false),
        _ => return Ok(None),
    };
    let Some(rewrite) = find(&pool.method(method), rewrites) else { return Ok(None) };
    let method = pool.add_method(&rewrite.to_class, &rewrite.to_name, &descriptor(rewrite, is_static))?;
    Ok(Some(Insn::Invoke { op: InvokeOp::Static, method }))
}

/// Sends method references and other handles that bootstrap methods are given elsewhere.
pub(crate) fn rewrite_handles(class: &mut ClassFile, rewrites: &[Rewrite]) -> Result<(), PoolFull> {
    let ClassFile { pool, attributes, .. } = class;
    for attribute in attributes {
        let Content::BootstrapMethods(methods) = &mut attribute.content else { continue };
        for argument in methods.iter_mut().flat_map(|method| &mut method.arguments) {
            if let Some(handle) = rewritten_handle(*argument, pool, rewrites)? {
                *argument = handle.into();
            }
        }
    }
    Ok(())
}

fn rewritten_handle(
    constant: LoadableIndex,
    pool: &mut ConstantPool,
    rewrites: &[Rewrite],
) -> Result<Option<HandleIndex>, PoolFull> {
    let Some(Constant::MethodHandle { kind, .. }) = pool.get(constant.raw()) else { return Ok(None) };
    let Some(index) = pool.check::<HandleIndex>(constant.raw()) else { return Ok(None) };
    let is_static = match kind {
        HandleKind::InvokeStatic => true,
        HandleKind::InvokeVirtual | HandleKind::InvokeInterface => false,
        _ => return Ok(None),
    };
    let Some(rewrite) = find(&pool.handle(index).1, rewrites) else { return Ok(None) };
    let descriptor = descriptor(rewrite, is_static);
    let target = pool.add_method(&rewrite.to_class, &rewrite.to_name, &descriptor)?;
    pool.add_method_handle(HandleKind::InvokeStatic, target)
}

fn find<'r>(member: &Member<'_>, rewrites: &'r [Rewrite]) -> Option<&'r Rewrite> {
    rewrites.iter().find(|rewrite| {
        rewrite.class == member.class
            && rewrite.name == member.name
            && rewrite.descriptor == member.descriptor
            && rewrite.name != "<init>"
            && !rewrite.class.starts_with('[')
    })
}

/// The descriptor of the method that calls go to.
fn descriptor(rewrite: &Rewrite, is_static: bool) -> String {
    if is_static {
        return rewrite.descriptor.clone();
    }
    format!("(L{};{}", rewrite.class, rewrite.descriptor.trim_start_matches('('))
}
