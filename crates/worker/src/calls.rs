//! The class through which Java code calls the worker: patched classes of the JDK, mocks and bridges use it.
//!
//! It is synthesized and defined into `java.base`, so that every class sees it, whatever its loader.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use jurat_classfile::{Access, BranchOp, BuildError, ClassFile, CodeBuilder, LocalOp, Op};
use jurat_sandbox::Kind as Attempt;
use jvmti_bindings::sys::jni::{JNIEnv, jbyteArray, jclass, jint, jlong, jobject, jobjectArray, jstring};

use crate::classes::{Jdk, text_of};
use crate::jni::{Env, Kind, Native, Raw, Ref};
use crate::shared::attempts;
use crate::{WorkerError, clock, mocks, probes, random};

/// The class's binary name.
pub(crate) const CLASS: &str = "java/lang/JuratCalls";

/// The error with which an exit is refused.
static REFUSAL: OnceLock<Ref> = OnceLock::new();

/// The status of the last refused exit plus 2^32, or zero.
static EXIT: AtomicU64 = AtomicU64::new(0);

/// Defines the class and binds its natives.
pub(crate) fn define(env: Env, jdk: &Jdk) -> Result<(), WorkerError> {
    let bytes = synthesize().map_err(|error| WorkerError::new(format!("JuratCalls: {error}")))?;
    let class = env.define_class(c"java/lang/JuratCalls", Ref::NULL, &bytes);
    let class = jdk.checked(env, "JuratCalls", class)?;
    let class = class.ok_or_else(|| WorkerError::new("JuratCalls cannot be defined"))?;
    let natives = [
        Native { name: c"exit", descriptor: c"(I)V", function: exit as *mut c_void },
        Native { name: c"environment", descriptor: c"()V", function: environment as *mut c_void },
        Native { name: c"property", descriptor: c"(Ljava/lang/String;)V", function: property as *mut c_void },
        Native { name: c"random", descriptor: c"([B)V", function: fill as *mut c_void },
        Native {
            name: c"ask",
            descriptor: c"(II[Ljava/lang/Object;)Ljava/lang/Object;",
            function: ask as *mut c_void,
        },
        Native { name: c"now", descriptor: c"()J", function: now as *mut c_void },
        Native { name: c"until", descriptor: c"(J)J", function: until as *mut c_void },
        Native { name: c"waited", descriptor: c"(JJ)V", function: waited as *mut c_void },
    ];
    let bound = env.register_natives(class, &natives);
    jdk.checked(env, "JuratCalls", bound)?;
    let halt = [Native { name: c"halt0", descriptor: c"(I)V", function: exit as *mut c_void }];
    let shutdown = jdk.checked(env, "Shutdown", env.find_class(c"java/lang/Shutdown"))?;
    let halted = shutdown.is_some_and(|class| env.register_natives(class, &halt));
    jdk.checked(env, "Shutdown", halted)?;
    let refusal = env.new_global(jdk.make_stop(env)?);
    REFUSAL.get_or_init(|| refusal);
    Ok(())
}

/// Forgets an exit that was asked for: a statement starts.
pub(crate) fn forget_exit() {
    EXIT.store(0, Ordering::Relaxed);
}

/// The status with which the JVM was asked to exit, if it was.
pub(crate) fn exit_status() -> Option<i32> {
    let exit = EXIT.load(Ordering::Relaxed);
    let status = u32::try_from(exit & 0xffff_ffff).expect("32 bits").cast_signed();
    (exit != 0).then_some(status)
}

/// The class: natives, and the one method that is easier said in Java.
fn synthesize() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut class = ClassFile::new(CLASS, "java/lang/Object")?;
    let native = Access::PUBLIC | Access::STATIC | Access::NATIVE;
    for (name, descriptor) in [
        ("exit", "(I)V"),
        ("environment", "()V"),
        ("property", "(Ljava/lang/String;)V"),
        ("random", "([B)V"),
        ("ask", "(II[Ljava/lang/Object;)Ljava/lang/Object;"),
        ("now", "()J"),
        ("until", "(J)J"),
        ("waited", "(JJ)V"),
    ] {
        class.add_bodiless_method(native, name, descriptor)?;
    }
    class.add_method(Access::PUBLIC | Access::STATIC, "park", PARK, park_body)?;
    Ok(class.write()?)
}

/// What stands in for `Unsafe.park`: the receiver comes first.
pub(crate) const PARK: &str = "(Ljdk/internal/misc/Unsafe;ZJ)V";

