//! A pool over one of the bundled subjects, and short names for what tests say about outcomes.

use jurat_classpath::jdk::Jdk;
use jurat_pool::{Pool, PoolConfig, Round};
use jurat_protocol::{Ending, Isolation, Operation, OperationKind, Outcome, Sequence, Value, Wants};
use jurat_testkit::machine;

/// A subject, its operations, and a pool that runs them.
pub(crate) struct Fixture {
    pub(crate) pool: Pool,
    _classes: tempfile::TempDir,
}

/// Runs a test on every JDK.
#[expect(clippy::print_stderr, reason = "a failing test says on which JDK it failed")]
pub(crate) fn on_every_jdk(test: impl Fn(&Jdk)) {
    for jdk in machine::jdks() {
        eprintln!("on {}", jdk.home.display());
        test(&jdk);
    }
}

impl Fixture {
    /// A pool over `subjects/<name>`, with settings changed by `adjust`.
    pub(crate) fn new(jdk: &Jdk, name: &str, adjust: impl FnOnce(&mut PoolConfig)) -> Self {
        let classes = machine::compile(jdk, &machine::repository(&format!("subjects/{name}/src")), &[]);
        let mut config = PoolConfig::new(env!("CARGO_BIN_EXE_jurat"), jdk.clone());
        config.workers = 1;
        config.class_path = vec![classes.path().to_owned()];
        adjust(&mut config);
        let pool = Pool::start(config).unwrap_or_else(|error| panic!("{error}"));
        Self { pool, _classes: classes }
    }

    /// Adds an operation written as `kind class.name descriptor`.
    pub(crate) fn operation(&mut self, kind: OperationKind, member: &str, descriptor: &str) -> u32 {
        let (class, name) = member.rsplit_once('.').expect("class.name");
        self.pool.add_operations([Operation::new(kind, class, name, descriptor)])
    }

    pub(crate) fn run(&mut self, sequences: Vec<Sequence>, wants: Wants) -> Vec<Outcome> {
        let round = Round { sequences, isolation: Isolation::Chunk, wants };
        self.pool.run(&round).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What the last statement of the only sequence made, as text.
    pub(crate) fn last(&mut self, sequence: Sequence) -> String {
        let outcome = self.run(vec![sequence], Wants::default()).remove(0);
        self.show(outcome.endings.last().expect("at least one statement"))
    }

    /// An ending as a short text.
    pub(crate) fn show(&self, ending: &Ending) -> String {
        match ending {
            Ending::Returned(value) => self.show_value(value),
            Ending::Threw(thrown) => {
                let class = self.pool.class_name(thrown.class);
                thrown.message.as_ref().map_or(class.to_owned(), |message| format!("{class}: {message:?}"))
            }
            other => format!("{other:?}"),
        }
    }

    fn show_value(&self, value: &Value) -> String {
        match value {
            Value::Primitive(primitive) => format!("{primitive:?}"),
            Value::Boxed(primitive) => format!("boxed {primitive:?}"),
            Value::String(text) => format!("{text:?}"),
            Value::Enum(class, name) => {
                format!("{}.{}", self.pool.class_name(*class), name.as_str().unwrap_or("?"))
            }
            Value::Object(object) => {
                let class = self.pool.class_name(object.class);
                object.length.map_or(class.to_owned(), |length| format!("{class} of {length}"))
            }
            other => format!("{other:?}"),
        }
    }
}
