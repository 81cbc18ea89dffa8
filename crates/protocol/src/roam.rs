//! Roaming: a worker explores the subject by itself, on live values, and reports what reached something new.
//!
//! The engine draws a [`Chart`] of the subject once; each [`Roam`] order then runs sessions over it. A session is a
//! sequence that grows statement by statement, each executed once on the values that are there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Finished, Literal, Sequence, Statement, Text};

/// What a session may do, as erased types see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// The operations, by their position in the operation table.
    pub operations: Vec<ChartedOperation>,
    /// Reference types that operations take or give. What is said to hold something is one of its own.
    pub types: Vec<ChartedType>,
    /// What sessions concentrate on: one entry for each class under test.
    pub focuses: Vec<Focus>,
    /// Literals; the first pool is for everyone.
    pub pools: Vec<LiteralPool>,
    /// Names of the members of classes that may be asked for by name, by descriptor: of fields, then of methods; no list
    /// is empty.
    pub names: BTreeMap<String, Vec<Vec<Text>>>,
    /// Where the eight operations that box primitives begin: boolean, byte, short, char, int, long, float, double.
    pub boxing: u32,
}

/// The descriptor of strings.
pub const STRING: &str = "Ljava/lang/String;";
/// Primitives and their boxes, by descriptor, in the order of the operations that make the boxes.
pub const BOXES: [(char, &str); 8] = [
    ('Z', "Ljava/lang/Boolean;"),
    ('B', "Ljava/lang/Byte;"),
    ('S', "Ljava/lang/Short;"),
    ('C', "Ljava/lang/Character;"),
    ('I', "Ljava/lang/Integer;"),
    ('J', "Ljava/lang/Long;"),
    ('F', "Ljava/lang/Float;"),
    ('D', "Ljava/lang/Double;"),
];

impl Chart {
    /// The operation that boxes primitives of a type.
    pub fn boxing_of(&self, letter: char) -> Option<u32> {
        (self.boxing..)
            .zip(BOXES)
            .find(|(_, (primitive, _))| *primitive == letter)
            .map(|(operation, _)| operation)
    }

    /// Names of the members of the class that a statement makes, or of the type that its value is declared with.
    pub fn members_of(&self, statement: &Statement) -> Option<&[Vec<Text>]> {
        let descriptor = match statement {
            Statement::Literal(Literal::Class(class)) => class,
            Statement::Literal(Literal::String(_)) => STRING,
            Statement::Operate { operation, .. } => {
                let box_of = operation.checked_sub(self.boxing).map(|number| number as usize);
                match (box_of, self.operations.get(*operation as usize)) {
                    (Some(number), _) => BOXES.get(number)?.1,
                    (None, charted) => &self.types.get(charted?.gives? as usize)?.descriptor,
                }
            }
            _ => return None,
        };
        self.names.get(descriptor).map(Vec::as_slice)
    }
}

/// An operation, as a session chooses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChartedOperation {
    /// Receiver first, then arguments.
    pub inputs: Vec<Need>,
    /// Whether the first input is the receiver.
    pub has_receiver: bool,
    /// The reference type of what it gives, if it gives one.
    pub gives: Option<u32>,
    /// From where tests can call it.
    pub usable: Usable,
    /// Its pool of literals.
    pub pool: u32,
    /// Whether it belongs to a class under test.
    pub under_test: bool,
    /// Which input may name a member of another.
    pub naming: Option<Naming>,
}

impl ChartedOperation {
    /// The input whose member the one at a position may name.
    pub fn names_member_of(&self, position: usize) -> Option<usize> {
        let naming = self.naming.filter(|naming| usize::from(naming.name) == position)?;
        Some(usize::from(naming.whose))
    }
}

/// A string that may be the name of a member of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Naming {
    /// The position of the input that is the class, or an object of it.
    pub whose: u8,
    /// The position of the string; it comes later.
    pub name: u8,
}

/// From where an operation can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Usable {
    /// From no test.
    Nowhere,
    /// From every package.
    Anywhere,
    /// From this package only.
    In(u32),
    /// From this package only, and by reflection.
    Privately(u32),
}

/// What an input has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Need {
    /// A primitive, by the letter of its descriptor.
    Primitive(char),
    /// A reference, by position in [`Chart::types`].
    Reference(u32),
}

