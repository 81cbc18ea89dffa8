//! Class paths as they occur: folders, jars of every kind of damage, and the JDK's image.

use std::io::Write;
use std::path::{Path, PathBuf};

use jurat_classpath::jdk::{self, Jdk, JdkError};
use jurat_classpath::{ClassPath, ClassPathError, Image};
use zip::write::SimpleFileOptions;

fn jar(path: &Path, entries: &[(&str, &[u8])]) {
    let mut writer = zip::ZipWriter::new(std::fs::File::create(path).expect("scratch is writable"));
    for (name, bytes) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).expect("entry begins");
        writer.write_all(bytes).expect("entry is written");
    }
    writer.finish().expect("jar is closed");
}

fn open(path: &Path, release: u32) -> Result<ClassPath, ClassPathError> {
    ClassPath::open(path.to_str().expect("scratch path is UTF-8"), release, None)
}

fn names(class_path: &ClassPath) -> Vec<&str> {
    class_path.names().collect()
}

fn scratch() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("scratch folder");
    let path = folder.path().to_owned();
    (folder, path)
}

#[test]
fn a_multi_release_jar_shows_the_newest_class_the_release_may_see() {
    let (_keep, folder) = scratch();
    let path = folder.join("m.jar");
    jar(
        &path,
        &[
            ("META-INF/MANIFEST.MF", b"Multi-Release: true\n\n"),
            ("a/A.class", b"base"),
            ("META-INF/versions/9/a/A.class", b"nine"),
            ("META-INF/versions/11/a/A.class", b"eleven"),
            ("META-INF/versions/21/a/B.class", b"twenty-one"),
            ("META-INF/maven/a/C.class", b"not a class of the jar"),
        ],
    );
    let seventeen = open(&path, 17).expect("opens");
    assert_eq!(names(&seventeen), ["a/A"]);
    assert_eq!(seventeen.read("a/A").expect("reads").as_deref(), Some(&b"eleven"[..]));
    assert_eq!(names(&open(&path, 21).expect("opens")), ["a/A", "a/B"]);
}

#[test]
fn version_folders_of_a_plain_jar_are_ignored() {
    let (_keep, folder) = scratch();
    let path = folder.join("p.jar");
    jar(&path, &[("A.class", b"base"), ("META-INF/versions/9/A.class", b"nine")]);
    assert_eq!(open(&path, 17).expect("opens").read("A").expect("reads").as_deref(), Some(&b"base"[..]));
}

#[test]
fn packages_of_signed_jars_and_sealed_packages_are_closed() {
    let (_keep, folder) = scratch();
    let is_closed = |entries: &[(&str, &[u8])]| {
        let path = folder.join("some.jar");
        jar(&path, &[entries, &[("a/A.class", b""), ("B.class", b"")]].concat());
        let class_path = open(&path, 17).expect("opens");
        ["a/A", "B", "absent"].map(|name| class_path.is_closed(name))
    };
    let signature: (&str, &[u8]) = ("META-INF/acme.sf", b"");
    assert_eq!(is_closed(&[]), [false; 3]);
    assert_eq!(is_closed(&[signature]), [false; 3], "nothing proves it");
    assert_eq!(is_closed(&[signature, ("META-INF/ACME.RSA", b"")]), [true, true, false]);
    let sealed = |text: &'static [u8]| is_closed(&[("META-INF/MANIFEST.MF", text)]);
    assert_eq!(sealed(b"Sealed: true\n"), [true, true, false]);
    assert_eq!(sealed(b"Manifest-Version: 1.0\n\nName: a/\nSealed: true\n"), [true, false, false]);
}

#[test]
fn class_path_entries_of_the_manifest_follow_their_jar_even_in_a_cycle() {
    let (_keep, folder) = scratch();
    let (first, second) = (folder.join("first.jar"), folder.join("second.jar"));
    jar(&first, &[("META-INF/MANIFEST.MF", b"Class-Path: second.jar absent.jar\n"), ("A.class", b"1")]);
    jar(
        &second,
        &[("META-INF/MANIFEST.MF", b"Class-Path: first.jar\n"), ("A.class", b"2"), ("B.class", b"2")],
    );
    let class_path = open(&first, 17).expect("opens");
    assert_eq!(names(&class_path), ["A", "B"]);
    assert_eq!(class_path.read("A").expect("reads").as_deref(), Some(&b"1"[..]));
    assert!(class_path.is_named("A") && !class_path.is_named("B"));
}

