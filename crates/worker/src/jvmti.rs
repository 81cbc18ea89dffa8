//! The few JVMTI functions a worker uses.

use std::ffi::c_void;
use std::ptr::null_mut;

use jvmti_bindings::sys::jni::{JNI_OK, JavaVM};
use jvmti_bindings::sys::jvmti as sys;
use sys::{JVMTI_VERSION_11, jvmtiCapabilities, jvmtiEnv};

use crate::WorkerError;
use crate::jni::Ref;

/// The JVMTI environment.
#[derive(Clone, Copy)]
pub(crate) struct Jvmti {
    raw: *mut jvmtiEnv,
}

// SAFETY: a JVMTI environment may be used from every thread.
unsafe impl Send for Jvmti {}
// SAFETY: as above.
unsafe impl Sync for Jvmti {}

/// Calls a JVMTI function; its error, if any, as text with the function's name.
macro_rules! jvmti {
    ($jvmti:expr, $name:ident $(, $argument:expr)*) => {{
        let raw = $jvmti.raw;
        // SAFETY: the environment lives as long as the process; pointers passed point to live locals.
        let error = unsafe {
            match (*(*raw).functions).$name {
                Some(function) => function(raw $(, $argument)*),
                None => sys::jvmtiError::NOT_AVAILABLE,
            }
        };
        if error == sys::jvmtiError::NONE {
            Ok(())
        } else {
            Err(WorkerError::new(format!("{}: {error:?}", stringify!($name))))
        }
    }};
}

impl Jvmti {
    /// The environment of a JVM, with what a worker needs switched on.
    pub(crate) fn of(vm: *mut JavaVM) -> Result<Self, WorkerError> {
        let mut raw: *mut c_void = null_mut();
        // SAFETY: the JVM was just created, and `raw` is a live local.
        let result = unsafe { ((**vm).GetEnv)(vm, &raw mut raw, JVMTI_VERSION_11) };
        if result != JNI_OK {
            return Err(WorkerError::new("the JVM offers no JVMTI"));
        }
        let jvmti = Self { raw: raw.cast() };
        let mut wanted = jvmtiCapabilities::default();
        wanted.set_can_signal_thread(true);
        jvmti!(jvmti, AddCapabilities, &raw const wanted)?;
        Ok(jvmti)
    }

    /// The loader that defined a class; null is the boot loader. Asking runs no Java code.
    pub(crate) fn loader_of(self, class: Ref) -> Ref {
        let mut loader = null_mut();
        let found = jvmti!(self, GetClassLoader, class.raw(), &raw mut loader);
        if found.is_ok() { Ref::from_raw(loader) } else { Ref::NULL }
    }
}
