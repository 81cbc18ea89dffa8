//! Real tests, compiled and run on every JDK found.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jurat_classpath::jdk::Jdk;
use jurat_testkit::machine;
use jurat_validate::{Bench, Ended, Group, JUnitSearch, Run, Severity, TestId, TestResult, Version};

struct Scene {
    bench: Bench,
    folder: tempfile::TempDir,
}

impl Scene {
    fn new(jdk: &Jdk, version: Version) -> Self {
        let folder = tempfile::tempdir().expect("scratch folder");
        let jars = machine::jar("junit-4.13.2").parent().expect("a folder").to_owned();
        let junit = JUnitSearch { folders: vec![jars], ..JUnitSearch::default() }.find(version);
        let junit = junit.expect("run `make setup`").jars;
        let scratch = folder.path().to_owned();
        let bench = Bench { jdk: jdk.clone(), class_path: Vec::new(), junit, scratch, stop: Arc::default() };
        Self { bench, folder }
    }

    /// With these tests compiled for the first JDK.
    fn of(tests: &str) -> Self {
        let scene = Self::new(&machine::jdks().remove(0), Version::Five);
        let source = scene.source("ATest", tests);
        scene.bench.compile(&[source], &scene.classes()).expect("the compiler runs");
        scene
    }

    fn source(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(format!("{name}.java"));
        std::fs::write(&path, text).expect("scratch is writable");
        path
    }

    fn classes(&self) -> PathBuf {
        self.folder.path().join("classes")
    }
}

fn test(method: &str) -> TestId {
    TestId { class: "ATest".to_owned(), method: method.to_owned() }
}

fn ended<'a>(results: &'a [TestResult], method: &str) -> &'a Ended {
    &results.iter().find(|result| result.test.method == method).expect("every test is told of").ended
}

const TESTS: &str = r"
import static org.junit.jupiter.api.Assertions.assertEquals;
import org.junit.jupiter.api.Test;
class ATest {
    static int calls;
    @Test void passes() { assertEquals(1, ++calls); }
    @Test void alsoPassesAlone() { assertEquals(1, ++calls); }
    @Test void fails() {
        int two = 2;
        assertEquals(1, two);
    }
    @Test void exits() { System.exit(3); }
}
";

#[test]
fn each_test_ends_as_it_should_and_one_that_exits_costs_no_other() {
    for jdk in machine::jdks() {
        let scene = Scene::new(&jdk, Version::Five);
        let source = scene.source("ATest", TESTS);
        let remarks = scene.bench.compile(&[source], &scene.classes()).expect("the compiler runs");
        assert_eq!(remarks, [], "{}", jdk.version);
        let tests = ["passes", "exits", "alsoPassesAlone", "fails"].map(test);
        let results = scene.bench.run(&tests, &scene.classes(), Run::Alone, None).expect("the tests run");
        assert_eq!(ended(&results, "passes"), &Ended::Passed);
        assert_eq!(ended(&results, "alsoPassesAlone"), &Ended::Passed);
        assert_eq!(ended(&results, "exits"), &Ended::KilledJvm);
        let Ended::Failed { line, exception, .. } = ended(&results, "fails") else { panic!("it must fail") };
        assert_eq!((*line, exception.as_str()), (10, "org.opentest4j.AssertionFailedError"));
    }
}

#[test]
fn shared_state_shows_when_shuffled() {
    let scene = Scene::of(TESTS);
    let tests = ["passes", "alsoPassesAlone"].map(test);
    let results = scene.bench.run(&tests, &scene.classes(), Run::Shuffled(1), None).expect("the tests run");
    // In each of eleven rounds, whichever comes first.
    assert_eq!(results.iter().filter(|result| result.ended == Ended::Passed).count(), 11);
}

