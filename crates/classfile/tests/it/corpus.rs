//! Real classes to test with: `java.base` of every JDK found, and well-known jars.

use std::sync::OnceLock;

use jurat_classpath::jdk::Jdk;
use jurat_classpath::{ClassPath, Source};
use jurat_testkit::machine;

/// A jar that `make setup` fetched, by its name without `.jar`.
pub(crate) fn jar(name: &str) -> ClassPath {
    let path = machine::jar(name);
    ClassPath::open(&path.to_string_lossy(), 17, None).unwrap_or_else(|error| panic!("{error}"))
}

/// `java.base` of a JDK.
pub(crate) fn java_base(jdk: &Jdk) -> ClassPath {
    ClassPath::open("jrt:/java.base", jdk.feature, Some(jdk)).unwrap_or_else(|error| panic!("{error}"))
}

/// Binary name and bytes of every class of the path's first entry.
pub(crate) fn classes(path: &ClassPath) -> impl Iterator<Item = (&str, Vec<u8>)> {
    let own: Option<&Source> = path.sources().next();
    path.names().filter(move |name| path.source(name) == own).map(|name| {
        let bytes = path.read(name).unwrap_or_else(|error| panic!("{error}"));
        (name, bytes.expect("a name that the class path listed"))
    })
}

/// A few hundred classes of every kind, for tests that draw from them.
pub(crate) fn sample() -> &'static [Vec<u8>] {
    static SAMPLE: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let newest = machine::jdks().pop().expect("there is at least one");
        let base = java_base(&newest);
        let some = classes(&base).step_by(37).map(|(_, bytes)| bytes);
        // One with frames at the first instruction, a module, annotations, big switches, a record.
        let special = [
            "module-info",
            "java/lang/Thread",
            "java/util/Formatter",
            "java/lang/runtime/ObjectMethods",
            "java/util/concurrent/ConcurrentHashMap",
            "java/util/regex/Pattern",
        ];
        let special = special.iter().filter_map(|name| base.read(name).ok().flatten());
        let jar = jar("commons-lang3-3.12.0");
        some.chain(special).chain(classes(&jar).step_by(9).map(|(_, bytes)| bytes)).collect()
    })
}
