//! The few JVMTI functions a worker uses.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use jvmti_bindings::sys::jni::{JNI_OK, JNIEnv, JavaVM, jint, jthread};
use jvmti_bindings::sys::jvmti as sys;
use sys::{JVMTI_VERSION_11, jvmtiCapabilities, jvmtiEnv};

use crate::WorkerError;
use crate::jni::{Id, Ref};
use crate::threads;

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
    pub(crate) fn of(vm: *mut JavaVM, feature: u32) -> Result<Self, WorkerError> {
        let mut raw: *mut c_void = null_mut();
        // SAFETY: the JVM was just created, and `raw` is a live local.
        let result = unsafe { ((**vm).GetEnv)(vm, &raw mut raw, JVMTI_VERSION_11) };
        if result != JNI_OK {
            return Err(WorkerError::new("the JVM offers no JVMTI"));
        }
        let jvmti = Self { raw: raw.cast() };
        let mut wanted = jvmtiCapabilities::default();
        wanted.set_can_signal_thread(true);
        wanted.set_can_generate_garbage_collection_events(true);
        wanted.set_can_generate_resource_exhaustion_heap_events(true);
        wanted.set_can_generate_resource_exhaustion_threads_events(true);
        jvmti!(jvmti, AddCapabilities, &raw const wanted)?;
        jvmti.listen(feature)?;
        Ok(jvmti)
    }

    fn listen(self, feature: u32) -> Result<(), WorkerError> {
        let mut callbacks = sys::jvmtiEventCallbacks::default();
        callbacks.ThreadStart = Some(thread_start);
        callbacks.ThreadEnd = Some(thread_end);
        callbacks.ResourceExhausted = Some(resource_exhausted);
        callbacks.GarbageCollectionFinish = Some(collection_finished);
        let size = sys::event_callbacks_size_for_feature(u16::try_from(feature).unwrap_or(u16::MAX));
        jvmti!(self, SetEventCallbacks, &raw const callbacks, size)?;
        let events = [
            sys::JVMTI_EVENT_THREAD_START,
            sys::JVMTI_EVENT_THREAD_END,
            sys::JVMTI_EVENT_RESOURCE_EXHAUSTED,
            sys::JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
        ];
        for event in events {
            jvmti!(self, SetEventNotificationMode, sys::JVMTI_ENABLE, event, null_mut())?;
        }
        Ok(())
    }

    /// Makes a thread throw `exception` wherever it is.
    pub(crate) fn stop_thread(self, thread: Ref, exception: Ref) -> Result<(), WorkerError> {
        jvmti!(self, StopThread, thread.raw(), exception.raw())
    }

    /// The fields a class itself declares: id, name, descriptor, modifiers.
    pub(crate) fn fields(self, class: Ref) -> Vec<(Id, String, String, i32)> {
        let (mut count, mut list) = (0, null_mut());
        if jvmti!(self, GetClassFields, class.raw(), &raw mut count, &raw mut list).is_err() {
            return Vec::new();
        }
        let mut fields = Vec::new();
        for index in 0..usize::try_from(count).unwrap_or(0) {
            // SAFETY: the JVM filled `count` entries.
            let id = unsafe { *list.add(index) };
            let (mut name, mut descriptor, mut modifiers) = (null_mut(), null_mut(), 0);
            let generic = null_mut();
            let named =
                jvmti!(self, GetFieldName, class.raw(), id, &raw mut name, &raw mut descriptor, generic);
            let told = jvmti!(self, GetFieldModifiers, class.raw(), id, &raw mut modifiers);
            if named.and(told).is_ok() {
                fields.push((Id::from_raw(id), self.take_text(name), self.take_text(descriptor), modifiers));
            }
        }
        self.free(list.cast());
        fields
    }

    /// Copies and frees a text that the JVM allocated.
    fn take_text(self, text: *mut c_char) -> String {
        if text.is_null() {
            return String::new();
        }
        // SAFETY: the JVM made it, ends it with zero, and leaves it to us.
        let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
        self.free(text.cast());
        copy
    }

    fn free(self, memory: *mut u8) {
        // Freeing what the JVM allocated cannot fail.
        let _ = jvmti!(self, Deallocate, memory);
    }

    /// The loader that defined a class; null is the boot loader. Asking runs no Java code.
    pub(crate) fn loader_of(self, class: Ref) -> Ref {
        let mut loader = null_mut();
        let found = jvmti!(self, GetClassLoader, class.raw(), &raw mut loader);
        if found.is_ok() { Ref::from_raw(loader) } else { Ref::NULL }
    }
}

unsafe extern "system" fn thread_start(_jvmti: *mut jvmtiEnv, _env: *mut JNIEnv, _thread: jthread) {
    threads::began();
}

/// Memory or threads ran out: an `OutOfMemoryError` is about to be thrown, and may be caught by anybody.
unsafe extern "system" fn resource_exhausted(
    _jvmti: *mut jvmtiEnv,
    _env: *mut JNIEnv,
    _flags: jint,
    _reserved: *const c_void,
    _description: *const c_char,
) {
    threads::EXHAUSTED.store(true, Ordering::Release);
}

static COLLECTIONS: AtomicU64 = AtomicU64::new(0);

/// How often the collector ran.
pub(crate) fn collections() -> u64 {
    COLLECTIONS.load(Ordering::Acquire)
}

unsafe extern "system" fn collection_finished(_jvmti: *mut jvmtiEnv) {
    COLLECTIONS.fetch_add(1, Ordering::AcqRel);
}

unsafe extern "system" fn thread_end(_jvmti: *mut jvmtiEnv, _env: *mut JNIEnv, _thread: jthread) {
    threads::ended();
}