const RESTLESS: &str = r#"
import static org.junit.jupiter.api.Assertions.*;
import java.util.*;
import org.junit.jupiter.api.Test;
class ATest {
    static String style = "plain";
    @Test void reads() { assertEquals("plain", style); }
    @Test void writes() { style = "fancy"; }
    @Test void setsProperty() { System.setProperty("ATest.mood", "bad"); }
    @Test void readsProperty() { assertNull(System.getProperty("ATest.mood")); }
    @Test void passes() { assertEquals(2, 1 + 1); }
    @Test void zone() {
        // Most places once had a time of their own, with odd seconds.
        assertTrue(TimeZone.getDefault().getOffset(-2_000_000_000_000L) % 60000 == 0);
    }
    @Test void collector() {
        var collectors = java.lang.management.ManagementFactory.getGarbageCollectorMXBeans();
        assertEquals("Copy", collectors.get(0).getName());
    }
    static boolean armed;
    @Test void arms() { armed = true; }
    @Test void fires() { style = armed ? "fancy" : style; }
    static int level;
    @Test void raises() { level++; }
    @Test void raisesToo() { level++; }
    @Test void calms() {
        assertTrue(level < 2);
        level = 0;
    }
    @Test void vendor() { assertNotEquals("another", System.getProperty("java.vendor")); }
}
"#;

#[test]
fn of_two_tests_that_share_state_one_fails_in_either_order_and_the_culprit_is_found() {
    for jdk in machine::jdks() {
        let scene = Scene::new(&jdk, Version::Five);
        let source = scene.source("ATest", RESTLESS);
        scene.bench.compile(&[source], &scene.classes()).expect("the compiler runs");
        let tests = ["reads", "writes", "setsProperty", "readsProperty", "passes"].map(test);
        let classes = scene.classes();
        let runs = [Run::Shuffled(3), Run::Reversed(3)];
        let fails = |run| {
            let results = scene.bench.run(&tests, &classes, run, None).expect("the tests run");
            let failed = results.into_iter().filter(|result| result.ended != Ended::Passed);
            failed.map(|result| result.test).collect::<Vec<_>>()
        };
        let mut failed = runs.map(fails).concat();
        failed.sort();
        failed.dedup();
        assert_eq!(failed, ["reads", "readsProperty"].map(test), "{}", jdk.version);
        for run in runs {
            let hunt = scene.bench.hunt(&tests, &failed, &classes, run, None).expect("a JVM");
            let strikes = [("setsProperty", "readsProperty"), ("writes", "reads")];
            assert_eq!(hunt.strikes, strikes.map(|(one, other)| (test(one), test(other))).into());
            assert_eq!(hunt.watched, failed.iter().cloned().collect());
            assert!(hunt.doomed.is_empty() && hunt.is_complete);
        }
    }
}

#[test]
fn a_test_that_spoils_others_only_by_way_of_a_third_is_found() {
    let scene = Scene::of(RESTLESS);
    let tests = ["passes", "reads", "arms", "fires"].map(test);
    // Whichever order has the one before the other.
    let hunt = |run| scene.bench.hunt(&tests, &[test("reads")], &scene.classes(), run, None).expect("a JVM");
    let hunts = [Run::Shuffled(3), Run::Reversed(3)].map(hunt);
    let strikes: Vec<_> = hunts.iter().flat_map(|hunt| hunt.strikes.clone()).collect();
    assert_eq!(strikes, [(test("arms"), test("reads"))]);
    let none = scene.bench.hunt(&tests, &tests, &scene.classes(), Run::Shuffled(3), Some(Duration::ZERO));
    assert!(!none.expect("no JVM").is_complete);
}

