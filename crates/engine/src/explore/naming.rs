//! Names that code asks for by reflection: which strings may be names of members, and what members there are.

use std::collections::{BTreeMap, BTreeSet};

use jurat_model::{ClassId, JavaType, Operation, Subject};
use jurat_protocol::{BOXES, ChartedOperation, ChartedType, LiteralPool, Naming, STRING, Text, Usable};

/// The first string of an operation under test that comes after a class or an `Object`.
pub(super) fn naming(subject: &Subject, operation: &Operation) -> Option<Naming> {
    if !subject[operation.owner].under_test {
        return None;
    }
    let classes = subject.classes();
    let has_members = |ty: &JavaType| {
        let is_class = |class: ClassId| class == classes.class_class() || class == classes.object();
        ty.class_id().is_some_and(is_class)
    };
    let params = &operation.params;
    let first = params.iter().position(has_members)?;
    let name = (first..params.len()).find(|at| params[*at].class_id() == Some(classes.string()))?;
    let whose = params[..name].iter().rposition(has_members)?;
    let input = |at: usize| u8::try_from(at + usize::from(operation.receiver.is_some())).ok();
    Some(Naming { whose: input(whose)?, name: input(name)? })
}

/// The members of all classes that inputs may be, or may be objects of; none if nobody asks.
pub(super) fn names(
    subject: &Subject,
    operations: &[ChartedOperation],
    types: &[ChartedType],
    pools: &[LiteralPool],
) -> BTreeMap<String, Vec<Vec<Text>>> {
    if operations.iter().all(|operation| operation.naming.is_none()) {
        return BTreeMap::new();
    }
    let given = operations.iter().filter_map(|operation| types.get(operation.gives? as usize));
    let literals = pools.iter().flat_map(|pool| &pool.classes);
    let plain = BOXES.iter().map(|(_, class)| *class).chain([STRING]);
    let asked: BTreeSet<&str> =
        given.map(|ty| &*ty.descriptor).chain(literals.map(|class| &**class)).chain(plain).collect();
    let known = asked.into_iter().filter_map(|descriptor| {
        let class = subject.classes().find(descriptor.strip_prefix('L')?.strip_suffix(';')?)?;
        // Of what gives a class it is not known which: the members of `Class` itself are hardly ever meant.
        if class == subject.classes().class_class() {
            return None;
        }
        let kinds = [fields(subject, class), methods(subject, class, operations)];
        let kinds: Vec<Vec<Text>> = kinds.into_iter().filter(|names| !names.is_empty()).collect();
        (!kinds.is_empty()).then(|| (descriptor.to_owned(), kinds))
    });
    known.collect()
}

/// The fields of a class and of those above it.
fn fields(subject: &Subject, class: ClassId) -> Vec<Text> {
    let near = subject.classes().ancestors(class).iter().map(|above| above.class);
    distinct(near.flat_map(|class| &subject[class].fields).map(|name| &**name))
}

/// The methods of a class that may be called at all.
fn methods(subject: &Subject, class: ClassId, operations: &[ChartedOperation]) -> Vec<Text> {
    let own = subject.operations_of(class).iter();
    let usable = own.filter(|op| operations[op.index()].usable != Usable::Nowhere).map(|op| &subject[*op]);
    distinct(usable.filter(|operation| operation.kind.is_method()).map(|operation| &*operation.name))
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Text> {
    let mut found: Vec<&str> = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found.into_iter().map(Text::from).collect()
}

#[cfg(test)]
mod tests {
    use jurat_testkit::{operation, subject};

    use super::*;
    use crate::explore::chart::chart;

    #[test]
    fn the_string_after_a_class_or_an_object_may_name_one_of_its_members() {
        let subject = subject(
            "class Peek {
               static Object field(Class<?> type, String name);
               Object value(int depth, Object of, boolean force, String name, String other);
               void log(String text, Object about);
               void rename(String from, String to);
               static <T> T find(T root, String key);
               class Inner { Inner(Object of, String name); }
             }",
        );
        let found = |name| naming(&subject, &subject[operation(&subject, "Peek", name)]);
        assert_eq!(found("field"), Some(Naming { whose: 0, name: 1 }));
        assert_eq!(found("value"), Some(Naming { whose: 2, name: 4 }), "the receiver comes first");
        assert_eq!(found("log"), None, "a text before an object says nothing of it");
        assert_eq!(found("rename"), None);
        assert_eq!(found("find"), None, "what is asked of anything is no question about its class");
        let inner = naming(&subject, &subject[operation(&subject, "Inner", "new")]);
        assert_eq!(inner, Some(Naming { whose: 1, name: 2 }), "the outer object comes first");
        let helper = subject.operations().iter().filter(|operation| !subject[operation.owner].under_test);
        assert_eq!(helper.filter_map(|operation| naming(&subject, operation)).count(), 0);
    }

    #[test]
    fn members_are_known_by_name_where_some_may_be_asked_for() {
        let plain = "class Room { int size; }
             class Shop extends Room { Shop(); String name; private int cash; void open(); Class<?> sort(); }";
        let asking = "class Peek { static Object field(Class<?> type, String name); static Shop at(); }";
        let names = |source: &str| chart(&subject(source)).chart.names.clone();
        let texts = |names: &[&str]| names.iter().map(|name| Text::from(*name)).collect::<Vec<_>>();
        let known = names(&[plain, asking].concat());
        assert_eq!(known["LShop;"], [texts(&["size", "name", "cash"]), texts(&["open", "sort"])]);
        assert!(known.contains_key("Ljava/lang/String;") && !known.contains_key("Ljava/lang/Class;"));
        assert!(names(plain).is_empty(), "nobody asks");
    }
}
