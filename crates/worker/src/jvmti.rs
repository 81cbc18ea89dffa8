//! The few JVMTI functions a worker uses.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use jvmti_bindings::sys::jni::{JNI_OK, JNIEnv, JavaVM, jclass, jint, jobject, jthread};
use jvmti_bindings::sys::jvmti as sys;
use sys::{JVMTI_VERSION_11, jvmtiCapabilities, jvmtiEnv};

use jurat_classfile::Access;

use crate::jni::{Id, Ref};
use crate::threads;
use crate::{WorkerError, patch};

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
        wanted.set_can_generate_all_class_hook_events(true);
        wanted.set_can_retransform_classes(true);
        wanted.set_can_retransform_any_class(true);
        wanted.set_can_generate_resource_exhaustion_heap_events(true);
        wanted.set_can_generate_resource_exhaustion_threads_events(true);
        jvmti!(jvmti, AddCapabilities, &raw const wanted)?;
        jvmti.listen(feature)?;
        Ok(jvmti)
    }

    fn listen(self, feature: u32) -> Result<(), WorkerError> {
        let mut callbacks = sys::jvmtiEventCallbacks::default();
        callbacks.ThreadEnd = Some(thread_end);
        callbacks.ResourceExhausted = Some(resource_exhausted);
        callbacks.ClassFileLoadHook = Some(class_loaded);
        callbacks.GarbageCollectionFinish = Some(collection_finished);
        let size = sys::event_callbacks_size_for_feature(u16::try_from(feature).unwrap_or(u16::MAX));
        jvmti!(self, SetEventCallbacks, &raw const callbacks, size)?;
        let events = [
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

    /// Lets every class that is loaded from now on, or retransformed, pass through [`patch::transform`].
    pub(crate) fn enable_class_hook(self) -> Result<(), WorkerError> {
        let event = sys::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK;
        jvmti!(self, SetEventNotificationMode, sys::JVMTI_ENABLE, event, null_mut())
    }

    /// Sends loaded classes through the hook again.
    pub(crate) fn retransform(self, classes: &[Ref]) -> Result<(), WorkerError> {
        let list: Vec<jobject> = classes.iter().map(|class| class.raw()).collect();
        let count = jint::try_from(list.len()).unwrap_or(jint::MAX);
        jvmti!(self, RetransformClasses, count, list.as_ptr())
    }

    /// The access flags of a class.
    pub(crate) fn class_access(self, class: Ref) -> Access {
        let mut modifiers = 0;
        let told = jvmti!(self, GetClassModifiers, class.raw(), &raw mut modifiers);
        to_access(if told.is_ok() { modifiers } else { 0 })
    }

    /// The interfaces a class itself names.
    pub(crate) fn interfaces(self, class: Ref) -> Vec<Ref> {
        let (mut count, mut list) = (0, null_mut());
        if jvmti!(self, GetImplementedInterfaces, class.raw(), &raw mut count, &raw mut list).is_err() {
            return Vec::new();
        }
        // SAFETY: the JVM filled `count` entries.
        let found = unsafe { (0..usize::try_from(count).unwrap_or(0)).map(|index| *list.add(index)) };
        let found = found.map(Ref::from_raw).collect();
        self.free(list.cast());
        found
    }

    /// The methods a class itself declares: name, descriptor, flags.
    pub(crate) fn methods(self, class: Ref) -> Vec<(String, String, Access)> {
        let (mut count, mut list) = (0, null_mut());
        if jvmti!(self, GetClassMethods, class.raw(), &raw mut count, &raw mut list).is_err() {
            return Vec::new();
        }
        let mut methods = Vec::new();
        for index in 0..usize::try_from(count).unwrap_or(0) {
            // SAFETY: the JVM filled `count` entries.
            let id = unsafe { *list.add(index) };
            let (mut name, mut descriptor, mut modifiers) = (null_mut(), null_mut(), 0);
            let named = jvmti!(self, GetMethodName, id, &raw mut name, &raw mut descriptor, null_mut());
            let told = jvmti!(self, GetMethodModifiers, id, &raw mut modifiers);
            if named.and(told).is_ok() {
                methods.push((self.take_text(name), self.take_text(descriptor), to_access(modifiers)));
            }
        }
        self.free(list.cast());
        methods
    }

    /// Whether the innermost frame of the current thread, beyond the JDK's ways to read the environment and our own
    /// class, belongs to no class of the JDK; also when there is no such frame.
    pub(crate) fn innermost_outside_jdk(self) -> bool {
        const GATES: [&str; 3] =
            ["Ljava/lang/JuratCalls;", "Ljava/lang/System;", "Ljava/lang/ProcessEnvironment;"];
        let mut frames = [sys::jvmtiFrameInfo::default(); 8];
        let mut count = 0;
        let capacity = jint::try_from(frames.len()).expect("eight");
        if jvmti!(self, GetStackTrace, null_mut(), 0, capacity, frames.as_mut_ptr(), &raw mut count).is_err()
        {
            return true;
        }
        for frame in frames.iter().take(usize::try_from(count).unwrap_or(0)) {
            let (mut class, mut name) = (null_mut(), null_mut());
            let found = jvmti!(self, GetMethodDeclaringClass, frame.method, &raw mut class)
                .and_then(|()| jvmti!(self, GetClassSignature, class, &raw mut name, null_mut()));
            if found.is_err() {
                return true;
            }
            let name = self.take_text(name);
            if !GATES.contains(&name.as_str()) {
                return !self.loader_of(Ref::from_raw(class)).is_null();
            }
        }
        true
    }

    /// Whether the current thread runs a method of one of these names, of whatever class; none if that cannot be told.
    pub(crate) fn runs_one_of(self, names: &[&str]) -> Option<bool> {
        let mut frames = vec![sys::jvmtiFrameInfo::default(); 1024];
        let mut count = 0;
        let capacity = jint::try_from(frames.len()).expect("a thousand");
        jvmti!(self, GetStackTrace, null_mut(), 0, capacity, frames.as_mut_ptr(), &raw mut count).ok()?;
        let named = |frame: &sys::jvmtiFrameInfo| {
            let mut name = null_mut();
            let told = jvmti!(self, GetMethodName, frame.method, &raw mut name, null_mut(), null_mut());
            if told.is_ok() { self.take_text(name) } else { String::new() }
        };
        let mut frames = frames.iter().take(usize::try_from(count).unwrap_or(0));
        Some(frames.any(|frame| names.contains(&named(frame).as_str())))
    }

    /// The loaded classes whose binary name is wanted.
    pub(crate) fn loaded_classes(self, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Ref>, WorkerError> {
        let (mut count, mut list) = (0, null_mut());
        jvmti!(self, GetLoadedClasses, &raw mut count, &raw mut list)?;
        let count = usize::try_from(count).unwrap_or(0);
        // SAFETY: the JVM gave us `count` local references in memory of its own.
        let all: Vec<jobject> = unsafe { std::slice::from_raw_parts(list, count) }.to_vec();
        let _ = jvmti!(self, Deallocate, list.cast());
        Ok(all.into_iter().map(Ref::from_raw).filter(|class| self.is_named(*class, wanted)).collect())
    }

    fn is_named(self, class: Ref, wanted: &dyn Fn(&str) -> bool) -> bool {
        let mut signature = null_mut();
        if jvmti!(self, GetClassSignature, class.raw(), &raw mut signature, null_mut()).is_err() {
            return false;
        }
        // SAFETY: the JVM gave us a zero-terminated string in memory of its own.
        let text = unsafe { CStr::from_ptr(signature) }.to_string_lossy().into_owned();
        let _ = jvmti!(self, Deallocate, signature.cast());
        text.strip_prefix('L').and_then(|name| name.strip_suffix(';')).is_some_and(wanted)
    }

    /// Memory that the JVM will free.
    fn allocate(self, bytes: &[u8]) -> Option<*mut u8> {
        let mut memory = null_mut();
        let length = i64::try_from(bytes.len()).ok()?;
        jvmti!(self, Allocate, length, &raw mut memory).ok()?;
        // SAFETY: the JVM gave us as many bytes as we asked for.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len()) };
        Some(memory)
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

fn to_access(modifiers: jint) -> Access {
    Access(u16::try_from(modifiers & 0xffff).expect("sixteen bits"))
}

/// A class is being loaded or changed.
unsafe extern "system" fn class_loaded(
    jvmti: *mut jvmtiEnv,
    _env: *mut JNIEnv,
    _changed: jclass,
    loader: jobject,
    name: *const c_char,
    _domain: jobject,
    length: jint,
    bytes: *const u8,
    new_length: *mut jint,
    new_bytes: *mut *mut u8,
) {
    if name.is_null() || bytes.is_null() {
        return;
    }
    // SAFETY: the JVM hands over a zero-terminated name, `length` bytes of class file, and places for our answer.
    unsafe {
        let name = CStr::from_ptr(name).to_string_lossy();
        let bytes = std::slice::from_raw_parts(bytes, usize::try_from(length).unwrap_or(0));
        let Some(changed) = patch::transform(&name, Ref::from_raw(loader), bytes) else { return };
        let Ok(changed_length) = jint::try_from(changed.len()) else { return };
        if let Some(memory) = (Jvmti { raw: jvmti }).allocate(&changed) {
            *new_bytes = memory;
            *new_length = changed_length;
        }
    }
}