#[test]
fn tests_that_spoil_a_third_together_are_found_though_it_mends_what_one_of_them_did() {
    let scene = Scene::of(RESTLESS);
    let tests = ["raises", "passes", "raisesToo", "calms"].map(test);
    // A seed with which it comes after both.
    let hunt = |run| scene.bench.hunt(&tests, &[test("calms")], &scene.classes(), run, None).expect("a JVM");
    let strikes: BTreeSet<_> =
        [Run::Shuffled(1), Run::Reversed(1)].into_iter().flat_map(|run| hunt(run).strikes).collect();
    let culprits: Vec<&str> = strikes.iter().map(|(culprit, _)| culprit.method.as_str()).collect();
    assert!(!culprits.is_empty() && culprits.iter().all(|name| name.starts_with("raises")), "{culprits:?}");
    assert!(strikes.iter().all(|(_, victim)| *victim == test("calms")));
}

#[test]
fn what_the_order_breaks_passes_apart_and_what_the_machine_breaks_does_not() {
    let scene = Scene::of(RESTLESS);
    let tests = ["reads", "vendor", "writes"].map(test);
    let passed = |run| {
        let results = scene.bench.run(&tests, &scene.classes(), run, None).expect("the tests run");
        tests.clone().map(|test| results.iter().all(|one| one.test != test || one.ended == Ended::Passed))
    };
    assert_eq!(passed(Run::Alone), [true, true, true]);
    assert_eq!(passed(Run::Apart(3)), [true, false, true]);
    assert_eq!(passed(Run::Shuffled(3)), [false, false, true]);
}

#[test]
fn of_two_classes_in_a_set_either_comes_first() {
    let source = r"
import static org.junit.jupiter.api.Assertions.*;
import java.util.*;
import org.junit.jupiter.api.Test;
class ATest {
    static Class<?> first(Class<?>... all) { return new HashSet<>(List.of(all)).iterator().next(); }
    @Test void one() { assertEquals(Timer.class, first(Timer.class, Scanner.class)); }
    @Test void other() { assertEquals(Scanner.class, first(Timer.class, Scanner.class)); }
    @Test void early() { assertEquals(Currency.class, first(java.util.concurrent.Phaser.class, Currency.class)); }
    @Test void late() { assertEquals(java.util.concurrent.Phaser.class, first(java.util.concurrent.Phaser.class, Currency.class)); }
    @Test void both() { assertEquals(Set.of(int.class, Date.class), new HashSet<>(List.of(int.class, Date.class))); }
}
";
    for jdk in machine::jdks() {
        let scene = Scene::new(&jdk, Version::Five);
        scene.bench.compile(&[scene.source("ATest", source)], &scene.classes()).expect("the compiler runs");
        let tests = ["one", "other", "early", "late", "both"].map(test);
        let passed = |run| {
            let results = scene.bench.run(&tests, &scene.classes(), run, None).expect("the tests run");
            tests.clone().map(|test| *ended(&results, &test.method) == Ended::Passed)
        };
        let [rising, falling] = [Run::Rising(1), Run::Falling(1)].map(passed);
        for pair in [[0, 1], [2, 3]] {
            let [one, other] = pair.map(|at| [rising[at], falling[at]]);
            assert_ne!(one[0], one[1], "{}: {rising:?} {falling:?}", jdk.version);
            assert_eq!(one.map(|passed| !passed), other, "either is right where the other is not");
        }
        assert!(rising[4] && falling[4], "the order does not matter");
    }
}

#[test]
fn where_most_fail_there_are_no_more_rounds() {
    let many: Vec<String> =
        (0..17).map(|number| format!("@Test void fails{number}() {{ fail(); }}")).collect();
    let many = many.join("\n");
    let scene =
        Scene::of(&RESTLESS.replace("static boolean armed;", &format!("{many} static boolean armed;")));
    let told = |failing: usize| {
        let failing = (0..failing).map(|number| test(&format!("fails{number}")));
        let tests: Vec<TestId> = failing.chain([test("passes")]).collect();
        scene.bench.run(&tests, &scene.classes(), Run::Shuffled(3), None).expect("the tests run").len()
    };
    assert_eq!([told(16), told(17)], [11 * 17, 18]);
}

