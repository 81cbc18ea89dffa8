//! How tests are run: the sequences, and the operations they are made of.

use std::collections::BTreeMap;

use jurat_protocol::OperationKind::{Constructor, Static, Virtual};
use jurat_protocol::{Literal, Operation, OperationKind, Sequence, Var};

use super::junit::{JUnitTest, TestName};

/// A method: its class, name and descriptor.
type Member = (String, String, String);

/// How one test is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Its methods are called.
    Direct(Calls),
    /// By the JUnit Platform, chosen by its method.
    Launcher {
        /// The types of the method's parameters.
        parameters: Vec<String>,
    },
    /// By JUnit 4, chosen by its method.
    Core,
    /// By JUnit 4, with all others of its class.
    CoreClass,
}

/// What is called for a test, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    class: String,
    pub(crate) before_all: Vec<Member>,
    pub(crate) before_each: Vec<Member>,
    test: Option<Member>,
    pub(crate) after_each: Vec<Member>,
    pub(crate) after_all: Vec<Member>,
}

impl Calls {
    pub(crate) fn new(class: &str) -> Self {
        Self { class: class.to_owned(), ..Self::default() }
    }

    /// The same around a test.
    pub(crate) fn with(&self, name: &str, descriptor: &str) -> Self {
        let test = Some((self.class.clone(), name.to_owned(), descriptor.to_owned()));
        Self { test, ..self.clone() }
    }
}

/// The sequences of one test.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sequences {
    /// What is run with mutants.
    pub(crate) trial: Sequence,
    /// The statement whose value is the number of failures; none if a failure is an exception.
    pub(crate) failures: Option<Var>,
    /// The same, and then a text about the failures. The last statement gives the text.
    pub(crate) explained: Option<Sequence>,
}

/// Writes tests as sequences, and collects the operations they use.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) operations: Vec<Operation>,
    numbers: BTreeMap<Operation, u32>,
}

impl Writer {
    pub(crate) fn write(&mut self, test: &JUnitTest) -> Sequences {
        match &test.way {
            Way::Direct(calls) => self.direct(calls),
            Way::Launcher { parameters } => self.launcher(&test.name, parameters),
            Way::Core => self.core(&test.name, true),
            Way::CoreClass => self.core(&test.name, false),
        }
    }

    fn operation(&mut self, kind: OperationKind, class: &str, name: &str, descriptor: &str) -> u32 {
        let operation = Operation::new(kind, class, name, descriptor);
        let next = u32::try_from(self.operations.len()).expect("fewer than 2^32 operations");
        *self.numbers.entry(operation.clone()).or_insert_with(|| {
            self.operations.push(operation);
            next
        })
    }

    fn call(
        &mut self,
        sequence: &mut Sequence,
        kind: OperationKind,
        (class, name, descriptor): (&str, &str, &str),
        inputs: &[Var],
    ) -> Var {
        let operation = self.operation(kind, class, name, descriptor);
        sequence.operate(operation, inputs)
    }

    fn direct(&mut self, calls: &Calls) -> Sequences {
        let mut sequence = Sequence::default();
        let sort = |member: &Member| (member.0.clone(), member.1.clone(), member.2.clone());
        for member in &calls.before_all {
            let (class, name, descriptor) = sort(member);
            self.call(&mut sequence, Static, (&class, &name, &descriptor), &[]);
        }
        let object = self.call(&mut sequence, Constructor, (&calls.class, "<init>", "()V"), &[]);
        for member in calls.before_each.iter().chain(&calls.test) {
            let (class, name, descriptor) = sort(member);
            self.call(&mut sequence, Virtual, (&class, &name, &descriptor), &[object]);
        }
        // What comes after a test runs whatever the test did.
        for member in &calls.after_each {
            let (class, name, descriptor) = sort(member);
            self.call(&mut sequence, Virtual, (&class, &name, &descriptor), &[object]);
        }
        for member in &calls.after_all {
            let (class, name, descriptor) = sort(member);
            self.call(&mut sequence, Static, (&class, &name, &descriptor), &[]);
        }
        let after = calls.after_each.len() + calls.after_all.len();
        sequence.observe_last(u32::try_from(after).expect("few methods"));
        Sequences { trial: sequence, failures: None, explained: None }
    }