/// Parks for as long as the pinned clock says, and moves that clock if the time ran out:
/// `nanos = absolute ? until(time) : time; begun = now(); unsafe.park(false, nanos); waited(begun, nanos)`.
fn park_body(code: &mut CodeBuilder<'_>) -> Result<(), BuildError> {
    let (limited, relative, positive) = (code.label(), code.label(), code.label());
    code.local(LocalOp::Lload, 2);
    code.push(Op::Lconst0);
    code.push(Op::Lcmp);
    code.branch(BranchOp::Ifne, limited);
    park_call(code, |code| code.local(LocalOp::Iload, 1))?;
    code.push(Op::Return);
    code.place(limited);
    code.local(LocalOp::Iload, 1);
    code.branch(BranchOp::Ifeq, relative);
    code.local(LocalOp::Lload, 2);
    code.invoke_static(CLASS, "until", "(J)J")?;
    code.local(LocalOp::Lstore, 2);
    code.place(relative);
    code.local(LocalOp::Lload, 2);
    code.push(Op::Lconst0);
    code.push(Op::Lcmp);
    code.branch(BranchOp::Ifgt, positive);
    code.push(Op::Return);
    code.place(positive);
    code.invoke_static(CLASS, "now", "()J")?;
    code.local(LocalOp::Lstore, 4);
    park_call(code, |code| code.push(Op::Iconst0))?;
    code.local(LocalOp::Lload, 4);
    code.local(LocalOp::Lload, 2);
    code.invoke_static(CLASS, "waited", "(JJ)V")?;
    code.push(Op::Return);
    Ok(())
}

fn park_call(
    code: &mut CodeBuilder<'_>,
    absolute: impl FnOnce(&mut CodeBuilder<'_>),
) -> Result<(), BuildError> {
    code.local(LocalOp::Aload, 0);
    absolute(code);
    code.local(LocalOp::Lload, 2);
    code.invoke_virtual("jdk/internal/misc/Unsafe", "park", "(ZJ)V")?;
    Ok(())
}

/// Runs a callback's work; a panic must not reach the JVM.
fn shielded<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

extern "system" fn exit(env: *mut JNIEnv, _class: jclass, status: jint) {
    attempts().record(Attempt::Exit, -1);
    EXIT.store(u64::from(status.cast_unsigned()) | 1 << 32, Ordering::Relaxed);
    if let Some(refusal) = REFUSAL.get() {
        Env::from_raw(env).throw(*refusal);
    }
}

extern "system" fn environment(_env: *mut JNIEnv, _class: jclass) {
    shielded((), || {
        if crate::patch::called_by_subject() {
            attempts().record(Attempt::Environment, -1);
        }
    });
}

extern "system" fn property(env: *mut JNIEnv, _class: jclass, name: jstring) {
    shielded((), || {
        let name = Ref::from_raw(name);
        if name.is_null() {
            return;
        }
        let name = text_of(Env::from_raw(env), name, 64);
        // Initializers run for whoever comes first and say nothing about it: the same sequence, run second, would be free of
        // blame. What they read is found out by validation, where properties are others; variables are the same there, so
        // whoever reads those is blamed in any case.
        let is_asked = || crate::patch::called_by_subject() && !crate::patch::in_initializer();
        if name.as_str().is_some_and(tells_about_machine) && is_asked() {
            attempts().record(Attempt::Environment, -1);
        }
    });
}

/// Whether a system property has another value on another machine or for another user.
fn tells_about_machine(property: &str) -> bool {
    let begins = |prefix: &&str| property.starts_with(*prefix);
    ["user.", "os.", "java.", "sun.", "jdk.", "native.", "awt."].iter().any(begins)
}

extern "system" fn fill(env: *mut JNIEnv, _class: jclass, array: jbyteArray) {
    shielded((), || {
        let (env, array) = (Env::from_raw(env), Ref::from_raw(array));
        if array.is_null() {
            return;
        }
        for index in 0..i32::try_from(env.array_length(array)).expect("array lengths fit") {
            let value = Raw::from_bits(u64::from(random::next_byte()));
            env.set_element(Kind::Byte, array, index, value);
        }
    });
}

extern "system" fn ask(
    env: *mut JNIEnv,
    _class: jclass,
    mock: jint,
    method: jint,
    arguments: jobjectArray,
) -> jobject {
    let env = Env::from_raw(env);
    let answer = || {
        if probes::use_fuel(env) {
            Ref::NULL
        } else {
            mocks::ask(env, mock, method, Ref::from_raw(arguments))
        }
    };
    shielded(Ref::NULL, answer).raw()
}

extern "system" fn now(_env: *mut JNIEnv, _class: jclass) -> jlong {
    clock::real_nanos()
}

extern "system" fn until(_env: *mut JNIEnv, _class: jclass, deadline_millis: jlong) -> jlong {
    clock::nanos_until(deadline_millis)
}

extern "system" fn waited(_env: *mut JNIEnv, _class: jclass, begun: jlong, nanos: jlong) {
    clock::waited_since(begun, nanos);
}
