//! Tests that fail: the smallest structure on which a method does something wrong.

use jurat_model::{Obstacle, Subject};

use super::file::{File, MEMBER, capitalized, comment, statements};
use super::recipe::term_text;
use super::{Complaint, Fault, Structures, Tried};
use crate::JavaFile;
use crate::layout::BREAK;

/// Writes one test for each fault.
pub(super) fn write(about: &Structures<'_>, faults: &[Fault]) -> Result<JavaFile, Obstacle> {
    let method = faults.first().map(|fault| capitalized(&about.subject[fault.tried.op].name));
    let mut file = File::new(about, &format!("{}JuratFinding", method.unwrap_or_default()))?;
    let mut names: Vec<String> = Vec::new();
    for fault in faults {
        let stem = test_name(about, fault);
        let before = names.iter().filter(|known| known.trim_end_matches(char::is_numeric) == stem).count();
        let name = if before == 0 { stem } else { format!("{stem}{}", before + 1) };
        names.push(name.clone());
        let lines = test(&mut file, fault, &name)?;
        file.member(Some(name), lines);
    }
    Ok(file.finish())
}

fn test_name(about: &Structures<'_>, fault: &Fault) -> String {
    let method = &about.subject[fault.tried.op].name;
    match &fault.complaint {
        Complaint::Invariant => format!("{method}Keeps{}", capitalized(about.predicate)),
        Complaint::Throws(class) => {
            format!("{method}DoesNotThrow{}", class.rsplit(['/', '$', '.']).next().unwrap_or_default())
        }
        Complaint::NotReflexive => format!("{method}LeavesAnObjectThatEqualsItself"),
        Complaint::Broken(name) => format!("{method}LeavesAnObjectWith{}", capitalized(name)),
    }
}

fn test(file: &mut File<'_>, fault: &Fault, name: &str) -> Result<Vec<String>, Obstacle> {
    file.note_method(&fault.tried);
    let made = file.recipe(&fault.recipe)?;
    let root = made.names[fault.recipe.root].clone();
    let mut args = Vec::new();
    for arg in &fault.args {
        args.push(term_text(file.about.subject, &mut file.scope, arg, &made.names)?);
    }
    let call = call(file, &fault.tried, &root, &args)?;
    let subject = file.about.subject;
    let mut throws = made.throws || !subject[fault.tried.op].throws.is_empty();
    let mut body: Vec<String> = made.lines;
    body.push(String::new());
    body.push(match fault.threw {
        Some(class) => {
            let class = file.scope.class_text(class)?;
            format!("{}({BREAK}{class}.class, {BREAK}() -> {call});", file.assertion("assertThrows"))
        }
        None => format!("{call};"),
    });
    match &fault.complaint {
        Complaint::Throws(_) => {}
        Complaint::Invariant => {
            let (holds, declared) = file.holds(&root);
            throws |= declared;
            body.extend([String::new(), format!("{}({holds});", file.assertion("assertTrue"))]);
        }
        Complaint::NotReflexive => {
            body.extend([String::new(), format!("{}({root}.equals({root}));", file.assertion("assertTrue"))]);
        }
        Complaint::Broken(method) => body.extend([String::new(), format!("{root}.{method}();")]),
    }
    let annotation = if file.is_junit4() { "org.junit.Test" } else { "org.junit.jupiter.api.Test" };
    let margin = " ".repeat(MEMBER);
    let visibility = if file.is_junit4() { "public " } else { "" };
    let declared =
        if throws { format!(" throws {}", file.scope.named("java.lang.Exception")) } else { String::new() };
    let mut lines = vec![
        comment(&fault.recipe.text),
        format!("{margin}{}", file.annotation(annotation)),
        format!("{margin}{visibility}void {name}(){declared} {{"),
    ];
    lines.extend(statements(&body));
    lines.push(format!("{margin}}}"));
    Ok(lines)
}

/// The call of the method on a structure.
pub(super) fn call(
    file: &mut File<'_>,
    tried: &Tried,
    root: &str,
    args: &[String],
) -> Result<String, Obstacle> {
    let subject: &Subject = file.about.subject;
    let operation = &subject[tried.op];
    let mut all = args.to_vec();
    let target = match tried.at {
        None => root.to_owned(),
        Some(at) => {
            all.insert(at.min(all.len()), root.to_owned());
            file.scope.class_text(operation.owner)?
        }
    };
    let args: Vec<String> = all.iter().map(|arg| format!("{BREAK}{arg}")).collect();
    Ok(format!("{target}.{}({})", operation.name, args.join(", ")))
}
