//! What calls say so that the compiler understands them as they were made.

use std::sync::Arc;

use jurat_emit::{EmitOptions, Junit, emit};
use jurat_model::{
    Action, Check, ClassSuite, Demand, Instance, JavaType, Literal, Observed, OpId, SequenceBuilder, Subject,
    Suite, Test, Var,
};
use jurat_testkit::{operation, subject, ty};

/// The text of a test that ends with a call on these inputs, whose types they are; `null` where a type ends with `!`.
fn written(subject: &Subject, class: &str, member: &str, inputs: &[&str]) -> String {
    let op = operation(subject, class, member);
    let types: Vec<JavaType> = inputs.iter().map(|text| ty(subject, text.trim_end_matches('!'))).collect();
    let given: Vec<Option<JavaType>> = types.iter().cloned().map(Some).collect();
    let demand = Demand { inputs: &given, package: Some("app"), ..Demand::default() };
    let instance = subject.instantiate(op, &demand).or_else(|| subject.erased(op, None)).expect("it fits");
    let mut builder = SequenceBuilder::default();
    let vars: Vec<Var> =
        inputs.iter().zip(types).map(|(text, ty)| value(subject, &mut builder, text, ty)).collect();
    let result = instance.result.clone();
    builder.push(Action::Call { instance: Arc::new(instance), inputs: vars }, result);
    emitted(subject, op, builder)
}

/// The text of a test that shows an operation.
fn emitted(subject: &Subject, focus: OpId, builder: SequenceBuilder) -> String {
    checked(subject, focus, builder, Vec::new())
}

/// The text of a test that shows an operation and checks something.
fn checked(subject: &Subject, focus: OpId, builder: SequenceBuilder, checks: Vec<Check>) -> String {
    let test = Test { sequence: builder.build(), focus, checks, thrown: None };
    let class = subject[focus].owner;
    let suite = Suite { classes: vec![ClassSuite { class, tests: vec![test] }] };
    let emitted = emit(subject, &suite, &EmitOptions { junit: Junit::Five, ..EmitOptions::default() });
    emitted.files.first().map(|file| file.text.clone()).unwrap_or_default()
}

fn value(subject: &Subject, builder: &mut SequenceBuilder, text: &str, ty: JavaType) -> Var {
    if text.ends_with('!') {
        return builder.push(Action::Literal(Literal::Null), ty);
    }
    let maker = operation(subject, "Makers", "any");
    let instance = Instance { result: ty.clone(), ..subject.erased(maker, None).expect("it is plain") };
    let made = builder.push(Action::Call { instance: Arc::new(instance), inputs: Vec::new() }, ty.clone());
    builder.push(Action::Cast { value: made }, ty)
}

#[test]
fn a_null_is_cast_where_only_type_arguments_tell_overloads_apart() {
    let subject = subject(
        "package app; class Maps { static <K, V> void fill(Map<K, V> map, Maker<? extends V> maker);
           static <K, V> void fill(Map<K, V> map, V value); }
         class Maker<T> { }",
    );
    let text = written(&subject, "Maps", "fill", &["Map<String, String>!", "Maker<String>!"]);
    assert!(text.contains("(Map<String, String>) null"), "{text}");
}

#[test]
fn a_box_that_is_given_only_because_it_is_wanted_is_asked_for_by_name() {
    let subject = subject("package app; class Store { static <T> T read(); static <T> T same(T value); }");
    let write = |member: &str, inputs: &[Literal], wanted: &str| {
        let op = operation(&subject, "Store", member);
        let ty = ty(&subject, wanted);
        let mut builder = SequenceBuilder::default();
        let inputs: Vec<Var> =
            inputs.iter().map(|literal| builder.push(Action::Literal(literal.clone()), ty.clone())).collect();
        let given = vec![Some(ty.clone()); inputs.len()];
        let demand = Demand { inputs: &given, result: Some(&ty), package: Some("app"), ..Demand::default() };
        let instance = subject.instantiate(op, &demand).expect("it fits");
        let var = builder.push(Action::Call { instance: Arc::new(instance), inputs }, ty);
        let expected = Observed::Literal(Literal::Int(7));
        checked(&subject, op, builder, vec![Check::Result { var, expected }])
    };
    let text = write("read", &[], "Integer");
    assert!(text.contains("assertEquals(7, Store.<Integer>read())"), "{text}");
    let text = write("same", &[Literal::Int(7)], "Integer");
    assert!(text.contains("assertEquals(7, Store.same(7))"), "{text}");
    let text = write("read", &[], "Object");
    assert!(text.contains("assertEquals(7, Store.<Object>read())"), "the compiler has the choice: {text}");
    let text = write("read", &[], "Store");
    assert!(text.contains("Store.read()"), "no box is one: {text}");
}

