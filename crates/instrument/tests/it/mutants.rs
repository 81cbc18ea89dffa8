//! Mutants in real JVMs: each does what its sentence says, and every class with all of its mutants links.

use std::fs::File;

use jurat_classfile::{Access, ClassFile, LocalOp, Op};
use jurat_classpath::jdk::Jdk;
use jurat_instrument::mutants::{Mutant, MutantId, Mutated, Operators, mutate};
use jurat_instrument::{ProbeId, ProbePlan};
use jurat_testkit::machine;

use crate::drive::{compiled, saved};
use crate::java::{self, Linker};

/// What runs with mutants: lines to know which test reaches them, and fuel for the loops they make endless.
fn plan() -> ProbePlan {
    ProbePlan { entries: true, lines: true, fuel: true, ..ProbePlan::default() }
}

/// The test subject with all of its mutants.
fn mutated(jdk: &Jdk) -> Mutated {
    let classes = compiled(jdk, "mutants/src");
    let (_, bytes) = classes.iter().find(|(name, _)| name == "Change").expect("the subject has one class");
    let class = ClassFile::read(bytes).expect("the compiler wrote it");
    mutate(&class, &plan(), Operators::all(), ProbeId(0), MutantId(1))
}

/// Makes calls, each with a mutant live, and returns what they gave.
fn run(jdk: &Jdk, done: &Mutated, calls: &[String]) -> Vec<String> {
    let (folder, patch, harness) = (java::scratch(), java::scratch(), saved(jdk, "mutants/drive"));
    java::save_runtime(patch.path());
    java::save(folder.path(), "Change", &done.class.write().expect("it can be written"));
    let input = folder.path().join("calls");
    std::fs::write(&input, calls.join("\n")).expect("scratch is writable");
    let mut java = java::java(jdk);
    java.arg("-ea").args(["--patch-module", &format!("java.base={}", patch.path().display())]);
    java.arg("-cp").arg(format!("{}:{}", folder.path().display(), harness.path().display()));
    java.arg("Switch").stdin(File::open(&input).expect("it was just written"));
    java::run(&mut java).lines().map(str::to_owned).collect()
}

/// What every mutant of a method makes of a call: its sentence and the result, behind the result without one.
fn check(method: &str, arguments: &str, expected: &[(&str, &str)]) {
    for jdk in machine::jdks() {
        let done = mutated(&jdk);
        let own: Vec<(usize, &Mutant)> =
            done.mutants.iter().enumerate().filter(|(_, mutant)| mutant.method.name == method).collect();
        let call = |id: usize| format!("{id} Change {method} {arguments}").trim().to_owned();
        let calls: Vec<String> =
            std::iter::once(0).chain(own.iter().map(|(at, _)| at + 1)).map(call).collect();
        let results = run(&jdk, &done, &calls);
        let sentences = own.iter().map(|(_, mutant)| mutant.change.to_string());
        let told: Vec<(String, String)> =
            std::iter::once("as it is".to_owned()).chain(sentences).zip(results).collect();
        let told: Vec<(&str, &str)> = told.iter().map(|(one, two)| (&**one, &**two)).collect();
        assert_eq!(told, expected, "{method} on JDK {}", jdk.feature);
    }
}

#[test]
fn every_class_links_with_all_of_its_mutants() {
    for jdk in machine::jdks() {
        let (patch, linker) = (java::scratch(), Linker::new(&jdk));
        java::save_runtime(patch.path());
        let demo = machine::compile(&jdk, &machine::repository("examples/shop/src/main/java"), &[]);
        let libraries =
            ["commons-collections4-4.4", "commons-lang3-3.12.0", "guava-33.4.8-jre"].map(machine::jar);
        let needed = machine::jar("failureaccess-1.0.3");
        for source in libraries.iter().map(|jar| &**jar).chain([demo.path()]) {
            let folder = java::scratch();
            let path = java::class_path(source.to_str().expect("the path is text"), &jdk);
            let (mut names, mut next, mut skipped) = (Vec::new(), 1, Vec::new());
            for (name, class) in java::classes(&path) {
                let done = mutate(&class, &plan(), Operators::all(), ProbeId(0), MutantId(next));
                next += u32::try_from(done.mutants.len()).expect("few");
                java::save(folder.path(), &name, &done.class.write().expect("it can be written"));
                skipped.extend(done.skipped.iter().map(|method| format!("{name}.{method}")));
                names.push(name.replace('/', "."));
            }
            let before = linker.link(&names, patch.path(), &[source, &needed]);
            let missed = linker.link(&names, patch.path(), &[folder.path(), &needed]);
            assert_eq!(missed, before, "{} on JDK {}", source.display(), jdk.feature);
            assert_eq!(skipped, Vec::<String>::new(), "no method of these is near the limit");
            java::report(&format!("{}: {} classes, {} mutants", source.display(), names.len(), next - 1));
        }
    }
}

#[test]
fn arithmetic_bits_signs_and_increments_change() {
    check(
        "sum",
        "5 3",
        &[("as it is", "8"), ("`+` became `-`", "2"), ("returns 0 instead of its result", "0")],
    );
    check(
        "shifted",
        "8",
        &[
            ("as it is", "16"),
            ("`1` became `0`", "8"),
            ("`<<` became `>>`", "4"),
            ("returns 0 instead of its result", "0"),
        ],
    );
    check(
        "negative",
        "2",
        &[
            ("as it is", "-2.0"),
            ("the minus sign is gone", "2.0"),
            ("returns 0 instead of its result", "0.0"),
        ],
    );
}

