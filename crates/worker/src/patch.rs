//! Changes to classes of the JDK that make a worker safe and repeatable, and the hook through which every class that
//! is loaded passes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use jurat_classfile::{ClassFile, Insn, InvokeOp, LocalOp, Op, Splice};

use crate::calls::{CLASS, PARK};
use crate::classes::Jdk;
use crate::jni::{Env, Ref};
use crate::jvmti::Jvmti;
use crate::{WorkerError, weave};

type Failure = Box<dyn std::error::Error>;

/// A class of the JDK and what is done to it.
struct Patch {
    class: &'static std::ffi::CStr,
    apply: fn(&mut ClassFile) -> Result<(), Failure>,
}

const PATCHES: [Patch; 5] = [
    Patch { class: c"java/lang/Runtime", apply: refuse_exit },
    Patch { class: c"java/lang/System", apply: note_properties },
    Patch { class: c"java/lang/ProcessEnvironment", apply: note_environment },
    Patch { class: c"java/security/SecureRandom", apply: repeat_random },
    Patch { class: c"java/util/concurrent/locks/LockSupport", apply: park_by_our_clock },
];

static JVMTI: OnceLock<Jvmti> = OnceLock::new();

/// Changes the JDK's classes. What could not be changed is an error: the worker would not be what it says it is.
pub(crate) fn install(env: Env, jdk: &Jdk) -> Result<(), WorkerError> {
    JVMTI.get_or_init(|| jdk.jvmti);
    jdk.jvmti.enable_class_hook()?;
    let mut classes = Vec::new();
    for patch in &PATCHES {
        let class = jdk.checked(env, "a class to change", env.find_class(patch.class))?;
        classes.push(class.ok_or_else(|| WorkerError::new(format!("no {:?}", patch.class)))?);
    }
    jdk.jvmti.retransform(&classes)?;
    for patch in &PATCHES {
        if !DONE.lock().is_ok_and(|done| done.contains(&patch.class)) {
            return Err(WorkerError::new(format!("{:?} could not be changed", patch.class)));
        }
    }
    Ok(())
}

static DONE: std::sync::Mutex<Vec<&'static std::ffi::CStr>> = std::sync::Mutex::new(Vec::new());

/// What a class that is being loaded or changed is to be instead, if anything else.
pub(crate) fn transform(name: &str, loader: Ref, bytes: &[u8]) -> Option<Vec<u8>> {
    let changed = catch_unwind(AssertUnwindSafe(|| {
        let patched = if loader.is_null() { patched_by_name(name, bytes) } else { None };
        let with_probes = weave::woven(name, loader.is_null(), patched.as_deref().unwrap_or(bytes));
        with_probes.map(|bytes| bytes.to_vec()).or(patched)
    }));
    changed.ok().flatten()
}

/// A class of the JDK with its patch, if it has one.
fn patched_by_name(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let patch = PATCHES.iter().find(|patch| patch.class.to_str() == Ok(name))?;
    let changed = patched(patch, bytes).ok()?;
    DONE.lock().ok()?.push(patch.class);
    Some(changed)
}

fn patched(patch: &Patch, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut class = ClassFile::read(bytes)?;
    (patch.apply)(&mut class)?;
    Ok(class.write()?)
}

/// `exit` and `halt` ask us.
fn refuse_exit(class: &mut ClassFile) -> Result<(), Failure> {
    for name in ["exit", "halt"] {
        replace(class, name, "(I)V", |code| {
            code.local(LocalOp::Iload, 1);
            code.invoke_static(CLASS, "exit", "(I)V")
        })?;
    }
    Ok(())
}

/// Random bytes are ours.
fn repeat_random(class: &mut ClassFile) -> Result<(), Failure> {
    replace(class, "nextBytes", "([B)V", |code| {
        code.local(LocalOp::Aload, 1);
        code.invoke_static(CLASS, "random", "([B)V")
    })
}

