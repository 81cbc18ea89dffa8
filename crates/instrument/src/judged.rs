//! Calls whose answer is yes or no, such as `String.equals`: by how much was the other answer missed?
//!
//! With [`crate::Branches::Distances`] such a call goes to a method of the probes' class that makes it, hands answer and
//! operands to the native method `weigh` or `weighUnit`, and gives the answer. What that says is used by the next branch,
//! if it looks at the answer of the call, or of a method that the call was the last thing of.

use crate::plan::Rewrite;
use crate::runtime;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Whether two values are equal.
    Equal,
    /// Whether two strings are equal if case does not count.
    EqualIgnoringCase,
    /// Whether the first string begins with the second.
    Prefix,
    /// Whether the first string ends with the second.
    Suffix,
    /// Whether the first string holds the second.
    Inside,
    /// Whether a string is empty.
    Empty,
    /// Whether the first string is matched by the pattern in the second.
    Pattern,
    /// Whether the second string is matched by the pattern in the first.
    PatternFirst,
    /// Whether a `Matcher` finds what it looks for.
    Matcher,
    /// Whether a collection holds a value.
    Element,
    /// Whether a map has a key.
    Key,
    /// Whether two arrays are equal.
    Arrays,
    /// Whether a unit is of a kind, as this one is.
    Unit(u16),
}

/// A method whose answers are weighed. Its operands are references, or one unit.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// Binary name of the class.
    pub class: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its descriptor.
    pub descriptor: &'static str,
    call: Call,
    /// What it tells.
    pub relation: Relation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Virtual,
    Interface,
    Static,
}

const fn judged(
    call: Call,
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    relation: Relation,
) -> Judged {
    Judged { class, name, descriptor, call, relation }
}

/// A method of `Character` that is asked of what kind a unit is; `like` is one of that kind.
const fn unit(name: &'static str, descriptor: &'static str, like: u16) -> Judged {
    judged(Call::Static, "java/lang/Character", name, descriptor, Relation::Unit(like))
}

/// `contains` of a collection.
const fn holds(call: Call, class: &'static str) -> Judged {
    judged(call, class, "contains", ANY, Relation::Element)
}

/// `containsKey` of a map.
const fn has_key(call: Call, class: &'static str) -> Judged {
    judged(call, class, "containsKey", ANY, Relation::Key)
}

/// `Arrays.equals`.
const fn arrays(descriptor: &'static str) -> Judged {
    judged(Call::Static, "java/util/Arrays", "equals", descriptor, Relation::Arrays)
}

const STRING: &str = "java/lang/String";
const ANY: &str = "(Ljava/lang/Object;)Z";
const TEXT: &str = "(Ljava/lang/String;)Z";

