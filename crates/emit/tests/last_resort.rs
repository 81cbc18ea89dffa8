//! How tests with private access and with mocks read: all of a file, for JUnit 5 and for JUnit 4.

use std::sync::Arc;

use jurat_emit::{EmitOptions, Junit, emit};
use jurat_model::{
    Action, Answer, Check, ClassSuite, Demand, JavaType, Literal, Observed, Sequence, SequenceBuilder,
    Subject, Suite, Test, Thrown, Var,
};
use jurat_testkit::{operation, subject, ty};

fn classes() -> Subject {
    subject(
        "package bank;
         interface Rates { int rate(String currency); boolean isOpen(); void close(); }
         class Account { private Account(int limit); private int fee(int amount, Rates rates); int convert(int amount, Rates rates);
           static Account open(); }
         class Refused extends Throwable { }",
    )
}

struct Writing<'s> {
    subject: &'s Subject,
    builder: SequenceBuilder,
}

impl Writing<'_> {
    fn literal(&mut self, literal: Literal, ty: JavaType) -> Var {
        self.builder.push(Action::Literal(literal), ty)
    }

    fn int(&mut self, value: i32) -> Var {
        self.literal(Literal::Int(value), JavaType::INT)
    }

    fn call(&mut self, class: &str, member: &str, inputs: &[Var]) -> Var {
        let op = operation(self.subject, class, member);
        let has_receiver = self.subject[op].receiver.is_some();
        let types: Vec<JavaType> = inputs.iter().map(|var| self.builder.type_of(*var).clone()).collect();
        let (receiver, args) = types.split_at(usize::from(has_receiver));
        let args: Vec<Option<JavaType>> = args.iter().cloned().map(Some).collect();
        let demand =
            Demand { receiver: receiver.first(), inputs: &args, package: Some("bank"), ..Demand::default() };
        let instance = self.subject.instantiate(op, &demand).expect("it fits");
        let ty = instance.result.clone();
        self.builder.push(Action::Call { instance: Arc::new(instance), inputs: inputs.to_vec() }, ty)
    }

    fn rates(&mut self) -> Var {
        let rate = operation(self.subject, "Rates", "rate");
        let is_open = operation(self.subject, "Rates", "isOpen");
        let (two, three) = (self.int(2), self.int(3));
        let open = self.literal(Literal::Boolean(true), JavaType::Primitive(jurat_model::Primitive::Boolean));
        let answers =
            vec![Answer { op: rate, values: vec![two, three] }, Answer { op: is_open, values: vec![open] }];
        self.builder.push(Action::Mock { answers }, ty(self.subject, "Rates"))
    }
}

fn result(sequence: &Sequence, value: i32) -> Check {
    let var = sequence.last().expect("it has statements");
    Check::Result { var, expected: Observed::Literal(Literal::Int(value)) }
}

/// A private constructor and method with a mock, a mock with an exception, a private method with an exception.
fn tests(subject: &Subject) -> Vec<Test> {
    let writing = || Writing { subject, builder: SequenceBuilder::default() };
    let test = |sequence: Sequence, checks: Vec<Check>, thrown: Option<Thrown>| {
        let focus = sequence.calls().last().expect("a call").1;
        Test { sequence, focus, checks, thrown }
    };
    let mut all = Vec::new();

    let mut written = writing();
    let limit = written.int(10);
    let account = written.call("Account", "new", &[limit]);
    let (amount, rates) = (written.int(100), written.rates());
    written.call("Account", "fee", &[account, amount, rates]);
    let sequence = written.builder.build();
    let checks = vec![result(&sequence, 5)];
    all.push(test(sequence, checks, None));

    let mut written = writing();
    let account = written.call("Account", "open", &[]);
    let (amount, rates) = (written.int(1), written.rates());
    written.call("Account", "convert", &[account, amount, rates]);
    let thrown = Some(Thrown { asserted: subject.classes().throwable() });
    all.push(test(written.builder.build(), Vec::new(), thrown));

    let mut written = writing();
    let account = written.call("Account", "open", &[]);
    let amount = written.int(1);
    let none = written.literal(Literal::Null, ty(subject, "Rates"));
    written.call("Account", "fee", &[account, amount, none]);
    let asserted = ty(subject, "Refused").class_id().expect("a class");
    all.push(test(written.builder.build(), Vec::new(), Some(Thrown { asserted })));
    all
}

fn emitted(junit: Junit) -> String {
    let subject = classes();
    let class = ty(&subject, "Account").class_id().expect("a class");
    let suite = Suite { classes: vec![ClassSuite { class, tests: tests(&subject) }] };
    let emitted = emit(&subject, &suite, &EmitOptions { junit, ..EmitOptions::default() });
    assert_eq!(emitted.left_out, []);
    let text = &emitted.files[0].text;
    // The first line holds a hash.
    text.split_once('\n').expect("it has lines").1.to_owned()
}

#[test]
fn private_members_and_mocks_read_well_in_junit_5() {
    assert_eq!(emitted(Junit::Five), include_str!("last_resort/junit5.java"));
}

#[test]
fn private_members_and_mocks_read_well_in_junit_4() {
    assert_eq!(emitted(Junit::Four), include_str!("last_resort/junit4.java"));
}

#[test]
fn overloads_of_a_mock_are_told_apart_by_casts_only_where_these_can_be_checked() {
    let subject = subject(
        "package bank;
         interface Store { int put(List<String> texts); int put(int from, int to); int take(String name); int take(int at); }
         class Shelf { static int fill(Store store); }",
    );
    let mut written = Writing { subject: &subject, builder: SequenceBuilder::default() };
    let one = written.int(1);
    let answer = |name: &str| Answer { op: operation(&subject, "Store", name), values: vec![one] };
    let answers = vec![answer("put"), answer("take")];
    let store = written.builder.push(Action::Mock { answers }, ty(&subject, "Store"));
    written.call("Shelf", "fill", &[store]);
    let sequence = written.builder.build();
    let focus = operation(&subject, "Shelf", "fill");
    let test = Test { checks: vec![result(&sequence, 5)], sequence, focus, thrown: None };
    let class = ty(&subject, "Shelf").class_id().expect("a class");
    let suite = Suite { classes: vec![ClassSuite { class, tests: vec![test] }] };
    let text = &emit(&subject, &suite, &EmitOptions::default()).files[0].text;
    let written = |line: &str| assert!(text.contains(line), "no `{line}` in {text}");
    written("doReturn(1).when(store).put(ArgumentMatchers.<List<String>>any());");
    written("doReturn(1).when(store).take((String) any());");
    written("import org.mockito.ArgumentMatchers;");
    assert!(!text.contains("SuppressWarnings"), "{text}");
}