/// A reference type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChartedType {
    /// `Ljava/util/List;`, `[I`.
    pub descriptor: String,
    /// Operations without a receiver that may give a value of the type, the usual ones several times.
    pub makers: Vec<u32>,
    /// Operations with a receiver that may.
    pub givers: Vec<u32>,
    /// Whether a string is a value of the type.
    pub takes_strings: bool,
    /// Primitives whose boxes are values of the type, by letter.
    pub takes_boxes: Vec<char>,
    /// What else can be made of it.
    pub sort: TypeSort,
    /// Private constructors and methods that need no receiver and may give a value of the type.
    pub private_makers: Vec<u32>,
    /// How to mock it, if that is possible.
    pub mock: Option<Mockable>,
}

/// A type that a mock can stand in for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mockable {
    /// The class or interface, by binary name.
    pub class: String,
    /// What else there is.
    pub instead_of: InsteadOf,
    /// From where tests can do so.
    pub usable: Usable,
    /// The methods that a mock may be asked.
    pub methods: Vec<MockableMethod>,
}

/// What a mock stands in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InsteadOf {
    /// There is no other way to have a value of the type.
    Nothing,
    /// An interface or abstract class, of which there are implementations.
    Implementation,
    /// A class that can be made itself.
    Real,
}

/// A method of a type that can be mocked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MockableMethod {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// What it may give: one for each way in which its class is used, if that says more of it; nothing if it gives nothing.
    pub results: Vec<Need>,
}

/// How values of a type can be made without an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TypeSort {
    /// In no other way.
    Plain,
    /// `Class` itself: by class literals.
    Class,
    /// A functional interface: by lambdas.
    Function {
        /// The interface's binary name.
        class: String,
        /// What the lambda gives, if anything.
        result: Option<Need>,
        /// Arguments the lambda may give back.
        echoes: Vec<u8>,
    },
    /// An array.
    Array {
        /// The descriptor of its elements.
        element: String,
        /// Their type.
        need: Need,
    },
    /// A collection, map or the like of which it is known what it should hold. Other values of the type may hold anything.
    Holder {
        /// How to make one.
        ways: Vec<Way>,
        /// What is put in: an element, or a key and its value.
        needs: Vec<Need>,
    },
}

/// How to make what holds something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    /// The operation that makes it.
    pub maker: u32,
    /// The operation that puts something in; without one, it is made of what it holds.
    pub put: Option<u32>,
}

/// What a session concentrates on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Focus {
    /// The package from which its tests call.
    pub package: u32,
    /// Its operations: its own and those it inherits from classes under test.
    pub operations: Vec<u32>,
    /// Its own private operations: methods, constructors, and writes to fields.
    pub private_operations: Vec<u32>,
}

/// Literals to draw from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiteralPool {
    /// Ints; bytes, shorts and chars are made of them, too.
    pub ints: Vec<i32>,
    /// Longs.
    pub longs: Vec<i64>,
    /// Bits of floats.
    pub floats: Vec<u32>,
    /// Bits of doubles.
    pub doubles: Vec<u64>,
    /// Strings.
    pub strings: Vec<Text>,
    /// Descriptors of class literals.
    pub classes: Vec<String>,
}

/// An order to roam.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roam {
    /// The chunk's number, as for [`crate::Chunk`].
    pub number: u32,
    /// Where the randomness of its sessions comes from.
    pub seed: u64,
    /// The first session to run, and the one after the last.
    pub sessions: (u32, u32),
    /// Calls in a session.
    pub length: u32,
    /// How much each focus is wanted; one number for each.
    pub weights: Vec<u32>,
    /// Probes that are reached already: one bit each.
    pub known: Vec<u8>,
    /// Exceptions that are known already: the operation and the name of the class.
    pub thrown: Vec<(u32, String)>,
    /// Results that are known already: the operation and the kind of what it gave.
    pub returned: Vec<(u32, Given)>,
    /// Sequences that sessions may start with.
    pub starts: Vec<Start>,
    /// Operations that are not to be called.
    pub barred: Vec<u32>,
    /// Strings that the subject compared with elsewhere.
    pub seen: Vec<Text>,
    /// After so many milliseconds no session is begun; 0 means that all are run, however long it takes.
    pub millis: u32,
    /// Whether its sessions need classes that nothing was done to. Where not, they go on with those of the order before,
    /// which are compiled already.
    pub fresh: bool,
    /// Whether what happens decides what comes next; without, every session is blind.
    pub feedback: bool,
}