/// All of them; `weigh` is told the position in this list.
pub const JUDGED: &[Judged] = &[
    judged(Call::Virtual, STRING, "equals", ANY, Relation::Equal),
    judged(Call::Virtual, STRING, "equalsIgnoreCase", TEXT, Relation::EqualIgnoringCase),
    judged(Call::Virtual, STRING, "startsWith", TEXT, Relation::Prefix),
    judged(Call::Virtual, STRING, "endsWith", TEXT, Relation::Suffix),
    judged(Call::Virtual, STRING, "contains", "(Ljava/lang/CharSequence;)Z", Relation::Inside),
    judged(Call::Virtual, STRING, "contentEquals", "(Ljava/lang/CharSequence;)Z", Relation::Equal),
    judged(Call::Virtual, STRING, "isEmpty", "()Z", Relation::Empty),
    judged(Call::Virtual, STRING, "matches", TEXT, Relation::Pattern),
    judged(Call::Virtual, "java/lang/Object", "equals", ANY, Relation::Equal),
    judged(Call::Virtual, "java/lang/Integer", "equals", ANY, Relation::Equal),
    judged(Call::Virtual, "java/lang/Long", "equals", ANY, Relation::Equal),
    judged(Call::Virtual, "java/lang/Short", "equals", ANY, Relation::Equal),
    judged(Call::Virtual, "java/lang/Byte", "equals", ANY, Relation::Equal),
    judged(Call::Virtual, "java/lang/Character", "equals", ANY, Relation::Equal),
    judged(Call::Virtual, "java/lang/Float", "equals", ANY, Relation::Equal),
    judged(Call::Virtual, "java/lang/Double", "equals", ANY, Relation::Equal),
    judged(Call::Virtual, "java/lang/Boolean", "equals", ANY, Relation::Equal),
    judged(
        Call::Static,
        "java/util/Objects",
        "equals",
        "(Ljava/lang/Object;Ljava/lang/Object;)Z",
        Relation::Equal,
    ),
    judged(
        Call::Static,
        "java/util/regex/Pattern",
        "matches",
        "(Ljava/lang/String;Ljava/lang/CharSequence;)Z",
        Relation::PatternFirst,
    ),
    judged(Call::Virtual, "java/util/regex/Matcher", "matches", "()Z", Relation::Matcher),
    judged(Call::Virtual, "java/util/regex/Matcher", "lookingAt", "()Z", Relation::Matcher),
    judged(Call::Virtual, "java/util/regex/Matcher", "find", "()Z", Relation::Matcher),
    holds(Call::Interface, "java/util/Collection"),
    holds(Call::Interface, "java/util/List"),
    holds(Call::Interface, "java/util/Set"),
    holds(Call::Interface, "java/util/SortedSet"),
    holds(Call::Interface, "java/util/NavigableSet"),
    holds(Call::Interface, "java/util/Queue"),
    holds(Call::Interface, "java/util/Deque"),
    holds(Call::Virtual, "java/util/ArrayList"),
    holds(Call::Virtual, "java/util/LinkedList"),
    holds(Call::Virtual, "java/util/Vector"),
    holds(Call::Virtual, "java/util/ArrayDeque"),
    holds(Call::Virtual, "java/util/HashSet"),
    holds(Call::Virtual, "java/util/LinkedHashSet"),
    holds(Call::Virtual, "java/util/TreeSet"),
    has_key(Call::Interface, "java/util/Map"),
    has_key(Call::Interface, "java/util/SortedMap"),
    has_key(Call::Interface, "java/util/NavigableMap"),
    has_key(Call::Interface, "java/util/concurrent/ConcurrentMap"),
    has_key(Call::Virtual, "java/util/HashMap"),
    has_key(Call::Virtual, "java/util/LinkedHashMap"),
    has_key(Call::Virtual, "java/util/TreeMap"),
    has_key(Call::Virtual, "java/util/Hashtable"),
    has_key(Call::Virtual, "java/util/concurrent/ConcurrentHashMap"),
    arrays("([I[I)Z"),
    arrays("([J[J)Z"),
    arrays("([C[C)Z"),
    arrays("([B[B)Z"),
    arrays("([S[S)Z"),
    arrays("([Z[Z)Z"),
    arrays("([F[F)Z"),
    arrays("([D[D)Z"),
    arrays("([Ljava/lang/Object;[Ljava/lang/Object;)Z"),
    unit("isHighSurrogate", "(C)Z", 0xd83d),
    unit("isLowSurrogate", "(C)Z", 0xde00),
    unit("isSurrogate", "(C)Z", 0xd83d),
    unit("isDigit", "(C)Z", 0x37),
    unit("isDigit", "(I)Z", 0x37),
    unit("isLetter", "(C)Z", 0x61),
    unit("isLetter", "(I)Z", 0x61),
    unit("isLetterOrDigit", "(C)Z", 0x61),
    unit("isLetterOrDigit", "(I)Z", 0x61),
    unit("isWhitespace", "(C)Z", 0x20),
    unit("isWhitespace", "(I)Z", 0x20),
    unit("isSpaceChar", "(C)Z", 0x20),
    unit("isSpaceChar", "(I)Z", 0x20),
    unit("isUpperCase", "(C)Z", 0x42),
    unit("isUpperCase", "(I)Z", 0x42),
    unit("isLowerCase", "(C)Z", 0x62),
    unit("isLowerCase", "(I)Z", 0x62),
    unit("isTitleCase", "(C)Z", 0x1c5),
    unit("isTitleCase", "(I)Z", 0x1c5),
    unit("isISOControl", "(C)Z", 0x7f),
    unit("isISOControl", "(I)Z", 0x7f),
    unit("isJavaIdentifierStart", "(C)Z", 0x61),
    unit("isJavaIdentifierStart", "(I)Z", 0x61),
    unit("isJavaIdentifierPart", "(C)Z", 0x61),
    unit("isJavaIdentifierPart", "(I)Z", 0x61),
];

/// Sends these calls to the probes' class.
pub fn rewrites() -> Vec<Rewrite> {
    let rewrite = |(number, judged): (usize, &Judged)| Rewrite {
        class: judged.class.to_owned(),
        name: judged.name.to_owned(),
        descriptor: judged.descriptor.to_owned(),
        to_class: runtime::CLASS.to_owned(),
        to_name: name(number),
    };
    JUDGED.iter().enumerate().map(rewrite).collect()
}

fn name(number: usize) -> String {
    format!("judged{number}")
}

/// The method of the probes' class that makes a call and has its answer weighed.
pub(crate) fn listing(number: usize) -> String {
    let Judged { class, name: called, descriptor, call, relation } = &JUDGED[number];
    if let Relation::Unit(_) = relation {
        return format!(
            "method {} {descriptor}\niload 0\ninvokestatic {class}.{called} {descriptor}\nistore 1\niload 1\n\
             push {number}\niload 0\ninvokestatic judgeUnit (ZII)V\niload 1\nireturn\n",
            name(number)
        );
    }
    let (own, invoke) = match call {
        Call::Static => ((*descriptor).to_owned(), "invokestatic"),
        Call::Virtual => (format!("(L{class};{}", &descriptor[1..]), "invokevirtual"),
        Call::Interface => (format!("(L{class};{}", &descriptor[1..]), "invokeinterface"),
    };
    let (second, weighed) = if own.starts_with("(L") && own.matches(';').count() == 1 {
        ("", "aconst_null")
    } else {
        ("aload 1\n", "aload 1")
    };
    format!(
        "method {} {own}\naload 0\n{second}{invoke} {class}.{called} {descriptor}\nistore 2\niload 2\npush {number}\n\
         aload 0\n{weighed}\ninvokestatic judge (ZILjava/lang/Object;Ljava/lang/Object;)V\niload 2\nireturn\n",
        name(number)
    )
}