#[test]
fn what_depends_on_zone_or_machine_fails_when_shuffled() {
    for jdk in machine::jdks() {
        let scene = Scene::new(&jdk, Version::Five);
        let source = scene.source("ATest", RESTLESS);
        scene.bench.compile(&[source], &scene.classes()).expect("the compiler runs");
        let tests = ["zone", "vendor", "passes"].map(test);
        let results = scene.bench.run(&tests, &scene.classes(), Run::Shuffled(3), None).expect("they run");
        let failed =
            |method: &str| results.iter().any(|one| one.test == test(method) && one.ended != Ended::Passed);
        assert_eq!(["zone", "vendor", "passes"].map(failed), [true, true, false], "{}", jdk.version);
        let hunt = scene.bench.hunt(&tests, &[test("vendor")], &scene.classes(), Run::Shuffled(3), None);
        assert_eq!(hunt.expect("a JVM").doomed, [test("vendor")].into());
        // Which collector there is decides on the hash codes of the JDK's classes.
        let tests = ["collector", "passes"].map(test);
        let ends = [Run::Shuffled(3), Run::Reversed(3)].map(|run| {
            let results = scene.bench.run(&tests, &scene.classes(), run, None).expect("they run");
            tests.clone().map(|test| results.iter().any(|one| one.test == test && one.ended != Ended::Passed))
        });
        assert_eq!(ends, [[false, false], [true, false]], "{}", jdk.version);
    }
}

const RUDE: &str = r#"
import static org.junit.jupiter.api.Assertions.*;
import java.nio.file.*;
import org.junit.jupiter.api.Test;
class ATest {
    @Test void reads() throws Exception { assertEquals(-1, System.in.read()); }
    static int depth(int left) { return left == 0 ? 0 : 1 + depth(left - 1); }
    @Test void deep() { assertEquals(50_000, depth(50_000)); }
    @Test void flat() { assertEquals(500, depth(500)); }
    @Test void interrupts() { Thread.currentThread().interrupt(); }
    @Test void isDaemon() { assertTrue(Thread.currentThread().isDaemon()); }
    static final Object LOCK = new Object();
    @Test void holds() {
        synchronized (LOCK) {
            while (true) {
                Thread.onSpinWait();
            }
        }
    }
    @Test void locks() { synchronized (LOCK) { } }
    @Test void isKilledOnce() throws Exception {
        if (Files.notExists(Path.of("killed"))) {
            Files.createFile(Path.of("killed"));
            new ProcessBuilder("kill", "-9", "" + ProcessHandle.current().pid()).start();
            Thread.sleep(9_000);
        }
    }
    @Test void rests() throws Exception { Thread.sleep(500); }
    @Test void restsToo() throws Exception { Thread.sleep(500); }
    @Test void restsAgain() throws Exception { Thread.sleep(500); }
}
"#;

/// Whoever asks for the keeper first makes it remember what the style is.
const REMEMBERING: &str = r#"
import static org.junit.jupiter.api.Assertions.assertEquals;
import org.junit.jupiter.api.Test;
class ATest {
    static String style = "plain";
    static class Keeper {
        static final String STYLE = style;
    }
    @Test void decorates() { style = "fancy"; }
    @Test void tidies() { style = "plain"; }
    @Test void keeps() { assertEquals("plain", Keeper.STYLE); }
    @Test void looks() { assertEquals(5, Keeper.STYLE.length()); }
    @Test void looksAgain() { assertEquals(5, Keeper.STYLE.length()); }
    @Test void exits() { System.exit(1); }
}
"#;

