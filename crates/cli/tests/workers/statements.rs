//! Every kind of statement, and what it reports.

use jurat_protocol::OperationKind::{
    Constructor, GetField, GetStatic, SetField, SetStatic, Special, Static, Virtual,
};
use jurat_protocol::{Literal, Primitive, Sequence, Statement, Var};

use crate::fixture::{Fixture, on_every_jdk};

const MEMBERS: &str = "statements/Members";

/// Checks what one operation of `Members`, applied to these literals, reports; `receiver` makes a `Members` first.
fn check(fixture: &mut Fixture, operation: u32, receiver: Option<u32>, literals: &[Literal], expected: &str) {
    let mut sequence = Sequence::default();
    let mut inputs: Vec<Var> = Vec::new();
    if let Some(constructor) = receiver {
        let (number, word) = (sequence.int(7), sequence.string("hello"));
        inputs.push(sequence.operate(constructor, &[number, word]));
    }
    for literal in literals {
        inputs.push(sequence.literal(literal.clone()));
    }
    sequence.operate(operation, &inputs);
    assert_eq!(fixture.last(sequence), expected);
}

fn text(text: &str) -> Literal {
    Literal::String(text.into())
}

fn primitive(value: Primitive) -> Literal {
    Literal::Primitive(value)
}

#[test]
fn operations_of_every_kind_give_their_values() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |_| {});
        let mut operation = |kind, name: &str, descriptor: &str| {
            fixture.operation(kind, &format!("{MEMBERS}.{name}"), descriptor)
        };
        let new = operation(Constructor, "<init>", "(ILjava/lang/String;)V");
        let add = operation(Static, "add", "(BSCIJ)J");
        let mix = operation(Static, "mix", "(FDZ)D");
        let word = operation(Virtual, "word", "()Ljava/lang/String;");
        let whisper = operation(Virtual, "whisper", "(Ljava/lang/String;)Ljava/lang/String;");
        let size = operation(Virtual, "size", "()Lstatements/Members$Size;");
        let boxed = operation(Virtual, "boxed", "()Ljava/lang/Integer;");
        let itself = operation(Virtual, "self", "()Lstatements/Members;");
        let fail = operation(Virtual, "fail", "(Ljava/lang/String;)V");
        let class = operation(Virtual, "type", "()Ljava/lang/Class;");
        let get_word = operation(GetField, "word", "Ljava/lang/String;");
        let set_number = operation(SetField, "number", "I");
        let get_secret = operation(GetStatic, "secret", "Ljava/lang/String;");
        let set_secret = operation(SetStatic, "secret", "Ljava/lang/String;");
        let missing = operation(Virtual, "nothing", "()V");
        let to_string = fixture.operation(Virtual, "java/lang/Object.toString", "()Ljava/lang/String;");
        let to_string_special =
            fixture.operation(Special, "java/lang/Object.toString", "()Ljava/lang/String;");
        let abs = fixture.operation(Static, "java/lang/Math.abs", "(I)I");

        let f = &mut fixture;
        check(f, abs, None, &[primitive(Primitive::Int(-3))], "Int(3)");
        let numbers = [
            Primitive::Byte(-1),
            Primitive::Short(-2),
            Primitive::Char(65535),
            Primitive::Int(i32::MIN),
            Primitive::Long(1 << 40),
        ];
        check(f, add, None, &numbers.map(primitive), "Long(1097364209660)");
        let floats = [Primitive::float(1.5), Primitive::double(2.25), Primitive::Boolean(true)];
        check(f, mix, None, &floats.map(primitive), &format!("{:?}", Primitive::double(-3.75)));
        check(f, new, None, &[primitive(Primitive::Int(1)), Literal::Null], "statements.Members");
        check(f, word, Some(new), &[], "\"hello\"");
        check(f, whisper, Some(new), &[text("you")], "\"hello to you\"");
        check(f, size, Some(new), &[], "statements.Members$Size.SMALL");
        check(f, boxed, Some(new), &[], "boxed Int(7)");
        check(f, itself, Some(new), &[], "statements.Members");
        check(f, fail, Some(new), &[text("oh no")], "java.lang.IllegalStateException: \"oh no\"");
        check(f, class, Some(new), &[], "Class(\"statements.Members\")");
        check(f, get_word, Some(new), &[], "\"hello\"");
        check(f, set_number, Some(new), &[primitive(Primitive::Int(3))], "Void");
        check(f, get_secret, None, &[], "\"static secret\"");
        check(f, set_secret, None, &[Literal::Null], "Void");
        check(f, to_string, Some(new), &[], "\"overridden hello\"");
        check(f, to_string_special, Some(new), &[], "\"statements.Members@1\"");
        check(f, word, None, &[Literal::Null], "java.lang.NullPointerException");
        check(f, word, None, &[text("not a Members")], "Misfit(0)");
        check(f, abs, None, &[text("not an int")], "Misfit(0)");
        check(f, missing, Some(new), &[], "java.lang.NoSuchMethodError: \"nothing\"");
    });
}

#[test]
fn arrays_are_made_read_and_written() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |_| {});
        let new = fixture.operation(Constructor, "statements/Members.<init>", "(ILjava/lang/String;)V");
        let grid = fixture.operation(Virtual, "statements/Members.grid", "([I)[[I");

        let mut sequence = Sequence::default();
        let (one, two, word) = (sequence.int(1), sequence.int(2), sequence.string("w"));
        let row = sequence.array("I", &[one, two]);
        let members = sequence.operate(new, &[two, word]);
        let rows = sequence.operate(grid, &[members, row]);
        sequence.push(Statement::ArrayGet, &[rows, one]);
        assert_eq!(fixture.last(sequence.clone()), "[I of 1");

        sequence.push(Statement::ArraySet, &[row, one, one]);
        let same = sequence.push(Statement::ArrayGet, &[row, one]);
        assert_eq!(fixture.last(sequence.clone()), "Int(1)");
        sequence.push(Statement::ArrayLength, &[rows]);
        assert_eq!(fixture.last(sequence.clone()), "Int(2)");
        let mut far = sequence.clone();
        far.push(Statement::ArrayGet, &[row, two]);
        assert!(fixture.last(far).starts_with("java.lang.ArrayIndexOutOfBoundsException"));
        let mut wrong = sequence.clone();
        wrong.array("Lstatements/Members;", &[word]);
        assert!(fixture.last(wrong).starts_with("java.lang.ArrayStoreException"));
        sequence.push(Statement::ArrayGet, &[same, one]);
        assert_eq!(fixture.last(sequence), "Misfit(0)");
    });
}

#[test]
fn equal_string_literals_are_the_same_object() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |_| {});
        let hash =
            fixture.operation(Static, "java/util/Objects.equals", "(Ljava/lang/Object;Ljava/lang/Object;)Z");
        let map = fixture.operation(Constructor, "java/util/IdentityHashMap.<init>", "()V");
        let put = fixture.operation(
            Virtual,
            "java/util/IdentityHashMap.put",
            "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
        );
        let size = fixture.operation(Virtual, "java/util/IdentityHashMap.size", "()I");
        let mut sequence = Sequence::default();
        let (first, second) = (sequence.string("\u{1f600} twice"), sequence.string("\u{1f600} twice"));
        sequence.operate(hash, &[first, second]);
        let map = sequence.operate(map, &[]);
        sequence.operate(put, &[map, first, first]);
        sequence.operate(put, &[map, second, second]);
        sequence.operate(size, &[map]);
        assert_eq!(fixture.last(sequence), "Int(1)");
    });
}
