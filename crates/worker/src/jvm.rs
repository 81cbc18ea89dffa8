//! The JVM: created once, in this process, from a library found at run time.

use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;

use jurat_protocol::Boot;
use jvmti_bindings::sys::jni::{
    JNI_OK, JNI_VERSION_10, JNIEnv, JavaVM, JavaVMAttachArgs, JavaVMInitArgs, JavaVMOption, describe_result,
};

use crate::flags::flags;
use crate::jni::Env;
use crate::jvmti::Jvmti;
use crate::{WorkerError, threads};

/// The one JVM of this process.
#[derive(Clone, Copy)]
pub(crate) struct Jvm {
    vm: *mut JavaVM,
    pub(crate) jvmti: Jvmti,
    pub(crate) library: Library,
}

/// The JVM's library, open for the life of the process.
#[derive(Clone, Copy)]
pub(crate) struct Library(&'static libloading::Library);

impl Library {
    /// The address of an exported function.
    pub(crate) fn symbol(self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: only the address is taken; who calls it knows its signature.
        let symbol = unsafe { self.0.get::<*mut c_void>(name.to_bytes_with_nul()) };
        symbol.ok().map(|address| *address)
    }
}

// SAFETY: the invocation interface may be used from every thread.
unsafe impl Send for Jvm {}
// SAFETY: as above.
unsafe impl Sync for Jvm {}

type CreateJavaVm = unsafe extern "system" fn(*mut *mut JavaVM, *mut *mut JNIEnv, *mut JavaVMInitArgs) -> i32;

impl Jvm {
    /// Creates the JVM; the current thread is attached to it.
    pub(crate) fn create(boot: &Boot) -> Result<(Self, Env), WorkerError> {
        let (library, create) = load(&boot.libjvm)?;
        let options: Vec<CString> = flags(boot)
            .into_iter()
            .map(|flag| CString::new(flag).map_err(|_| WorkerError::new("a JVM option holds a zero byte")))
            .collect::<Result<_, _>>()?;
        let mut table: Vec<JavaVMOption> = options
            .iter()
            .map(|option| JavaVMOption { optionString: option.as_ptr().cast_mut(), extraInfo: null_mut() })
            .collect();
        let mut arguments = JavaVMInitArgs {
            version: JNI_VERSION_10,
            nOptions: i32::try_from(table.len()).expect("a few dozen options"),
            options: table.as_mut_ptr(),
            ignoreUnrecognized: 0,
        };
        let (mut vm, mut env) = (null_mut(), null_mut());
        // SAFETY: the arguments outlive the call, and no other JVM was created in this process.
        let result = unsafe { create(&raw mut vm, &raw mut env, &raw mut arguments) };
        if result != JNI_OK {
            return Err(WorkerError::new(format!("the JVM did not start: {}", describe_result(result))));
        }
        let jvmti = Jvmti::of(vm, boot.feature)?;
        Ok((Self { vm, jvmti, library }, Env::from_raw(env)))
    }

    /// Makes the current thread a Java thread of this name.
    pub(crate) fn attach(self, name: &CStr, daemon: bool) -> Result<Env, WorkerError> {
        let mut arguments =
            JavaVMAttachArgs { version: JNI_VERSION_10, name: name.as_ptr().cast_mut(), group: null_mut() };
        let mut env: *mut c_void = null_mut();
        threads::mark_own();
        // SAFETY: the JVM lives as long as the process, and the arguments outlive the call.
        let result = unsafe {
            let table = &**self.vm;
            let attach = if daemon { table.AttachCurrentThreadAsDaemon } else { table.AttachCurrentThread };
            attach(self.vm, &raw mut env, (&raw mut arguments).cast())
        };
        if result == JNI_OK {
            Ok(Env::from_raw(env.cast()))
        } else {
            Err(WorkerError::new(format!("a thread could not be attached: {}", describe_result(result))))
        }
    }

    /// Undoes [`Jvm::attach`] for the current thread.
    pub(crate) fn detach(self) {
        // SAFETY: the JVM lives as long as the process; detaching a thread that is not attached does nothing.
        unsafe { ((**self.vm).DetachCurrentThread)(self.vm) };
    }
}

fn load(libjvm: &str) -> Result<(Library, CreateJavaVm), WorkerError> {
    // SAFETY: this runs the library's initializers; the engine checked that the file is a JVM. It is never unloaded.
    unsafe {
        let library = libloading::Library::new(libjvm)
            .map_err(|error| WorkerError::new(format!("cannot open {libjvm}: {error}")))?;
        let library: &'static libloading::Library = Box::leak(Box::new(library));
        let symbol = library
            .get::<CreateJavaVm>(b"JNI_CreateJavaVM\0")
            .map_err(|error| WorkerError::new(format!("{libjvm} is not a JVM: {error}")))?;
        Ok((Library(library), *symbol))
    }
}