#[test]
fn what_is_remembered_of_whoever_comes_first_shows_when_each_test_leads_and_the_culprit_is_found() {
    let scene = Scene::of(REMEMBERING);
    let members = ["decorates", "tidies", "keeps", "looks", "looksAgain"].map(test).to_vec();
    let led = |leaders: &[&str], members: &[TestId]| {
        let leaders = leaders.iter().map(|name| test(name)).collect();
        let group = Group { members: members.to_vec(), leaders };
        let run = Run::Shuffled(1);
        scene.bench.run_led(&[group], &scene.classes(), run, None).expect("they run")
    };
    let told = led(&["tidies", "keeps", "looks"], &members);
    let first = told.results.first().map(|result| result.test.method.as_str());
    assert_eq!((told.results.len(), first, told.alone.len()), (15, Some("tidies"), 3));
    let failed = |results: &[TestResult]| -> BTreeSet<String> {
        let failed = results.iter().filter(|result| result.ended != Ended::Passed);
        failed.map(|result| result.test.method.clone()).collect()
    };
    assert_eq!(failed(&led(&["keeps", "looks", "looksAgain"], &members).results), BTreeSet::new());
    // `tidies` helps only where it comes before whoever asks.
    let without: Vec<TestId> = members.iter().filter(|one| one.method != "tidies").cloned().collect();
    let decorated = led(&["decorates"], &without);
    assert_eq!(failed(&decorated.results), BTreeSet::from(["keeps".to_owned()]));
    assert_eq!(decorated.alone, BTreeSet::from([test("decorates")]));
    assert_eq!(decorated.strikes, BTreeSet::from([(test("decorates"), test("keeps"))]));
    assert_eq!((decorated.doomed, told.strikes), (BTreeSet::new(), BTreeSet::new()));
    let hunt = scene.bench.hunt(&without, &[test("keeps")], &scene.classes(), Run::Shuffled(1), None);
    let strikes = hunt.expect("a JVM").strikes;
    assert_eq!(strikes, BTreeSet::from([(test("decorates"), test("keeps"))]));
}

#[test]
fn who_ends_the_jvm_when_others_lead_is_told_of() {
    let scene = Scene::of(REMEMBERING);
    let group = Group { members: ["exits", "keeps"].map(test).to_vec(), leaders: vec![test("keeps")] };
    let results = scene.bench.run_led(&[group], &scene.classes(), Run::Reversed(1), None).expect("they run");
    assert_eq!(ended(&results.results, "keeps"), &Ended::Passed);
    assert_eq!(ended(&results.results, "exits"), &Ended::KilledJvm);
    assert_eq!(results.strikes, BTreeSet::new(), "a JVM that ends is its own fault");
    assert_eq!(results.alone, BTreeSet::from([test("keeps")]));
}

/// For JUnit 5 and 4.
const LENDING: &str = r#"
public class ATest {
    static String style = "plain";
    private boolean lent;
    private void lend() { style = "fancy"; lent = true; }
    @After public void putBack() { if (lent) { style = "plain"; } }
    @Test public void lends() { lend(); }
    @Test public void lendsAndFails() { lend(); throw new IllegalStateException(); }
    @Test public void reads() { if (!style.equals("plain")) { throw new AssertionError(style); } }
    @Test public void readsToo() { reads(); }
}
"#;

#[test]
fn tests_have_what_junit_gives_them_and_leave_nothing_to_the_next() {
    for jdk in machine::jdks() {
        let scene = Scene::new(&jdk, Version::Five);
        let source = scene.source("ATest", RUDE);
        scene.bench.compile(&[source], &scene.classes()).expect("the compiler runs");
        let tests = ["reads", "deep", "flat", "interrupts", "isDaemon"].map(test);
        let results = scene.bench.run(&tests, &scene.classes(), Run::Shuffled(3), None).expect("they run");
        let passes =
            |test: &TestId| results.iter().all(|one| one.test != *test || one.ended == Ended::Passed);
        assert_eq!(tests.each_ref().map(passes), [true, false, true, false, false], "{}", jdk.version);
    }
}

