//! HotSpot's verifier accepts every instrumented class.
//!
//! Each class is linked twice, as it was and with probes. A class may miss only if it missed before, and for the same
//! reason: something that it depends on is not there.

use std::path::Path;

use jurat_classfile::{Access, ClassFile, Op};
use jurat_classpath::jdk::Jdk;
use jurat_instrument::{Branches, Calls, ProbeId, ProbePlan, TracePlan, instrument, trace};
use jurat_testkit::machine;

use crate::java::{self, Linker};

fn plan(branches: Branches) -> ProbePlan {
    ProbePlan { entries: true, lines: true, branches, fuel: true, ..ProbePlan::default() }
}

/// All kinds of probes in one place.
fn everything() -> ProbePlan {
    let trace = TracePlan { sink: trace::SINK.to_owned(), calls: Calls::All, callees: true };
    ProbePlan { trace: Some(trace), ..plan(Branches::Distances) }
}

/// Writes all classes of a class path with probes into `folder`, and returns their names.
fn instrument_all<'p>(
    source: &str,
    jdk: &Jdk,
    plan: impl Fn(&str) -> &'p ProbePlan,
    folder: &Path,
) -> Vec<String> {
    let (mut names, mut next, mut skipped) = (Vec::new(), ProbeId(0), Vec::new());
    for (name, class) in java::classes(&java::class_path(source, jdk)) {
        let done = instrument(&class, plan(&name), next);
        next = done.map.next();
        let bytes = done.class.write().unwrap_or_else(|error| panic!("{name}: {error}"));
        java::save(folder, &name, &bytes);
        skipped.extend(done.skipped.iter().map(|method| format!("{name}.{method}")));
        names.push(name.replace('/', "."));
    }
    skipped.retain(|method| !method.contains("called by the probes"));
    let classes = names.len();
    java::report(&format!(
        "{source} on JDK {}: {classes} classes, {} probes, skipped: {skipped:?}",
        jdk.feature, next.0
    ));
    names
}

/// A sink that takes no notice: a booting JVM has nobody who could listen.
fn save_deaf_sink(folder: &Path) {
    let mut class = ClassFile::new(trace::SINK, "java/lang/Object").expect("an empty class");
    for (name, descriptor) in trace::SINK_METHODS {
        let body = class.add_method(Access::PUBLIC | Access::STATIC, name, descriptor, |code| {
            code.push(Op::Return);
            Ok(())
        });
        body.expect("one instruction");
    }
    java::save(folder, trace::SINK, &class.write().expect("a small class"));
}

/// Links the classes of `java.base` of every JDK in a JVM that boots with them.
fn check_java_base<'p>(plan: impl Fn(&str) -> &'p ProbePlan) {
    for jdk in machine::jdks() {
        let (patch, nothing) = (java::scratch(), java::scratch());
        let names = instrument_all("jrt:/java.base", &jdk, &plan, patch.path());
        java::save_runtime(patch.path());
        save_deaf_sink(patch.path());
        let linker = Linker::new(&jdk);
        let missed = linker.link(&names, patch.path(), &[]);
        let before = linker.link(&names, nothing.path(), &[]);
        assert_eq!(missed, before, "JDK {}", jdk.feature);
        java::report(&format!("missing their dependencies: {before:?}"));
    }
}

#[test]
fn every_class_of_java_base_links_with_branch_line_entry_and_fuel_probes() {
    let plan = plan(Branches::Edges);
    check_java_base(|_| &plan);
}

#[test]
fn every_class_of_java_base_links_with_distances_and_traced_calls() {
    let (everything, untraced) = (everything(), plan(Branches::Distances));
    // Traced calls box their arguments, which a JVM cannot do before it has booted half-way.
    let late = [
        "com/sun/",
        "java/math/",
        "java/text/",
        "java/time/",
        "java/util/stream/",
        "javax/",
        "sun/security/",
    ];
    check_java_base(|name| {
        if late.iter().any(|package| name.starts_with(package)) { &everything } else { &untraced }
    });
}

#[test]
fn every_class_of_well_known_libraries_links_with_probes() {
    let needed = machine::jar("failureaccess-1.0.3");
    for jdk in machine::jdks() {
        let (patch, linker) = (java::scratch(), Linker::new(&jdk));
        java::save_runtime(patch.path());
        java::save(patch.path(), trace::SINK, &trace::sink_class());
        for jar in ["commons-collections4-4.4", "commons-lang3-3.12.0", "guava-33.4.8-jre"] {
            let jar = machine::jar(jar);
            let source = jar.to_str().expect("the path of a jar is text");
            let mut before = None;
            for plan in [plan(Branches::Edges), plan(Branches::Distances), everything()] {
                let folder = java::scratch();
                let names = instrument_all(source, &jdk, |_| &plan, folder.path());
                let before =
                    before.get_or_insert_with(|| linker.link(&names, patch.path(), &[&jar, &needed]));
                let missed = linker.link(&names, patch.path(), &[folder.path(), &needed]);
                assert_eq!(missed, *before, "{source} on JDK {}", jdk.feature);
            }
            java::report(&format!("missing their dependencies: {:?}", before.unwrap_or_default()));
        }
    }
}