#[test]
fn a_whole_jdk_is_one_class_path_and_each_module_describes_itself() {
    for jdk in jdks() {
        let class_path = ClassPath::of_jdk(&jdk).expect("opens");
        let module = class_path.source("java/util/logging/Logger").expect("it is in the JDK");
        assert_eq!(module.to_string(), "jrt:/java.logging");
        assert!(class_path.contains("java/lang/Object"));
        let image = Image::open(&jdk.home).expect("opens");
        assert!(image.module_info("java.logging").expect("reads").is_some());
        assert!(image.module_info("no.such.module").expect("reads").is_none());
    }
}

#[test]
fn a_folder_is_searched_and_the_first_entry_wins() {
    let (_keep, folder) = scratch();
    std::fs::create_dir_all(folder.join("x/p/q")).expect("folders");
    std::fs::write(folder.join("x/p/q/A.class"), b"folder").expect("file");
    std::fs::write(folder.join("x/p/q/A.txt"), b"no class").expect("file");
    jar(&folder.join("y.jar"), &[("p/q/A.class", b"jar"), ("p/q/B.class", b"jar")]);
    let text = format!("{0}/x:{0}/y.jar", folder.display());
    let class_path = ClassPath::open(&text, 17, None).expect("opens");
    assert_eq!(names(&class_path), ["p/q/A", "p/q/B"]);
    assert_eq!(class_path.read("p/q/A").expect("reads").as_deref(), Some(&b"folder"[..]));
    assert_eq!(class_path.read("p/q/C").expect("reads"), None);
}

#[test]
fn what_is_not_a_jar_and_what_is_half_a_jar_are_told_apart() {
    let (_keep, folder) = scratch();
    let (text, empty, whole) = (folder.join("t.jar"), folder.join("e.jar"), folder.join("w.jar"));
    std::fs::write(&text, "hello, this is no jar").expect("file");
    std::fs::write(&empty, "").expect("file");
    jar(&whole, &[("A.class", &[7; 5000])]);
    let bytes = std::fs::read(&whole).expect("reads");
    let half = folder.join("h.jar");
    std::fs::write(&half, &bytes[..bytes.len() / 2]).expect("file");
    assert!(matches!(open(&text, 17), Err(ClassPathError::NotAJar { .. })));
    assert!(matches!(open(&empty, 17), Err(ClassPathError::NotAJar { .. })));
    assert!(matches!(open(&half, 17), Err(ClassPathError::DamagedJar { .. })));
}

#[test]
fn a_star_means_every_jar_of_the_folder() {
    let (_keep, folder) = scratch();
    jar(&folder.join("b.jar"), &[("B.class", b"b")]);
    jar(&folder.join("a.JAR"), &[("A.class", b"a")]);
    let class_path = ClassPath::open(&format!("{}/*", folder.display()), 17, None).expect("opens");
    assert_eq!(names(&class_path), ["A", "B"]);
}

fn jdks() -> Vec<Jdk> {
    let jdks = jdk::find_all();
    assert!(!jdks.is_empty(), "no JDK found: run `make setup`");
    jdks
}

#[test]
fn every_jdk_found_shows_its_java_base() {
    for jdk in jdks() {
        let class_path = ClassPath::open("jrt:/java.base", jdk.feature, Some(&jdk)).expect("opens");
        assert!(class_path.len() > 5000, "{}: {} classes", jdk.version, class_path.len());
        for name in class_path.names() {
            let bytes = class_path.read(name).expect("reads").expect("it is listed");
            assert!(bytes.starts_with(&[0xCA, 0xFE, 0xBA, 0xBE]), "{name}");
        }
        let error = ClassPath::open("jrt:/java.bas", jdk.feature, Some(&jdk)).expect_err("no such module");
        assert!(error.to_string().contains("java.base"), "{error}");
    }
}

#[test]
fn homes_that_are_no_jdk_are_refused_with_the_reason() {
    let (_keep, folder) = scratch();
    assert!(matches!(Jdk::at(&folder), Err(JdkError::NotAJdk { .. })));
    std::fs::write(folder.join("release"), "JAVA_VERSION=\"11.0.2\"\n").expect("file");
    assert!(matches!(Jdk::at(&folder), Err(JdkError::TooOld { .. })));
    std::fs::write(folder.join("release"), "JAVA_VERSION=\"17.0.2\"\n").expect("file");
    assert!(matches!(Jdk::at(&folder), Err(JdkError::NoLibjvm(_))));
}
