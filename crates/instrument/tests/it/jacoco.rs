//! Coverage by probes against JaCoCo's, which has a different way of finding it out.

use std::collections::BTreeMap;
use std::path::Path;

use jurat_classpath::jdk::Jdk;
use jurat_instrument::{Branches, ProbeId, ProbeKind, ProbeMap, ProbePlan, instrument};
use jurat_testkit::machine;

use crate::drive::{self, Driver, PLENTY};
use crate::java;

/// Calls that go through much of `Plain`, `Shapes` and `Conditions`, but not all.
const CALLS: &[&str] = &[
    "Plain loops 3 4",
    "Plain loops 20 9",
    "Plain guarded 0",
    "Plain guarded 1",
    "Plain guarded 2",
    "Plain numbers 5 0.25 0.75",
    "Plain numbers 11 NaN 0.5",
    "Plain recursion 4",
    "Plain shared 4",
    "Plain dense 3",
    "Plain dense 9",
    "Shapes words one",
    "Shapes words BB",
    "Shapes words none",
    "Shapes days NEW",
    "Shapes days WAITING",
    "Shapes nested 1",
    "Shapes nested 7",
    "Shapes locked null 3",
    "Shapes locked text 9",
    "Shapes resources true",
    "Shapes resources false",
    "Shapes lambdas 2",
    "Shapes threads 2",
    "Conditions isNullInsideNew null",
    "Conditions less 1 2",
];

/// Branches of a source line: all of them, and those taken.
type Lines = BTreeMap<(String, u16), (u32, u32)>;

/// What JaCoCo says about a run without probes. Returns the results of the calls, too.
fn by_jacoco(jdk: &Jdk, sources: &str, calls: &[String]) -> (Vec<String>, Lines) {
    let (scratch, harness, classes) =
        (java::scratch(), drive::saved(jdk, drive::HARNESS), drive::saved(jdk, sources));
    let agent = machine::jar("org.jacoco.agent-0.8.14-runtime");
    let data = scratch.path().join("jacoco.exec");
    let agent = format!("-javaagent:{}=destfile={}", agent.display(), data.display());
    let results = drive::drive(jdk, harness.path(), &[agent], classes.path(), PLENTY, calls, &[]);
    let report = scratch.path().join("report.xml");
    let mut cli = java::java(jdk);
    cli.arg("-jar").arg(machine::jar("org.jacoco.cli-0.8.14-nodeps")).arg("report").arg(&data);
    java::run(cli.arg("--classfiles").arg(classes.path()).arg("--xml").arg(&report));
    (results, read_report(&report))
}

/// The lines of a JaCoCo report that have branches.
fn read_report(report: &Path) -> Lines {
    let (mut lines, mut file) = (Lines::new(), String::new());
    for tag in tags(report) {
        let (missed, covered) = (tag.number("mb"), tag.number("cb"));
        if tag.name == "sourcefile" {
            tag.text("name").unwrap_or_default().trim_end_matches(".java").clone_into(&mut file);
        } else if tag.name == "line" && missed + covered > 0 {
            let line = u16::try_from(tag.number("nr")).expect("a line of a class file");
            lines.insert((file.clone(), line), (missed + covered, covered));
        }
    }
    lines
}

/// A tag of an XML document.
struct Tag {
    name: String,
    attributes: BTreeMap<String, String>,
}

impl Tag {
    fn text(&self, attribute: &str) -> Option<String> {
        self.attributes.get(attribute).cloned()
    }

    fn number(&self, attribute: &str) -> u32 {
        self.attributes.get(attribute).and_then(|text| text.parse().ok()).unwrap_or(0)
    }
}

/// The tags of a document without text. Attributes with spaces in them are cut short; none matters here.
fn tags(document: &Path) -> Vec<Tag> {
    let text = std::fs::read_to_string(document).expect("JaCoCo wrote it");
    let tag = |text: &str| {
        let mut words = text.trim_end_matches(['>', '/']).split(' ');
        let name = words.next().unwrap_or_default().trim_end_matches('>').to_owned();
        let attribute = |word: &str| {
            let (name, value) = word.split_once('=')?;
            Some((name.to_owned(), value.trim_matches('"').to_owned()))
        };
        Tag { name, attributes: words.filter_map(attribute).collect() }
    };
    text.split('<').map(tag).collect()
}

/// What probes say about a run. Returns the results of the calls, too.
fn by_probes(jdk: &Jdk, sources: &str, calls: &[String]) -> (Vec<String>, Lines) {
    let plan = ProbePlan { branches: Branches::Edges, fuel: true, ..ProbePlan::default() };
    let driver = Driver::new(jdk, sources, &plan);
    let seen = driver.run(PLENTY, calls);
    let mut lines = Lines::new();
    for map in &driver.maps {
        let file = map.class.split('$').next().unwrap_or_default();
        for (id, probe) in map.ids().zip(&map.probes) {
            let hit = seen.iter().any(|seen| seen.own.contains(&id) || seen.others.contains(&id));
            let line = probe.line.expect("compiled with line numbers");
            let counts = lines.entry((file.to_owned(), line)).or_insert((0, 0));
            *counts = (counts.0 + 1, counts.1 + u32::from(hit));
        }
    }
    (seen.into_iter().map(|seen| seen.result).collect(), lines)
}