    fn launcher(&mut self, name: &TestName, parameters: &[String]) -> Sequences {
        const BUILDER: &str = "org/junit/platform/launcher/core/LauncherDiscoveryRequestBuilder";
        const SELECTOR: &str = "Lorg/junit/platform/engine/DiscoverySelector;";
        const LISTENER: &str = "org/junit/platform/launcher/listeners/SummaryGeneratingListener";
        const SUMMARY: &str = "org/junit/platform/launcher/listeners/TestExecutionSummary";
        const EXECUTE: &str = "(Lorg/junit/platform/launcher/LauncherDiscoveryRequest;\
            [Lorg/junit/platform/launcher/TestExecutionListener;)V";
        const CREATE: &str = "()Lorg/junit/platform/launcher/Launcher;";
        const SELECT: &str = "(Ljava/lang/String;)Lorg/junit/platform/engine/discovery/MethodSelector;";
        let mut sequence = Sequence::default();
        let to = &mut sequence;
        let factory = "org/junit/platform/launcher/core/LauncherFactory";
        let launcher = self.call(to, Static, (factory, "create", CREATE), &[]);
        let builder = self.call(to, Static, (BUILDER, "request", &format!("()L{BUILDER};")), &[]);
        let method = to.string(&format!("{}#{}({})", name.class, name.method, parameters.join(", ")));
        let selectors = "org/junit/platform/engine/discovery/DiscoverySelectors";
        let selector = self.call(to, Static, (selectors, "selectMethod", SELECT), &[method]);
        let selectors = to.array(SELECTOR, &[selector]);
        let select = format!("([{SELECTOR})L{BUILDER};");
        self.call(to, Virtual, (BUILDER, "selectors", &select), &[builder, selectors]);
        let build = "()Lorg/junit/platform/launcher/LauncherDiscoveryRequest;";
        let request = self.call(to, Virtual, (BUILDER, "build", build), &[builder]);
        let listener = self.call(to, Constructor, (LISTENER, "<init>", "()V"), &[]);
        let listeners = to.array("Lorg/junit/platform/launcher/TestExecutionListener;", &[listener]);
        let launcher_class = "org/junit/platform/launcher/Launcher";
        self.call(to, Virtual, (launcher_class, "execute", EXECUTE), &[launcher, request, listeners]);
        let summary =
            self.call(to, Virtual, (LISTENER, "getSummary", &format!("()L{SUMMARY};")), &[listener]);
        let failures = self.call(to, Virtual, (SUMMARY, "getTotalFailureCount", "()J"), &[summary]);
        let mut explained = sequence.clone();
        let to = &mut explained;
        self.call(to, Virtual, (SUMMARY, "getTestsSucceededCount", "()J"), &[summary]);
        let text = self.call(to, Constructor, ("java/io/StringWriter", "<init>", "()V"), &[]);
        let writer =
            self.call(to, Constructor, ("java/io/PrintWriter", "<init>", "(Ljava/io/Writer;)V"), &[text]);
        self.call(to, Virtual, (SUMMARY, "printFailuresTo", "(Ljava/io/PrintWriter;)V"), &[summary, writer]);
        self.call(to, Virtual, ("java/lang/Object", "toString", "()Ljava/lang/String;"), &[text]);
        Sequences { trial: sequence, failures: Some(failures), explained: Some(explained) }
    }

    fn core(&mut self, name: &TestName, one: bool) -> Sequences {
        const REQUEST: &str = "org/junit/runner/Request";
        const CORE: &str = "org/junit/runner/JUnitCore";
        const RESULT: &str = "org/junit/runner/Result";
        let mut sequence = Sequence::default();
        let to = &mut sequence;
        let class = to.literal(Literal::Class(format!("L{};", name.class.replace('.', "/"))));
        let request = if one {
            let method = to.string(&name.method);
            let descriptor = format!("(Ljava/lang/Class;Ljava/lang/String;)L{REQUEST};");
            self.call(to, Static, (REQUEST, "method", &descriptor), &[class, method])
        } else {
            let descriptor = format!("(Ljava/lang/Class;)L{REQUEST};");
            self.call(to, Static, (REQUEST, "aClass", &descriptor), &[class])
        };
        let core = self.call(to, Constructor, (CORE, "<init>", "()V"), &[]);
        let run = format!("(L{REQUEST};)L{RESULT};");
        let result = self.call(to, Virtual, (CORE, "run", &run), &[core, request]);
        let failures = self.call(to, Virtual, (RESULT, "getFailureCount", "()I"), &[result]);
        let mut explained = sequence.clone();
        let to = &mut explained;
        self.call(to, Virtual, (RESULT, "getRunCount", "()I"), &[result]);
        let list = self.call(to, Virtual, (RESULT, "getFailures", "()Ljava/util/List;"), &[result]);
        self.call(to, Virtual, ("java/lang/Object", "toString", "()Ljava/lang/String;"), &[list]);
        Sequences { trial: sequence, failures: Some(failures), explained: Some(explained) }
    }
}
