//! Which values are containers whose contents a test can write down.

use jurat_model::{ClassId, JavaType, Subject, Value};

/// A kind of container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An array.
    Array,
    /// A list: its elements are in order.
    List,
    /// A set: equal to any other with the same elements.
    Set,
    /// An `Optional`.
    Optional,
}

/// Knows the classes of the JDK that containers are made of.
pub(crate) struct Kinds<'a> {
    subject: &'a Subject,
    list: Option<ClassId>,
    set: Option<ClassId>,
    optional: Option<ClassId>,
}

/// Classes whose order is that of hash codes.
const HASHED: [&str; 8] = [
    "java/util/HashMap",
    "java/util/HashSet",
    "java/util/Hashtable",
    "java/util/IdentityHashMap",
    "java/util/WeakHashMap",
    "java/util/concurrent/ConcurrentHashMap",
    "java/util/ImmutableCollections$MapN",
    "java/util/ImmutableCollections$SetN",
];

/// Classes below those that keep an order all the same.
const LINKED: [&str; 2] = ["java/util/LinkedHashMap", "java/util/LinkedHashSet"];

impl<'a> Kinds<'a> {
    pub(crate) fn new(subject: &'a Subject) -> Self {
        let find = |name| subject.classes().find(name);
        Self {
            subject,
            list: find("java/util/List"),
            set: find("java/util/Set"),
            optional: find("java/util/Optional"),
        }
    }

    /// The kind of a value, by its class at run time where that is known, else by its static type.
    pub(crate) fn of(&self, ty: &JavaType, value: Option<&Value>) -> Option<Kind> {
        let is_array = matches!(value, Some(Value::Object(object)) if object.class.starts_with('['));
        if is_array || matches!(ty, JavaType::Array(_)) {
            return Some(Kind::Array);
        }
        let class = self.class_of(ty, value)?;
        let is = |general: Option<ClassId>| {
            general.is_some_and(|general| self.subject.classes().is_subclass(class, general))
        };
        if is(self.list) {
            Some(Kind::List)
        } else if is(self.set) {
            Some(Kind::Set)
        } else {
            is(self.optional).then_some(Kind::Optional)
        }
    }

    /// True for a container that shows its elements in an order nobody should rely on.
    pub(crate) fn is_unordered(&self, ty: &JavaType, value: Option<&Value>) -> bool {
        if matches!(value, Some(Value::Object(object)) if HASHED.contains(&&*object.class)) {
            return true;
        }
        let Some(class) = self.class_of(ty, value) else { return false };
        let classes = self.subject.classes();
        let below = |names: &[&str]| {
            let mut known = names.iter().filter_map(|name| classes.find(name));
            known.any(|general| classes.is_subclass(class, general))
        };
        below(&HASHED) && !below(&LINKED)
    }

    fn class_of(&self, ty: &JavaType, value: Option<&Value>) -> Option<ClassId> {
        let at_run_time = match value {
            Some(Value::Object(object)) => self.subject.classes().find(&object.class),
            _ => None,
        };
        at_run_time.or_else(|| ty.class_id())
    }
}

/// True for methods that show the elements of a collection one after the other.
pub(crate) fn tells_order(name: &str) -> bool {
    matches!(
        name,
        "toString" | "toArray" | "iterator" | "element" | "peek" | "poll" | "pop" | "first" | "last" | "next"
    )
}