/// Whether the source says that JaCoCo sees fewer branches on this line.
fn is_filtered(file: &str, line: u16) -> bool {
    let path = machine::repository("subjects/branches/src").join(format!("{file}.java"));
    let text = std::fs::read_to_string(path).expect("a source of the test subject");
    text.lines().nth(usize::from(line) - 1).is_some_and(|line| line.contains("// JaCoCo leaves out"))
}

#[test]
fn probes_and_jacoco_agree_on_branches_line_by_line() {
    for jdk in machine::jdks() {
        let calls: Vec<String> = CALLS.iter().map(ToString::to_string).collect();
        let (results, jacoco) = by_jacoco(&jdk, "branches/src", &calls);
        let (results_with_probes, probes) = by_probes(&jdk, "branches/src", &calls);
        assert_eq!(results_with_probes, results, "probes must not change what a program does");
        let unfiltered = |lines: &Lines| -> Lines {
            let lines = lines.iter().filter(|((file, line), _)| !is_filtered(file, *line));
            lines.map(|(line, counts)| (line.clone(), *counts)).collect()
        };
        assert_eq!(unfiltered(&probes), unfiltered(&jacoco), "JDK {}", jdk.feature);
        assert!(probes.len() > 30, "there is something to compare");
    }
}

#[test]
fn switches_over_patterns_do_the_same_with_probes() {
    let calls = ["Patterns samples 0".to_owned(), "Patterns samples 5".to_owned()];
    for jdk in machine::jdks().iter().filter(|jdk| jdk.feature >= 21) {
        let (harness, classes) = (drive::saved(jdk, drive::HARNESS), drive::saved(jdk, "branches/patterns"));
        let plain = drive::drive(jdk, harness.path(), &[], classes.path(), PLENTY, &calls, &[]);
        let (results, lines) = by_probes(jdk, "branches/patterns", &calls);
        assert_eq!(results, plain);
        let (all, taken) = lines.values().fold((0, 0), |sum, line| (sum.0 + line.0, sum.1 + line.1));
        java::report(&format!("patterns on JDK {}: {taken} of {all} edges taken", jdk.feature));
        assert!(taken > 20);
    }
}

/// How many branches each class of a jar has, as JaCoCo counts them.
fn totals_by_jacoco(jdk: &Jdk, jar: &Path) -> BTreeMap<String, u32> {
    let scratch = java::scratch();
    let report = scratch.path().join("report.xml");
    let mut cli = java::java(jdk);
    cli.arg("-jar").arg(machine::jar("org.jacoco.cli-0.8.14-nodeps")).arg("report");
    java::run(cli.arg("--classfiles").arg(jar).arg("--xml").arg(&report));
    let (mut totals, mut class) = (BTreeMap::new(), None);
    for tag in tags(&report) {
        match tag.name.as_str() {
            "class" => class = tag.text("name"),
            "/class" | "sourcefile" => class = None,
            // Those of methods come first, and the one of the class itself last.
            "counter" if tag.text("type").as_deref() == Some("BRANCH") => {
                if let Some(class) = &class {
                    totals.insert(class.clone(), tag.number("missed"));
                }
            }
            _ => {}
        }
    }
    totals
}

/// How many edges a class has.
fn edges(map: &ProbeMap) -> u32 {
    let edges = map.probes.iter().filter(|probe| matches!(probe.kind, ProbeKind::Edge { .. }));
    u32::try_from(edges.count()).expect("a class has fewer than 2^32 edges")
}

#[test]
fn classes_have_as_many_edges_as_jacoco_counts_branches() {
    let jdk = &machine::jdks()[0];
    let jar = machine::jar("commons-lang3-3.12.0");
    let jacoco = totals_by_jacoco(jdk, &jar);
    let plan = ProbePlan { branches: Branches::Edges, ..ProbePlan::default() };
    let (mut same, mut different) = (0, Vec::new());
    let mut with_nested = BTreeMap::new();
    for (name, class) in java::classes(&java::class_path(&jar.display().to_string(), jdk)) {
        let own = edges(&instrument(&class, &plan, ProbeId(0)).map);
        let theirs = jacoco.get(&name).copied().unwrap_or(0);
        assert!(
            own >= theirs,
            "{name}: {own}, JaCoCo {theirs}; it only leaves out, as of switches over strings"
        );
        if own == theirs {
            same += 1;
        } else {
            different.push(format!("{name}: {own}, JaCoCo {theirs}"));
        }
        let outer = name.split('$').next().unwrap_or_default().to_owned();
        *with_nested.entry(outer).or_insert(0) += own;
    }
    java::report(&format!("{same} classes the same; {different:#?}"));
    assert!(different.len() * 20 < same);
    for (name, known) in KNOWN {
        assert_eq!(with_nested.get(&format!("org/apache/commons/lang3/{name}")), Some(&known), "{name}");
    }
}

/// Classes that are often measured, with the branches of them and their nested classes.
const KNOWN: [(&str, u32); 5] = [
    ("math/Fraction", 184),
    ("BooleanUtils", 234),
    ("CharRange", 66),
    ("text/StrBuilder", 554),
    ("time/FastDateParser", 169),
];