fn note_properties(class: &mut ClassFile) -> Result<(), Failure> {
    let note = class.pool.add_method(CLASS, "property", "(Ljava/lang/String;)V")?;
    let fragment = vec![Insn::local(LocalOp::Aload, 0), Insn::Invoke { op: InvokeOp::Static, method: note }];
    for descriptor in
        ["(Ljava/lang/String;)Ljava/lang/String;", "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;"]
    {
        at_entry(class, "getProperty", descriptor, &fragment)?;
    }
    Ok(())
}

fn note_environment(class: &mut ClassFile) -> Result<(), Failure> {
    let note = class.pool.add_method(CLASS, "environment", "()V")?;
    let fragment = vec![Insn::Invoke { op: InvokeOp::Static, method: note }];
    for descriptor in ["(Ljava/lang/String;)Ljava/lang/String;", "()Ljava/util/Map;"] {
        at_entry(class, "getenv", descriptor, &fragment)?;
    }
    Ok(())
}

/// Sends calls of `Unsafe.park` to ours.
fn park_by_our_clock(class: &mut ClassFile) -> Result<(), Failure> {
    let ours = class.pool.add_method(CLASS, "park", PARK)?;
    let ClassFile { pool, methods, .. } = class;
    for code in methods.iter_mut().filter_map(|method| method.code_mut()) {
        for insn in &mut code.insns {
            let Insn::Invoke { op: InvokeOp::Virtual, method } = *insn else { continue };
            let member = pool.method(method);
            if member.class == "jdk/internal/misc/Unsafe" && member.name == "park" {
                *insn = Insn::Invoke { op: InvokeOp::Static, method: ours };
            }
        }
    }
    Ok(())
}

/// Gives a method that returns nothing another body.
fn replace(
    class: &mut ClassFile,
    name: &str,
    descriptor: &str,
    body: impl FnOnce(&mut jurat_classfile::CodeBuilder<'_>) -> Result<(), jurat_classfile::PoolFull>,
) -> Result<(), Failure> {
    let position = find(class, name, descriptor)?;
    let access = class.methods[position].access;
    let added = class.add_method(access, name, descriptor, |code| {
        body(code)?;
        code.push(Op::Return);
        Ok(())
    })?;
    // The new method takes the place, and keeps the name and flags, of the old one.
    class.methods.swap_remove(position);
    debug_assert_eq!(added, class.methods.len());
    Ok(())
}

fn at_entry(class: &mut ClassFile, name: &str, descriptor: &str, fragment: &[Insn]) -> Result<(), Failure> {
    let position = find(class, name, descriptor)?;
    let mut splice = Splice::default();
    splice.entry(fragment.to_vec());
    class.splice(position, &splice)?;
    Ok(())
}

fn find(class: &ClassFile, name: &str, descriptor: &str) -> Result<usize, Failure> {
    let found = class.methods.iter().position(|method| method.is(&class.pool, name, descriptor));
    found.ok_or_else(|| format!("{} has no {name}{descriptor}", class.name()).into())
}

/// Whether the JDK's method that called us was itself called by a class that is not the JDK's, or by a statement.
pub(crate) fn called_by_subject() -> bool {
    JVMTI.get().is_none_or(|jvmti| jvmti.innermost_outside_jdk())
}

/// Whether the current thread is inside an initializer, or in the JVM's own calls to link code; also if that cannot be
/// told, because cutting one short cannot be undone.
pub(crate) fn in_linking() -> bool {
    const LINKING: [&str; 5] =
        [INITIALIZER, "linkCallSite", "linkMethod", "linkDynamicConstant", "loadClass"];
    JVMTI.get().is_some_and(|jvmti| jvmti.runs_one_of(&LINKING).unwrap_or(true))
}

/// Whether the current thread is known to be inside an initializer.
pub(crate) fn in_initializer() -> bool {
    JVMTI.get().and_then(|jvmti| jvmti.runs_one_of(&[INITIALIZER])).unwrap_or(false)
}

/// What initializers are called.
const INITIALIZER: &str = "<clinit>";
