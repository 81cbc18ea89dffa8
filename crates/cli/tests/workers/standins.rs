//! Mocks, lambdas, and methods that ask who calls them.

use jurat_protocol::OperationKind::{Static, Virtual};
use jurat_protocol::{
    Answer, Ending, Literal, Mock, MockAnswers, Operation, Primitive, Sequence, Value, Var, Wants,
};

use crate::fixture::{Fixture, on_every_jdk};

fn mock(class: &str, keep_bodies: bool, answers: &[(&str, &str, &[Answer])]) -> Mock {
    let answers = answers.iter().map(|(name, descriptor, answers)| MockAnswers {
        name: (*name).to_owned(),
        descriptor: (*descriptor).to_owned(),
        answers: answers.to_vec(),
    });
    Mock { class: class.to_owned(), keep_bodies, answers: answers.collect() }
}

fn lambda(class: &str, answers: &[Answer]) -> Mock {
    mock(class, true, &[("", "", answers)])
}

#[test]
fn a_mock_of_an_abstract_class_answers_as_told_and_reports_what_it_was_asked() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |_| {});
        let ask =
            fixture.operation(Static, "statements/Shape$Asker.ask", "(Lstatements/Shape;)Ljava/lang/String;");
        let mut sequence = Sequence::default();
        let area = sequence.literal(Literal::Primitive(Primitive::double(2.5)));
        let other = sequence.literal(Literal::Primitive(Primitive::double(-1.0)));
        let shape = sequence.mock(mock(
            "statements/Shape",
            false,
            &[("area", "(I)D", &[Answer::Value(area), Answer::Value(other)])],
        ));
        sequence.operate(ask, &[shape]);
        let outcome = fixture.run(vec![sequence], Wants::default()).remove(0);
        assert_eq!(fixture.show(&outcome.endings[2]), "statements.Shape$JuratMock");
        assert_eq!(fixture.show(&outcome.endings[3]), "\"null null 2.5 -1.0 false\"");
        let asked: Vec<_> =
            outcome.asked.iter().map(|asked| (asked.mock, asked.name.as_str(), asked.planned)).collect();
        let expected = [("name", false), ("describe", false), ("area", true), ("area", true)];
        assert_eq!(asked, expected.map(|(name, planned)| (Var(2), name, planned)));
        assert!(outcome.asked.iter().all(|asked| asked.during == 3), "{:?}", outcome.asked);
        let arguments = [Value::String("x".into()), Value::Primitive(Primitive::Long(3))];
        assert_eq!(outcome.asked[1].arguments, arguments);
    });
}

#[test]
fn mocks_are_told_apart_by_identity() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |_| {});
        let descriptor = "(Lstatements/Shape;Lstatements/Shape;)Ljava/lang/String;";
        let same = fixture.operation(Static, "statements/Shape$Asker.same", descriptor);
        let mut sequence = Sequence::default();
        let left = sequence.mock(mock("statements/Shape", false, &[]));
        let right = sequence.mock(mock("statements/Shape", false, &[]));
        sequence.operate(same, &[left, right]);
        assert_eq!(fixture.last(sequence), "\"true false a mock\"");
    });
}

#[test]
fn a_mock_that_outlives_its_sequence_answers_with_zeros_and_is_nobodys() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |_| {});
        let ask = fixture.operation(
            Static,
            "statements/Shape$Asker.askFirst",
            "(Lstatements/Shape$Sorts;)Ljava/lang/String;",
        );
        let sequence = |whole: i32, text: &str| {
            let mut sequence = Sequence::default();
            let (whole, text) = (sequence.int(whole), sequence.string(text));
            let answers: [(&str, &str, &[Answer]); 2] = [
                ("whole", "()I", &[Answer::Value(whole)]),
                ("text", "()Ljava/lang/String;", &[Answer::Value(text)]),
            ];
            let sorts = sequence.mock(mock("statements/Shape$Sorts", false, &answers));
            sequence.operate(ask, &[sorts]);
            sequence
        };
        let outcomes = fixture.run(vec![sequence(7, "first"), sequence(8, "second")], Wants::default());
        assert_eq!(fixture.show(&outcomes[0].endings[3]), "\"false 0 0 0 7 0 0.0 0.0 first 7\"");
        assert_eq!(fixture.show(&outcomes[1].endings[3]), "\"false 0 0 0 0 0 0.0 0.0 null 8\"");
        let asked: Vec<&str> = outcomes[1].asked.iter().map(|asked| asked.name.as_str()).collect();
        assert_eq!(asked, ["whole"]);
    });
}

#[test]
fn a_mock_is_asked_for_its_copy_as_for_anything_else() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |_| {});
        let copies = fixture.operation(
            Static,
            "statements/Shape$Asker.copies",
            "(Lstatements/Shape$Copied;Lstatements/Shape$Sheep;)Ljava/lang/String;",
        );
        let mut sequence = Sequence::default();
        let copy = sequence.string("copy");
        let planned: [(&str, &str, &[Answer]); 1] =
            [("clone", "()Ljava/lang/Object;", &[Answer::Value(copy)])];
        let copied = sequence.mock(mock("statements/Shape$Copied", false, &planned));
        let sheep = sequence.mock(mock("statements/Shape$Sheep", false, &[]));
        sequence.operate(copies, &[copied, sheep]);
        let outcome = fixture.run(vec![sequence], Wants::default()).remove(0);
        assert_eq!(fixture.show(&outcome.endings[3]), "\"copy null\"");
        let asked: Vec<_> = outcome.asked.iter().map(|asked| (asked.mock, asked.planned)).collect();
        assert_eq!(asked, [(copied, true), (sheep, false)]);
    });
}