impl Roam {
    /// An order for one focus on fresh classes, with feedback, of somebody who knows nothing yet.
    pub fn first(seed: u64, sessions: u32, length: u32) -> Self {
        Self {
            number: 0,
            seed,
            sessions: (0, sessions),
            length,
            weights: vec![1],
            known: Vec::new(),
            thrown: Vec::new(),
            returned: Vec::new(),
            starts: Vec::new(),
            barred: Vec::new(),
            seen: Vec::new(),
            millis: 0,
            fresh: true,
            feedback: true,
        }
    }
}

/// A sequence that sessions may start with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The focus it is for.
    pub focus: u32,
    /// The statements.
    pub sequence: Sequence,
}

/// The answer to [`Roam`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Roamed {
    /// Sessions that reached something new.
    pub finds: Vec<Find>,
    /// The names of the classes that finds mention.
    pub classes: Vec<String>,
    /// The session that would come next.
    pub next: u32,
    /// What was done.
    pub tally: Tally,
    /// Operations that did what sessions must not go on after, each time they did.
    pub troubles: Vec<(u32, Trouble)>,
    /// Whether the worker can go on.
    pub finished: Option<Finished>,
}

/// What sessions did, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Operations called.
    pub calls: u64,
    /// Calls that threw.
    pub threw: u64,
    /// Sessions run.
    pub sessions: u64,
}

/// Why a session had to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Trouble {
    /// A call used up its fuel, or computed too long where fuel does not count.
    Fuel,
    /// The stack overflowed, or memory ran out.
    Exhausted,
    /// A call tried to do something to the world.
    Attempt,
    /// It waited until the clock cut it.
    Stuck,
    /// It started a thread that still ran when the session was over.
    Left,
    /// It ended the worker.
    Killed,
}

/// A session that reached something new.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Find {
    /// The session's focus.
    pub focus: u32,
    /// What it did, up to the last statement that reached something.
    pub sequence: Sequence,
    /// Statements that did not return, ascending.
    pub failed: Vec<u32>,
    /// The run-time classes of the objects that statements made: statement, position in the table of names.
    pub classes: Vec<(u32, u32)>,
    /// What was reached, by statement.
    pub reached: Vec<Reached>,
}

/// What one statement reached first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// The statement.
    pub statement: u32,
    /// Probes.
    pub probes: Vec<u32>,
    /// The class of an exception that the operation had not thrown before, by position in the table of names.
    pub threw: Option<u32>,
    /// The kind of what the operation gave, if it had not given that before.
    pub gave: Option<Given>,
}

/// What a call gave, roughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Given {
    /// `true`.
    True,
    /// `false`.
    False,
    /// `null`.
    Null,
    /// `0`.
    Zero,
    /// `1`.
    One,
    /// A number below zero.
    Negative,
    /// `""`.
    Empty,
    /// Anything else, or nothing.
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_those_of_a_class_a_string_a_box_or_what_a_call_gives() {
        let names = |class: &str| (class.to_owned(), vec![vec![Text::from(class)]]);
        let maker = ChartedOperation {
            inputs: Vec::new(),
            has_receiver: false,
            gives: Some(0),
            usable: Usable::Anywhere,
            pool: 0,
            under_test: true,
            naming: None,
        };
        let shop = ChartedType {
            descriptor: "LShop;".to_owned(),
            makers: vec![0],
            givers: Vec::new(),
            takes_strings: false,
            takes_boxes: Vec::new(),
            sort: TypeSort::Plain,
            private_makers: Vec::new(),
            mock: None,
        };
        let known = ["LShop;", STRING, "Ljava/lang/Character;"];
        let chart = Chart {
            operations: vec![maker],
            types: vec![shop],
            names: known.into_iter().map(names).collect(),
            boxing: 1,
            ..Chart::default()
        };
        let operate = |operation| Statement::Operate { operation, inputs: 1 };
        let members = |statement| chart.members_of(&statement).map(|kinds| kinds[0][0].clone());
        let class = |class: &str| Statement::Literal(Literal::Class(class.to_owned()));
        assert_eq!(members(class("LShop;")), Some(Text::from("LShop;")));
        assert_eq!(members(class("I")), None);
        assert_eq!(members(Statement::Literal(Literal::String(Text::from("a")))), Some(Text::from(STRING)));
        assert_eq!(members(operate(0)), Some(Text::from("LShop;")));
        let boxing = chart.boxing_of('C').expect("chars have boxes");
        assert_eq!(members(operate(boxing)), Some(Text::from("Ljava/lang/Character;")));
        assert_eq!(members(operate(99)), None);
        assert_eq!(members(Statement::Literal(Literal::Null)), None);
    }
}
