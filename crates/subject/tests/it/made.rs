//! What it takes to make what a class asks for, from `subjects/made`: found though the class mentions none of it.

use std::sync::OnceLock;

use jurat_model::Subject;
use jurat_testkit::machine;

use crate::corpus;

fn subject() -> &'static Subject {
    static MADE: OnceLock<Subject> = OnceLock::new();
    MADE.get_or_init(|| {
        let classes = machine::compile(&corpus::jdk(), &machine::repository("subjects/made/src"), &[]);
        let asking = ["made.user.Desk", "made.user.Counter"];
        corpus::load(&classes.path().display().to_string(), &corpus::jdk(), &asking)
    })
}

fn implementations(of: &str) -> Vec<&'static str> {
    let subject = subject();
    let id = subject.classes().find(of).unwrap_or_else(|| panic!("no {of}"));
    subject[id].implementations.iter().map(|id| &*subject[*id].source_name).collect()
}

#[test]
fn the_factory_of_a_part_is_read() {
    let subject = subject();
    let tickets = subject.classes().find("made/parts/Tickets").expect("who gives drafts");
    let names: Vec<&str> = subject.operations_of(tickets).iter().map(|op| &*subject[*op].name).collect();
    assert!(names.contains(&"draft"), "{names:?}");
}

#[test]
fn what_the_only_implementation_asks_for_is_read() {
    let subject = subject();
    assert_eq!(implementations("made/user/Counter"), ["made.parts.Turnstile"]);
    let settings = subject.classes().find("made/parts/Settings").expect("what the turnstile asks for");
    let makes = |op: &jurat_model::OpId| subject[*op].is_constructor();
    assert!(subject.operations_of(settings).iter().any(makes));
}

#[test]
fn a_part_that_is_abstract_has_implementations_and_not_the_class_paths_alone() {
    let streams = implementations("java/io/InputStream");
    assert!(streams.contains(&"java.io.ByteArrayInputStream"), "{streams:?}");
    assert!(streams.contains(&"made.parts.Streams.One"), "{streams:?}");
    assert!(streams.len() <= 8, "{streams:?}");
}