#[test]
fn what_nobody_planned_is_noticed_however_much_was_asked_before() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |_| {});
        let ask = fixture.operation(
            Static,
            "statements/Shape$Asker.askOften",
            "(Lstatements/Shape$Sorts;I)Ljava/lang/String;",
        );
        let mut sequence = Sequence::default();
        let (whole, times) = (sequence.int(2), sequence.int(300));
        let answers: [(&str, &str, &[Answer]); 1] = [("whole", "()I", &[Answer::Value(whole)])];
        let sorts = sequence.mock(mock("statements/Shape$Sorts", false, &answers));
        sequence.operate(ask, &[sorts, times]);
        let outcome = fixture.run(vec![sequence], Wants::default()).remove(0);
        assert_eq!(fixture.show(&outcome.endings[3]), "\"600 null\"");
        let unplanned = outcome.asked.iter().filter(|asked| !asked.planned);
        assert_eq!(unplanned.map(|asked| asked.name.as_str()).collect::<Vec<_>>(), ["text"]);
        assert!(outcome.asked.len() < 300, "{}", outcome.asked.len());
    });
}

#[test]
fn lambdas_answer_echo_and_throw_and_keep_default_methods() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |_| {});
        let mut operation = |name: &str, descriptor: &str| {
            fixture.operation(Static, &format!("statements/Shape$Asker.{name}"), descriptor)
        };
        let visit = operation("visit", "(Lstatements/Shape$Visitor;)I");
        let apply = operation("apply", "(Ljava/util/function/Function;Ljava/lang/Object;)Ljava/lang/Object;");
        let compare = operation("compare", "(Ljava/util/Comparator;)I");
        let combine = operation("combine", "(Ljava/util/function/BiFunction;)I");

        let mut sequence = Sequence::default();
        let seven = sequence.int(7);
        let visitor = sequence.mock(lambda("statements/Shape$Visitor", &[Answer::Value(seven)]));
        sequence.operate(visit, &[visitor]);
        assert_eq!(fixture.last(sequence), "Int(14)");

        let mut sequence = Sequence::default();
        let word = sequence.string("same");
        let function = sequence.mock(lambda("java/util/function/Function", &[Answer::Argument(0)]));
        sequence.operate(apply, &[function, word]);
        assert_eq!(fixture.last(sequence), "\"same\"");

        let mut sequence = Sequence::default();
        let minus = sequence.int(-1);
        let comparator = sequence.mock(lambda("java/util/Comparator", &[Answer::Value(minus)]));
        sequence.operate(compare, &[comparator]);
        assert_eq!(fixture.last(sequence), "Int(-1)");

        let mut sequence = Sequence::default();
        let function = sequence.mock(lambda("java/util/function/BiFunction", &[Answer::Argument(1)]));
        sequence.operate(combine, &[function]);
        assert_eq!(fixture.last(sequence), "Int(4)");

        let new = fixture.operation(
            jurat_protocol::OperationKind::Constructor,
            "java/lang/IllegalStateException.<init>",
            "(Ljava/lang/String;)V",
        );
        let mut sequence = Sequence::default();
        let message = sequence.string("no");
        let exception = sequence.operate(new, &[message]);
        let visitor = sequence.mock(lambda("statements/Shape$Visitor", &[Answer::Throw(exception)]));
        sequence.operate(visit, &[visitor]);
        assert_eq!(fixture.last(sequence), "java.lang.IllegalStateException: \"no\"");
    });
}

#[test]
fn what_cannot_be_mocked_says_why() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |_| {});
        let mut run = |mock: Mock| {
            let mut sequence = Sequence::default();
            sequence.string("a");
            sequence.mock(mock);
            fixture.run(vec![sequence], Wants::default()).remove(0).endings.remove(1)
        };
        assert!(matches!(run(lambda("java/lang/String", &[])), Ending::Unresolved(_)));
        assert!(matches!(run(lambda("java/util/List", &[])), Ending::Unresolved(_)));
        assert!(matches!(run(lambda("statements/Members$Size", &[])), Ending::Unresolved(_)));
        assert!(matches!(
            run(mock("statements/Shape", false, &[("nothing", "()V", &[])])),
            Ending::Unresolved(_)
        ));
        let wrong = [("area", "(I)D", &[Answer::Value(Var(0))][..])];
        assert_eq!(run(mock("statements/Shape", false, &wrong)), Ending::Misfit(0));
    });
}

#[test]
fn caller_sensitive_methods_see_a_caller_from_the_subjects_loader() {
    on_every_jdk(|jdk| {
        let mut fixture = Fixture::new(jdk, "statements", |_| {});
        let descriptor = "(Ljava/lang/String;)Ljava/util/ResourceBundle;";
        let mut get = Operation::new(Static, "java/util/ResourceBundle", "getBundle", descriptor);
        get.caller_sensitive = true;
        let get = fixture.pool.add_operations([get]);
        let word = fixture.operation(
            Virtual,
            "java/util/ResourceBundle.getString",
            "(Ljava/lang/String;)Ljava/lang/String;",
        );
        let mut sequence = Sequence::default();
        let name = sequence.string("statements.Words");
        let bundle = sequence.operate(get, &[name]);
        let key = sequence.string("greeting");
        sequence.operate(word, &[bundle, key]);
        assert_eq!(fixture.last(sequence), "\"hello\"");
    });
}
