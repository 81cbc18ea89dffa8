//! How long it takes from a class path to a subject.

use jurat_classpath::ClassPath;
use jurat_subject::Request;
use jurat_testkit::machine;

fn main() {
    divan::main();
}

/// Opens the class path and resolves all of it, as one run of the command does.
fn load(class_path: &str) -> jurat_model::Subject {
    let jdk = machine::jdks().remove(0);
    let class_path =
        ClassPath::open(class_path, jdk.feature, Some(&jdk)).unwrap_or_else(|error| panic!("{error}"));
    jurat_subject::load(&Request { class_path: &class_path, jdk: &jdk, patterns: &[] })
        .unwrap_or_else(|error| panic!("{error}"))
}

#[divan::bench(sample_count = 10)]
fn commons_collections() -> jurat_model::Subject {
    load(&machine::jar("commons-collections4-4.4").display().to_string())
}

#[divan::bench(sample_count = 5)]
fn java_base() -> jurat_model::Subject {
    load("jrt:/java.base")
}