#[test]
fn a_raw_argument_for_a_bounded_wildcard_is_an_unchecked_one() {
    let subject = subject(
        "package app; class Makers { static Object any(); }
         class Copies { static <E> void copy(Iterable<? extends E> all); static void count(Iterable<?> all); }",
    );
    assert!(written(&subject, "Copies", "copy", &["Collection"]).contains("\"unchecked\""));
    assert!(!written(&subject, "Copies", "count", &["Collection"]).contains("\"unchecked\""));
}

#[test]
fn a_constant_of_a_type_without_a_name_here_gets_a_variable() {
    let subject = subject(
        "package app; interface Rule { boolean holds(); }
         class Rules { static final Rules.Hidden ALL; private static class Hidden implements Rule { } }",
    );
    let (all, holds) = (operation(&subject, "Rules", "ALL"), operation(&subject, "Rule", "holds"));
    let rule = ty(&subject, "Rule");
    let demand = Demand { receiver: Some(&rule), ..Demand::default() };
    let instances = [(all, Demand::default()), (holds, demand)]
        .map(|(op, demand)| Arc::new(subject.instantiate(op, &demand).expect("it fits")));
    let [get, call] = instances;
    let mut builder = SequenceBuilder::default();
    let constant = builder.push(Action::Call { instance: get, inputs: Vec::new() }, rule);
    let result = call.result.clone();
    builder.push(Action::Call { instance: call, inputs: vec![constant] }, result);
    let text = emitted(&subject, holds, builder);
    assert!(text.contains("Rule rule = Rules.ALL;"), "{text}");
}

#[test]
fn values_of_several_types_for_one_type_variable_are_put_into_an_array() {
    let subject = subject("package app; class Orders { static <T> void explicit(T... all); }");
    let explicit = operation(&subject, "Orders", "explicit");
    let write = |component: &str, literals: [Literal; 2]| {
        let array = JavaType::array_of(ty(&subject, component));
        let mut builder = SequenceBuilder::default();
        let elements = literals
            .map(|literal| {
                let boxed = if matches!(literal, Literal::Int(_)) { "Integer" } else { "String" };
                builder.push(Action::Literal(literal), ty(&subject, boxed))
            })
            .to_vec();
        let given = [Some(array.clone())];
        let all = builder.push(Action::Array { elements }, array);
        let demand = Demand { inputs: &given, package: Some("app"), ..Demand::default() };
        let instance = Arc::new(subject.instantiate(explicit, &demand).expect("it fits"));
        builder.push(Action::Call { instance, inputs: vec![all] }, JavaType::Void);
        emitted(&subject, explicit, builder)
    };
    let text = || Literal::String(jurat_model::JavaString::from_units([97]));
    assert!(write("Object", [text(), Literal::Int(1)]).contains("explicit(new Object[] {\"a\", 1})"));
    assert!(write("String", [text(), text()]).contains("explicit(\"a\", \"a\")"));
}

#[test]
fn a_lambda_gets_a_variable_where_less_is_wanted_than_it_is() {
    let subject = subject(
        "package app; interface Source<T> { T next(); }
         class Reader { static void read(Source<? extends Object> source); }",
    );
    let read = operation(&subject, "Reader", "read");
    let write = |source: &str| {
        let mut builder = SequenceBuilder::default();
        let null = builder.push(Action::Literal(Literal::Null), ty(&subject, "String"));
        let body = jurat_model::LambdaBody::Gives(Some(null));
        let lambda = builder.push(Action::Lambda(body), ty(&subject, source));
        let instance = Arc::new(subject.instantiate(read, &Demand::default()).expect("it fits"));
        builder.push(Action::Call { instance, inputs: vec![lambda] }, JavaType::Void);
        emitted(&subject, read, builder)
    };
    assert!(write("Source<Object>").contains("Reader.read(() -> null)"));
    assert!(write("Source<String>").contains("Source<String> source = () -> null;"));
}

#[test]
fn a_class_beside_another_in_one_source_file_is_named_without_a_warning() {
    let subject = subject(
        "package app; class Main { static void take(Beside beside); static void take(Main main);
           static void run(); }
         auxiliary class Beside { static void help(); static class Inner { static void act(); } }",
    );
    let silenced = "@SuppressWarnings(\"auxiliaryclass\")";
    let text = written(&subject, "Main", "take", &["Beside!"]);
    assert!(text.contains(silenced), "{text}");
    let text = written(&subject, "Main", "run", &[]);
    assert!(!text.contains(silenced), "{text}");
    for (class, member) in [("Beside", "help"), ("Inner", "act")] {
        let text = written(&subject, class, member, &[]);
        assert_eq!(text.matches(silenced).count(), 1, "once is enough: {text}");
        assert!(text.contains(&format!("\n{silenced}\nclass ")), "for all tests: {text}");
    }
}
