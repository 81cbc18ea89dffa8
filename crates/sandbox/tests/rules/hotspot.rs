//! The JVM starts and works behind the sandbox, on every JDK found, and what Java code tries is counted.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::{Path, PathBuf};

use jni_sys::{JNI_OK, JNI_VERSION_10, JNIEnv, JavaVM, JavaVMInitArgs, JavaVMOption};
use jurat_classpath::jdk::Jdk;
use jurat_sandbox::{Counts, Kind};

use jurat_testkit::machine;

use crate::child::Scene;

#[test]
fn ordinary_code_computes() {
    on_each_jdk("Everyday", "compute", Scene::scratch, &["799992 3 true"], &[]);
}

#[test]
fn ordinary_code_reads() {
    on_each_jdk("Everyday", "read", Scene::outside, &["precious 8 true"], &[]);
}

#[test]
fn ordinary_code_writes_to_scratch() {
    let expected = [Kind::WriteInside, Kind::Metadata];
    on_each_jdk("Everyday", "write", Scene::scratch, &["2 1000 true"], &expected);
}

#[test]
fn deleting_outside_fails() {
    refused("delete", "false", &[Kind::WriteOutside]);
}

#[test]
fn overwriting_outside_fails() {
    refused("overwrite", "AccessDeniedException", &[Kind::WriteOutside]);
}

#[test]
fn renaming_outside_fails() {
    refused("rename", "AccessDeniedException", &[Kind::WriteOutside]);
}

#[test]
fn changing_permissions_outside_fails() {
    refused("chmod", "Operation not permitted", &[Kind::Metadata]);
}

#[test]
fn changing_times_outside_fails() {
    refused("touch", "Operation not permitted", &[Kind::Metadata]);
}

#[test]
fn changing_attributes_outside_fails() {
    refused("attribute", "FileSystemException", &[Kind::Metadata]);
}

#[test]
fn connecting_fails() {
    refused("tcp", "SocketException: Operation not permitted", &[Kind::Connect]);
}

#[test]
fn sending_a_datagram_fails() {
    refused("udp", "SocketException: Operation not permitted", &[Kind::Connect]);
}

#[test]
fn starting_a_process_fails() {
    refused("start", "IOException", &[Kind::Spawn]);
}

#[test]
fn killing_the_parent_fails() {
    refused("kill", "", &[Kind::Signal]);
}

#[test]
fn ten_thousand_threads_are_not_had() {
    refused("threads", "stopped", &[Kind::Threads]);
}

/// Runs a deed that must not succeed; its answer has `part` in it.
#[track_caller]
fn refused(method: &'static str, part: &str, expected: &[Kind]) {
    on_each_jdk("Forbidden", method, Scene::outside, &[part], expected);
}

#[track_caller]
fn on_each_jdk(
    class: &str,
    method: &str,
    argument: fn(&Scene) -> PathBuf,
    parts: &[&str],
    expected: &[Kind],
) {
    for jdk in machine::jdks() {
        let mut scene = Scene::new();
        let classes = machine::compile_once(&jdk, "sandboxed", Path::new(env!("CARGO_TARGET_TMPDIR")));
        // The file outside is known, so that only what is done to it is counted.
        scene.policy.readable = vec![jdk.home.clone(), classes.clone(), scene.outside()];
        let counts = scene.counts(|scene| {
            let answer = call(&jdk, &classes, class, method, argument(scene), scene);
            assert!(parts.iter().all(|part| answer.contains(part)), "JDK {}: {answer}", jdk.feature);
        });
        let tried = counts.since(&Counts::default()).map(|(kind, _)| kind);
        let tried: Vec<Kind> = tried.filter(|kind| *kind != Kind::Exit).collect();
        assert_eq!(tried, expected, "JDK {}", jdk.feature);
    }
}

/// Starts a JVM in this sealed process and calls `static String method(String)`.
fn call(jdk: &Jdk, classes: &Path, class: &str, method: &str, argument: PathBuf, scene: &Scene) -> String {
    // SAFETY: libjvm's initializers have no preconditions, and it is never unloaded.
    let library = unsafe { libloading::Library::new(&jdk.libjvm).expect("libjvm loads behind the sandbox") };
    let options = [
        format!("-Djava.class.path={}", classes.display()),
        "-XX:-UsePerfData".into(),
        "-Xmx256m".into(),
        "-XX:+UseSerialGC".into(),
    ]
    .map(|option| CString::new(option).expect("no zero bytes"));
    let env = create(&library, &options);
    std::mem::forget(library);
    // What the start of the JVM did is not the subject's doing, nor is the loading of the network library,
    // which asks at once whether there is IPv6.
    call_static(
        env,
        "java/lang/Class",
        "forName",
        "(Ljava/lang/String;)Ljava/lang/Class;",
        "sun.nio.ch.IOUtil",
    );
    scene.attempts.clear();
    let argument = argument.into_os_string().into_string().expect("a readable path");
    let class = format!("sandboxed/{class}");
    let answer = call_static(env, &class, method, "(Ljava/lang/String;)Ljava/lang/String;", &argument);
    text(env, answer)
}

fn create(library: &libloading::Library, options: &[CString]) -> *mut JNIEnv {
    type Create = unsafe extern "system" fn(*mut *mut JavaVM, *mut *mut c_void, *mut c_void) -> i32;
    let mut options: Vec<JavaVMOption> = options
        .iter()
        .map(|option| JavaVMOption {
            optionString: option.as_ptr().cast_mut(),
            extraInfo: std::ptr::null_mut(),
        })
        .collect();
    let mut arguments = JavaVMInitArgs {
        version: JNI_VERSION_10,
        nOptions: i32::try_from(options.len()).expect("few"),
        options: options.as_mut_ptr(),
        ignoreUnrecognized: false,
    };
    let (mut vm, mut env) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the signature is JNI's, and all pointers are to locals that live until it returns.
    let created = unsafe {
        let create = library.get::<Create>(c"JNI_CreateJavaVM").expect("libjvm exports it");
        create(&raw mut vm, &raw mut env, (&raw mut arguments).cast())
    };
    assert_eq!(created, JNI_OK, "HotSpot starts behind the sandbox");
    env.cast()
}

fn call_static(env: *mut JNIEnv, class: &str, method: &str, signature: &str, argument: &str) -> *mut c_void {
    let [class, method, signature, argument] =
        [class, method, signature, argument].map(|text| CString::new(text).expect("no zero bytes"));
    // SAFETY: `env` belongs to this thread; strings end in zero; the argument fits the signature.
    unsafe {
        let jni = &(**env).v1_4;
        let class = (jni.FindClass)(env, class.as_ptr());
        assert!(!class.is_null());
        let method = (jni.GetStaticMethodID)(env, class, method.as_ptr(), signature.as_ptr());
        assert!(!method.is_null());
        let argument = (jni.NewStringUTF)(env, argument.as_ptr());
        let answer = (jni.CallStaticObjectMethod)(env, class, method, argument);
        if (jni.ExceptionCheck)(env) {
            (jni.ExceptionDescribe)(env);
            panic!("the call threw");
        }
        answer.cast()
    }
}

fn text(env: *mut JNIEnv, string: *mut c_void) -> String {
    // SAFETY: `string` is a `java.lang.String` of this thread; its characters are copied before they are released.
    unsafe {
        let jni = &(**env).v1_4;
        let characters: *const c_char = (jni.GetStringUTFChars)(env, string.cast(), std::ptr::null_mut());
        let text = CStr::from_ptr(characters).to_string_lossy().into_owned();
        (jni.ReleaseStringUTFChars)(env, string.cast(), characters);
        text
    }
}
