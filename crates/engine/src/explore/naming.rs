//! Names that code asks for by reflection: which strings may be names of members, and what members there are.

use std::collections::BTreeMap;

use jurat_model::{ClassId, JavaType, Operation, Primitive, Subject};
use jurat_protocol::{ChartedOperation, ChartedType, LiteralPool, Naming, Text, Usable};

/// The first string of an operation under test that comes after a class, or after what may be an object of any.
pub(super) fn naming(subject: &Subject, operation: &Operation) -> Option<Naming> {
    let classes = subject.classes();
    let has_members = |ty: &JavaType| {
        ty.class_id() == Some(classes.class_class()) || classes.erasure(ty) == classes.object_type()
    };
    let params = &operation.params;
    let first = params.iter().position(has_members)?;
    let name = (first..params.len()).find(|at| params[*at].class_id() == Some(classes.string()))?;
    let whose = params[..name].iter().rposition(has_members)?;
    let input = |at: usize| u8::try_from(at + usize::from(operation.receiver.is_some())).ok();
    let naming = Naming { whose: input(whose)?, name: input(name)? };
    subject[operation.owner].under_test.then_some(naming)
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
    let classes = subject.classes();
    let boxes = Primitive::ALL.into_iter().map(|primitive| classes.boxed(primitive));
    let plain = boxes.chain([classes.string()]).map(|class| classes.descriptor(&JavaType::class(class)));
    let literals = pools.iter().flat_map(|pool| pool.classes.iter().cloned());
    let asked = plain.chain(literals).chain(types.iter().map(|ty| ty.descriptor.clone()));
    let known = asked.filter_map(|descriptor| {
        let class = classes.find(descriptor.strip_prefix('L')?.strip_suffix(';')?)?;
        let kinds = [fields(subject, class), methods(subject, class, operations)];
        let kinds: Vec<Vec<Text>> = kinds.into_iter().filter(|names| !names.is_empty()).collect();
        (!kinds.is_empty()).then_some((descriptor, kinds))
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
             }",
        );
        let found = |name| naming(&subject, &subject[operation(&subject, "Peek", name)]);
        assert_eq!(found("field"), Some(Naming { whose: 0, name: 1 }));
        assert_eq!(found("value"), Some(Naming { whose: 2, name: 4 }), "the receiver comes first");
        assert_eq!(found("log"), None, "a text before an object says nothing of it");
        assert_eq!(found("rename"), None);
    }

    #[test]
    fn members_are_known_by_name_where_some_may_be_asked_for() {
        let plain = "class Shop { Shop(); String name; private int cash; void open(); }";
        let asking =
            "class Peek { static Object field(Class<?> type, String name); static void at(Shop shop); }";
        let names = |source: &str| chart(&subject(source)).chart.names.clone();
        let texts = |names: &[&str]| names.iter().map(|name| Text::from(*name)).collect::<Vec<_>>();
        let known = names(&[plain, asking].concat());
        assert_eq!(known["LShop;"], [texts(&["name", "cash"]), texts(&["open"])]);
        assert!(names(plain).is_empty(), "nobody asks");
    }
}