#[test]
fn what_follows_each_test_puts_back_what_it_lent() {
    for (version, follows) in
        [(Version::Five, "org.junit.jupiter.api.AfterEach"), (Version::Four, "org.junit.After")]
    {
        let scene = Scene::new(&machine::jdks().remove(0), version);
        let mark = if version == Version::Five { "org.junit.jupiter.api.Test" } else { "org.junit.Test" };
        let lending = LENDING.replace("@Test", &format!("@{mark}")).replace("@After", &format!("@{follows}"));
        scene.bench.compile(&[scene.source("ATest", &lending)], &scene.classes()).expect("the compiler runs");
        let tests = ["lends", "lendsAndFails", "reads", "readsToo"].map(test);
        for run in [Run::Alone, Run::Shuffled(1), Run::Reversed(1)] {
            let results = scene.bench.run(&tests, &scene.classes(), run, None).expect("they run");
            let failed = results.iter().filter(|one| one.ended != Ended::Passed);
            let failed: BTreeSet<&str> = failed.map(|one| one.test.method.as_str()).collect();
            assert_eq!(failed, BTreeSet::from(["lendsAndFails"]), "{run:?}");
        }
    }
}

#[test]
fn a_lock_that_is_never_released_costs_no_other_test() {
    let scene = Scene::of(RUDE);
    let tests = ["holds", "locks"].map(test);
    // In one of the orders it comes first.
    for run in [Run::Shuffled(3), Run::Reversed(3)] {
        let results = scene.bench.run(&tests, &scene.classes(), run, None).expect("they run");
        assert_eq!(ended(&results, "holds"), &Ended::Slow);
        assert!(results.iter().all(|one| one.test == tests[0] || one.ended == Ended::Passed), "{results:?}");
    }
}

#[test]
fn who_kills_a_jvm_from_outside_blames_no_test() {
    let scene = Scene::of(RUDE);
    let tests = ["flat", "isKilledOnce"].map(test);
    let results = scene.bench.run(&tests, &scene.classes(), Run::Alone, None).expect("they run");
    assert!(scene.folder.path().join("killed").exists());
    assert_eq!(results.iter().map(|one| &one.ended).collect::<Vec<_>>(), [&Ended::Passed; 2], "{results:?}");
}

#[test]
fn without_time_nothing_is_run_unless_all_must_be() {
    let scene = Scene::of(RUDE);
    let tests = ["flat", "reads"].map(test);
    let (classes, none) = (scene.classes(), Some(Duration::ZERO));
    let results = scene.bench.run(&tests, &classes, Run::Shuffled(3), none).expect("no JVM");
    assert_eq!(results, []);
    let results = scene.bench.run_whole(&tests, &classes, Run::Shuffled(3), none).expect("they run");
    assert_eq!(results.len(), 2, "one round");
}

#[test]
fn who_asks_to_stop_need_not_wait_for_the_rest() {
    let scene = Scene::of(RUDE);
    let tests = ["rests", "restsToo", "restsAgain"].map(test);
    let stop = Arc::clone(&scene.bench.stop);
    let asking = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(1200));
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    // A first round of 1.5 s, of eleven.
    let results = scene.bench.run(&tests, &scene.classes(), Run::Shuffled(3), None).expect("they run");
    asking.join().expect("it only waits");
    assert!((3..=9).contains(&results.len()), "{results:?}");
    // What begins after that is meant.
    let results = scene.bench.run(&tests, &scene.classes(), Run::Alone, None).expect("they run");
    assert_eq!(results.len(), 3);
}

#[test]
fn folders_and_classes_may_have_names_of_any_language() {
    for jdk in machine::jdks() {
        let mut scene = Scene::new(&jdk, Version::Five);
        scene.bench.scratch = scene.folder.path().join("jörg");
        let classes = scene.bench.scratch.join("größe");
        std::fs::create_dir_all(&classes).expect("scratch is writable");
        let source = scene.source("jörg/ÄTest", &RUDE.replace("ATest", "ÄTest"));
        assert_eq!(scene.bench.compile(&[source], &classes).expect("the compiler runs"), []);
        let tests = [TestId { class: "ÄTest".to_owned(), method: "flat".to_owned() }];
        let results = scene.bench.run(&tests, &classes, Run::Alone, None).expect("they run");
        assert_eq!(ended(&results, "flat"), &Ended::Passed);
    }
}