#[test]
fn conditions_are_negated_and_their_bounds_shifted() {
    check(
        "less",
        "2 2",
        &[
            ("as it is", "false"),
            ("`<` became `>=`", "true"),
            ("`<` became `<=`", "true"),
            ("returns true instead of its result", "true"),
        ],
    );
}

#[test]
fn increments_and_constants_change() {
    check(
        "counted",
        "2",
        &[
            ("as it is", "7"),
            ("`5` became `6`", "8"),
            ("`0` became `1`", "6"),
            ("`<` became `>=`", "5"),
            ("`<` became `<=`", "8"),
            ("the variable is decremented by 1 instead of incremented by 1", "3"),
            ("the variable is decremented by 1 instead of incremented by 1", "-2147483642"),
            ("returns 0 instead of its result", "0"),
        ],
    );
}

#[test]
fn the_plumbing_of_loops_and_assertions_is_left_alone() {
    check(
        "total",
        "1,2,3",
        &[
            ("as it is", "6"),
            ("`0` became `1`", "7"),
            ("`+` became `-`", "-6"),
            ("returns 0 instead of its result", "0"),
        ],
    );
    check(
        "arrayTotal",
        "1,2,4",
        &[
            ("as it is", "7"),
            ("`0` became `1`", "6"),
            ("`^` became `&`", "0"),
            ("returns 0 instead of its result", "0"),
        ],
    );
    check("checked", "3", &[("as it is", "3"), ("returns 0 instead of its result", "0")]);
}

#[test]
fn results_are_empty_zero_true_false_or_null() {
    check(
        "found",
        "x",
        &[
            ("as it is", "Optional[x]"),
            ("the call of `Optional.of` is gone, its result is null", "null"),
            ("returns an empty optional instead of its result", "Optional.empty"),
        ],
    );
    check(
        "boxed",
        "1",
        &[
            ("as it is", "false"),
            ("`1` became `0`", "true"),
            ("`>` became `<=`", "true"),
            ("`>` became `>=`", "true"),
            ("returns true instead of its result", "true"),
        ],
    );
    check("boxedNumber", "4", &[("as it is", "4"), ("returns 0 instead of its result", "0")]);
    check("nothing", "", &[("as it is", "null")]);
    check(
        "none",
        "",
        &[("as it is", "[]"), ("the call of `Collections.emptyList` is gone, its result is null", "null")],
    );
}

#[test]
fn calls_are_not_made() {
    check(
        "joined",
        "x",
        &[
            ("as it is", "<x>"),
            ("the call of `StringBuilder.append` is gone, its result is its receiver", "<>"),
            ("`62` became `63`", "<x?"),
            ("the call of `StringBuilder.append` is gone, its result is its receiver", "<x"),
            ("the call of `StringBuilder.toString` is gone, its result is null", "null"),
            ("returns \"\" instead of its result", ""),
        ],
    );
    check(
        "listed",
        "x",
        &[
            ("as it is", "[x]"),
            ("the call of `List.add` is gone, its result is false", "[]"),
            ("returns an empty collection instead of its result", "[]"),
        ],
    );
    check(
        "state",
        "4",
        &[
            ("as it is", "4"),
            ("the call of `Change.add` is gone", "0"),
            ("returns 0 instead of its result", "0"),
        ],
    );
}

#[test]
fn cases_are_gone() {
    check(
        "keyed",
        "3",
        &[
            ("as it is", "30"),
            ("the case 3 (line 69) is gone", "-1"),
            ("the case 65 (line 71) is gone", "30"),
            ("returns 0 instead of its result", "0"),
            ("returns 0 instead of its result", "30"),
            ("returns 0 instead of its result", "30"),
        ],
    );
    check(
        "named",
        "two",
        &[
            ("as it is", "2"),
            ("the case \"one\" (line 58) is gone", "2"),
            ("the case \"two\" (line 60) is gone", "many"),
            ("returns \"\" instead of its result", "2"),
            ("returns \"\" instead of its result", ""),
            ("returns \"\" instead of its result", "2"),
        ],
    );
}

#[test]
fn copies_of_a_finally_block_are_one_mutant() {
    check(
        "kept",
        "2",
        &[
            ("as it is", "3"),
            ("`1` became `0`", "2"),
            ("`-` became `+`", "1"),
            ("`/` became `*`", "3"),
            ("the call of `Change.add` is gone", "1"),
            ("`1` became `0`", "2"),
            ("the call of `Change.add` is gone", "2"),
            ("returns 0 instead of its result", "0"),
        ],
    );
}

#[test]
fn a_method_near_the_limit_keeps_its_probes_and_has_no_mutants() {
    let mut class = ClassFile::new("a/A", "java/lang/Object").expect("an empty class");
    class
        .add_method(Access::STATIC, "f", "(I)I", |code| {
            code.local(LocalOp::Iload, 0);
            for _ in 0..20_000 {
                code.push(Op::Ineg);
            }
            code.push(Op::Ireturn);
            Ok(())
        })
        .expect("it fits");
    let done = mutate(&class, &plan(), Operators::all(), ProbeId(0), MutantId(1));
    assert_eq!((done.mutants.len(), done.map.count()), (0, 1));
    let reasons: Vec<String> = done.skipped.iter().map(ToString::to_string).collect();
    assert!(reasons[0].starts_with("f(I)I: the method would take "), "{reasons:?}");
}
