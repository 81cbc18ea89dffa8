//! Builds small subjects from Java-like text, so that a test shows the classes it is about.
//!
//! ```
//! use jurat_testkit::{subject, ty};
//! let subject = subject("class Box<T> { Box(T value); T get(); }");
//! let strings = ty(&subject, "Box<String>");
//! assert!(subject.classes().is_assignable(&strings, &ty(&subject, "Box<? extends CharSequence>")));
//! ```
//!
//! Members are public unless they say `private`, `protected` or `hidden` (for package-private).
//! `package a.b;` between declarations sets the package of those that follow.

mod build;
pub mod java;
pub mod machine;
mod prelude;
mod syntax;

use std::sync::Arc;

use jurat_model::{Action, Instance, JavaType, OpId, Operation, Sequence, SequenceBuilder, Subject, Var};

/// A subject of the classes declared in `text`, above a small part of `java.lang` and `java.util`.
///
/// # Panics
/// If the text does not parse or names a class nobody declares.
pub fn subject(text: &str) -> Subject {
    build::build(&syntax::declarations(prelude::JAVA), &syntax::declarations(text))
}

/// A type written as in Java; class names may be simple, single capital letters that name no class
/// are not allowed.
///
/// # Panics
/// If the text is not a type of the subject.
pub fn ty(subject: &Subject, text: &str) -> JavaType {
    build::resolve(subject, &syntax::single_type(text))
}

/// The operation of a class by simple class name and member name; `new` for the constructor. Among
/// overloads the first.
///
/// # Panics
/// If there is none.
pub fn operation(subject: &Subject, class: &str, member: &str) -> OpId {
    let wanted = if member == "new" { "<init>" } else { member };
    let is_wanted = |operation: &&Operation| {
        *subject[operation.owner].simple_name == *class && *operation.name == *wanted
    };
    match subject.operations().iter().find(is_wanted) {
        Some(operation) => operation.id,
        None => panic!("no {class}.{member}"),
    }
}

/// A sequence of calls of members of one class, each on at most one value that was made before, by position.
///
/// # Panics
/// If there is no such member, or its types depend on where it is used.
pub fn calls(subject: &Subject, class: &str, calls: &[(&str, Option<usize>)]) -> Sequence {
    let mut builder = SequenceBuilder::default();
    for (name, on) in calls {
        let instance = subject.erased(operation(subject, class, name), None).expect("it is plain");
        let ty = instance.result.clone();
        let inputs = on.map(Var::from_index).into_iter().collect();
        builder.push(Action::Call { instance: Arc::new(instance), inputs }, ty);
    }
    builder.build()
}

/// An instance as one line: `receiver.(params) -> result`, with qualified names.
pub fn show(subject: &Subject, instance: &Instance) -> String {
    let classes = subject.classes();
    let receiver = instance.receiver.as_ref().map(|ty| format!("{}.", classes.show(ty))).unwrap_or_default();
    let params: Vec<String> = instance.params.iter().map(|ty| classes.show(ty)).collect();
    let text = format!("{receiver}({}) -> {}", params.join(", "), classes.show(&instance.result));
    text.replace("java.lang.", "").replace("java.util.", "")
}