#[test]
fn remarks_name_file_and_line() {
    let jdk = machine::jdks().remove(0);
    let scene = Scene::new(&jdk, Version::Four);
    let raw = "import java.util.*;\nclass Raw {\n    List f() { return null; }\n}\n";
    let sources =
        [scene.source("Raw", raw), scene.source("Bad", "class Bad {\n    int f() { return \"\"; }\n}\n")];
    let remarks = scene.bench.compile(&sources, &scene.classes()).expect("the compiler runs");
    let told: Vec<_> = remarks.iter().map(|remark| (remark.severity, remark.line)).collect();
    assert!(told.contains(&(Severity::Error, 2)), "{remarks:?}");
    assert!(remarks.iter().all(|remark| remark.file.is_some()), "{remarks:?}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the JDK makes the jar")]
fn what_is_wrong_with_a_class_file_of_a_library_is_no_remark_about_the_tests() {
    for jdk in machine::jdks() {
        let mut scene = Scene::new(&jdk, Version::Five);
        let library = "package lib; @interface Mark { String value(); } @Mark(\"x\") class Hidden {}";
        let sources = [
            scene.source("Mark", library),
            scene.source(
                "Used",
                "package lib; @Mark(\"x\") public class Used { public int f() { return 1; } }",
            ),
        ];
        let classes = scene.folder.path().join("lib");
        std::fs::create_dir_all(&classes).expect("scratch is writable");
        // They need each other, which is well as long as nothing crashes.
        scene.bench.compile(&sources, &classes).expect("the compiler runs");
        std::fs::remove_file(classes.join("lib/Mark.class")).expect("it was compiled");
        let jar = scene.folder.path().join("lib.jar");
        let mut command = std::process::Command::new(jdk.home.join("bin/jar"));
        let status = command.arg("cf").arg(&jar).arg("-C").arg(&classes).arg(".").status();
        assert!(status.expect("the JDK has it").success());
        for entry in [jar, classes] {
            scene.bench.class_path = vec![entry];
            let test = scene.source("ATest", "class ATest { int f() { return new lib.Used().f(); } }");
            let remarks = scene.bench.compile(&[test], &scene.classes()).expect("the compiler runs");
            assert_eq!(remarks, [], "{}", jdk.version);
        }
    }
}

#[test]
fn a_file_that_crashes_the_compiler_costs_no_other() {
    let scene = Scene::new(&machine::jdks().remove(0), Version::Five);
    let sum = "+ x ".repeat(20_000);
    let deep = scene.source("Deep", &format!("class Deep {{ int f(int x) {{ return x {sum}; }} }}"));
    let sources = [scene.source("ATest", TESTS), deep.clone(), scene.source("B", "class B {}")];
    let remarks = scene.bench.compile(&sources, &scene.classes()).expect("the compiler runs");
    let told: Vec<_> = remarks.iter().map(|remark| (remark.severity, remark.file.as_ref())).collect();
    assert_eq!(told, [(Severity::Error, Some(&deep))], "{remarks:?}");
    let compiled = ["ATest", "Deep", "B"].map(|name| scene.classes().join(format!("{name}.class")).is_file());
    assert_eq!(compiled, [true, false, true]);
}

#[test]
fn a_missing_junit_is_said_with_where_it_was_looked_for() {
    let search = JUnitSearch { folders: vec!["/no/such/folder".into()], ..JUnitSearch::default() };
    let error = search.find(Version::Five).expect_err("there is none");
    assert!(error.to_string().contains("/no/such/folder"), "{error}");
}
