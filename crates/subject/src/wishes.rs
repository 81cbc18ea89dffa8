//! What the user wants changed about a subject: values to draw from, operations to leave alone, checks to load.

use jurat_model::{Constant, Detail, LeftOut, Operation, OperationKind, Reason};

use crate::error::LoadError;
use crate::label;
use crate::loader::Loader;

/// What a settings file says about the subject.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// Values to try, beside those found in the classes.
    pub values: Vec<Constant>,
    /// Operations never to call: `org.foo.Bar`, `org.foo.Bar.baz` or `org.foo.Bar.baz(int)`.
    pub set_aside: Vec<String>,
    /// Static methods that say whether their arguments are as they should be: `org.foo.Checks.isBalanced`.
    pub checks: Vec<String>,
}

impl Wishes {
    /// Reads the classes of the user's checks, as helpers and not as classes under test.
    pub(crate) fn load_checks(&self, loader: &mut Loader<'_>) -> Result<(), LoadError> {
        for check in &self.checks {
            let (class, _) = check.rsplit_once('.').ok_or_else(|| unknown(check))?;
            loader.intern(&class.replace('.', "/"), 1).map_err(|_| unknown(check))?;
        }
        loader.drain();
        Ok(())
    }

    /// Adds the values to every class under test and takes out what was set aside.
    pub(crate) fn apply(&self, loader: &mut Loader<'_>) -> Result<(), LoadError> {
        for class in loader.classes.iter_mut().filter(|class| class.under_test) {
            class.constants.extend(self.values.iter().cloned());
        }
        for check in &self.checks {
            let is_meant = |operation: &&Operation| {
                operation.kind == OperationKind::StaticMethod && is_named(loader, operation, check)
            };
            if loader.operations.iter().filter(is_meant).count() == 0 {
                return Err(unknown(check));
            }
        }
        for set_aside in &self.set_aside {
            take_out(loader, set_aside)?;
        }
        Ok(())
    }
}

/// Takes out one entry. A name that belongs to a class which was read must mean something there; what this run
/// does not read cannot be checked, and does no harm.
fn take_out(loader: &mut Loader<'_>, set_aside: &str) -> Result<(), LoadError> {
    let meant: Vec<bool> =
        loader.operations.iter().map(|operation| is_named(loader, operation, set_aside)).collect();
    if !meant.contains(&true) && is_read(loader, set_aside) {
        return Err(unknown(set_aside));
    }
    let operations = std::mem::take(&mut loader.operations);
    for (operation, meant) in operations.into_iter().zip(meant) {
        if meant {
            let what = label_of(loader, &operation).into();
            loader.left_out.push(LeftOut { what, reason: Reason::SetAside });
        } else {
            loader.operations.push(operation);
        }
    }
    Ok(())
}

fn unknown(what: &str) -> LoadError {
    LoadError::UnknownMember { what: what.to_owned() }
}

fn label_of(loader: &Loader<'_>, operation: &Operation) -> String {
    let owner = &loader.classes[operation.owner.index()].source_name;
    if operation.kind.is_call() {
        format!("{owner}.{}", label::method(&operation.name, &operation.descriptor))
    } else {
        format!("{owner}.{}", operation.name)
    }
}

/// True if the user means this operation: by its class, its name, or its name and parameters.
fn is_named(loader: &Loader<'_>, operation: &Operation, wanted: &str) -> bool {
    let owner = &*loader.classes[operation.owner.index()].source_name;
    let Some(rest) = wanted.strip_prefix(owner) else { return false };
    if rest.is_empty() {
        return true;
    }
    let Some(rest) = rest.strip_prefix('.').and_then(|rest| rest.strip_prefix(&*operation.name)) else {
        return false;
    };
    let spaceless = |text: &str| text.replace(' ', "");
    let label = label::method("", &operation.descriptor);
    rest.is_empty() || (operation.kind.is_call() && spaceless(rest) == spaceless(&label))
}

/// True if the class that the entry names was read with its operations.
fn is_read(loader: &Loader<'_>, wanted: &str) -> bool {
    let member = wanted.split('(').next().unwrap_or(wanted);
    let class = member.rsplit_once('.').map_or(member, |(class, _)| class);
    let known = loader.classes.iter().filter(|known| known.detail == Detail::Operations);
    known.into_iter().any(|known| *known.source_name == *class)
}
