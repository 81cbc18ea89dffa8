//! Answers requests, one after the other, until the engine closes the pipe.

use jurat_protocol::frame::{self, FrameError};
use jurat_protocol::{
    Bare, Boot, Hello, Limits, Opened, PROTOCOL_VERSION, Reply, Request, Sequence, Session, Watch,
};

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use crate::classes::{Classes, Jdk};
use crate::enumerate::Enumeration;
use crate::epoch::Epoch;
use crate::execute::run_chunk;
use crate::jni::{Env, Ref};
use crate::jvm::Jvm;
use crate::pins::Pins;
use crate::probes::Probes;
use crate::random::Seeds;
use crate::roam::{Charted, run_roam};
use crate::start::{Pipes, silence};
use crate::table::Table;
use crate::{WorkerError, calls, clock, patch, threads, warm, watchdog, weave};

/// Room for recursion: as much as the threads have on which JUnit runs tests, for what needs more would fail there.
const SUBJECT_STACK: usize = 1 << 20;

/// Everything a worker knows.
pub(crate) struct Worker {
    pub(crate) jvm: Jvm,
    pub(crate) jdk: Arc<Jdk>,
    pub(crate) session: Session,
    /// The loader above those of the subject.
    pub(crate) parent: Ref,
    pub(crate) table: Table,
    /// Sequences of the last chunk, for their memory.
    spare: Vec<Sequence>,
    /// Where outcomes of the last chunk were put together, for its memory.
    pub(crate) outcomes: Vec<u8>,
    pub(crate) classes: Classes,
    /// The structures being enumerated, if any.
    pub(crate) enumeration: Option<Enumeration>,
    /// What roaming sessions may do, if they may.
    pub(crate) chart: Option<Arc<Charted>>,
    /// The classes of the last order or chunk, if the next may go on with them.
    pub(crate) kept: Option<Epoch>,
    pub(crate) seeds: Seeds,
    pub(crate) pins: Pins,
    pub(crate) probe_class: Ref,
    pub(crate) probes: Probes,
}

/// Creates the JVM and serves.
pub(crate) fn serve(mut pipes: Pipes, boot: &Boot, stops: Receiver<()>) -> Result<(), WorkerError> {
    let created = Jvm::create(boot).and_then(|(jvm, env)| prepare(jvm, env, boot, stops));
    let mut worker = match created {
        Ok(created) => created,
        Err(error) => {
            frame::send(&mut pipes.replies, &Reply::Failed(error.to_string()))?;
            return Err(error);
        }
    };
    silence();
    frame::send(&mut pipes.replies, &Reply::Hello(Hello { version: PROTOCOL_VERSION }))?;
    let mut encoded = Vec::new();
    loop {
        match frame::receive_encoded(&mut pipes.requests, &mut encoded) {
            Ok(()) => {}
            Err(FrameError::Closed) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        let request = Request::decode(&encoded, &mut worker.spare)?;
        worker.answer(request, &mut pipes)?;
    }
}

/// Gets a new JVM ready for any subject.
fn prepare(jvm: Jvm, env: Env, boot: &Boot, stops: Receiver<()>) -> Result<Worker, WorkerError> {
    let jdk = Arc::new(Jdk::find(env, jvm.jvmti)?);
    jdk.check_addresses(env)?;
    Jdk::check_throwing_calls(env)?;
    threads::count_starts(env, &jdk, jvm.library)?;
    warm::warm_up(env, &jdk)?;
    calls::define(env, &jdk)?;
    patch::install(env, &jdk)?;
    clock::pin(env, &jdk, &jvm.library, boot.clock_millis)?;
    let seeds = Seeds::find(env, &jdk, boot.seed);
    let pins = Pins::find(env, &jdk, boot.seed)?;
    let shared = Arc::clone(&jdk);
    let stopper = std::thread::Builder::new().name("jurat-stopper".to_owned());
    let (ready, stopper_ready) = std::sync::mpsc::channel();
    let stopper = stopper.spawn(move || watchdog::serve_stops(jvm, &shared, &stops, &ready));
    stopper.map_err(|error| WorkerError::new(format!("no thread: {error}")))?;
    // It is a Java thread, and must not look like one that a statement started.
    stopper_ready.recv().map_err(|_| WorkerError::new("the thread that stops others did not start"))?;
    let session = Session {
        class_path: Vec::new(),
        lasting: Vec::new(),
        limits: jurat_protocol::Limits::default(),
        probes: jurat_protocol::Probes::default(),
    };
    let probe_class = Probes::define(env, &jdk)?;
    let probes = Probes::open(env, &jdk, probe_class, &session.probes)?;
    let parent = jdk.loader.platform;
    Ok(Worker {
        jvm,
        jdk,
        session,
        parent,
        table: Table::default(),
        spare: Vec::new(),
        outcomes: Vec::new(),
        classes: Classes::new(),
        enumeration: None,
        chart: None,
        kept: None,
        seeds,
        pins,
        probe_class,
        probes,
    })
}

impl Worker {
    fn answer(&mut self, request: Request, pipes: &mut Pipes) -> Result<(), WorkerError> {
        let reply = match request {
            Request::Boot(_) => Reply::Failed("the JVM already runs".to_owned()),
            Request::Open(session) => {
                self.session = session;
                self.table = Table::default();
                reply(self.on_subject_thread(Self::open))
            }
            Request::Operations(operations) => {
                self.table.extend(operations);
                return Ok(());
            }
            Request::Execute(chunk) => {
                let ran = run_chunk(self, &chunk);
                self.spare = chunk.sequences;
                match ran {
                    Ok(encoded) => return Ok(frame::send_framed(&mut pipes.replies, encoded)?),
                    Err(error) => Reply::Failed(error.to_string()),
                }
            }
            Request::Chart(chart) => {
                self.chart = Some(Arc::new(Charted::new(*chart, &mut self.table)));
                Reply::Charted
            }
            Request::Roam(order) => reply(run_roam(self, &order)),
            Request::Watch(watch) => reply(self.on_subject_thread(|worker, env| worker.watch(env, &watch))),
            Request::Estimate(runs) => reply(self.enumerate(|enumeration, jdk, env| {
                Ok(Reply::Estimated(enumeration.estimate(env, jdk, runs)))
            })),
            Request::Pace(candidates) => reply(self.enumerate(|enumeration, jdk, env| {
                let (search, floor) = enumeration.pace(env, jdk, candidates.into())?;
                Ok(Reply::Paced(search, floor))
            })),
            Request::Bare(bare) => reply(self.on_subject_thread(|worker, env| worker.bare(env, &bare))),
            Request::Explore(order) => reply(self.enumerate(|enumeration, jdk, env| {
                enumeration.explore(env, jdk, &order).map(Reply::Explored)
            })),
        };
        Ok(frame::send(&mut pipes.replies, &reply)?)
    }

    /// Gets ready to count what the session wants counted.
    fn open(&mut self, env: Env) -> Result<Reply, WorkerError> {
        let setup = &self.session.probes;
        self.probes = Probes::open(env, &self.jdk, self.probe_class, setup)?;
        weave::plan(&self.jdk, setup)?;
        if !self.session.lasting.is_empty() {
            // Never closed: its classes last as long as the worker.
            self.parent = Epoch::open(env, &self.jdk, &self.session.lasting)?.loader;
        }
        Ok(Reply::Opened(Opened { remarks: Vec::new() }))
    }

    /// Makes the objects of structures that are to be enumerated.
    fn watch(&mut self, env: Env, watch: &Watch) -> Result<Reply, WorkerError> {
        let epoch = Epoch::open(env, &self.jdk, &self.session.class_path)?;
        self.enumeration = Some(Enumeration::prepare(env, &self.jdk, &epoch, watch)?);
        Ok(Reply::Watching)
    }

    /// Makes calls, and does nothing else.
    fn bare(&mut self, env: Env, bare: &Bare) -> Result<Reply, WorkerError> {
        let mut epoch = Epoch::open(env, &self.jdk, &self.session.class_path)?;
        crate::bare::run(env, &self.jdk, &self.table, &mut epoch, bare)?;
        epoch.close(env, &self.jdk);
        Ok(Reply::Ran)
    }

    fn enumerate(
        &mut self,
        work: impl FnOnce(&mut Enumeration, &Jdk, Env) -> Result<Reply, WorkerError> + Send,
    ) -> Result<Reply, WorkerError> {
        self.on_subject_thread(|worker, env| match &mut worker.enumeration {
            Some(enumeration) => {
                watchdog::set_running(true);
                let reply = work(enumeration, &worker.jdk, env);
                watchdog::set_running(false);
                reply
            }
            None => Err(WorkerError::new("there is nothing to enumerate: Watch comes first")),
        })
    }

    /// Runs `work` on a Java thread that has never run anything: no thread locals, no interrupt, no locks.
    pub(crate) fn on_subject_thread<T: Send>(
        &mut self,
        work: impl FnOnce(&mut Self, Env) -> Result<T, WorkerError> + Send,
    ) -> Result<T, WorkerError> {
        self.on_thread_within(self.session.limits, work)
    }

    /// The same, with other limits to what a statement may take.
    pub(crate) fn on_thread_within<T: Send>(
        &mut self,
        limits: Limits,
        work: impl FnOnce(&mut Self, Env) -> Result<T, WorkerError> + Send,
    ) -> Result<T, WorkerError> {
        let jvm = self.jvm;
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("main".to_owned()).stack_size(SUBJECT_STACK);
            let running = thread.spawn_scoped(scope, || {
                let env = jvm.attach(c"main", false)?;
                let thread = env.new_global(self.jdk.current_thread(env));
                watchdog::watch(thread, limits);
                let result = work(self, env);
                watchdog::unwatch();
                env.delete_global(thread);
                jvm.detach();
                result
            });
            let running = running.map_err(|error| WorkerError::new(format!("no thread: {error}")))?;
            running.join().unwrap_or_else(|_| Err(WorkerError::new("the worker panicked")))
        })
    }
}

/// What went wrong with us, as the engine hears it.
fn reply(result: Result<Reply, WorkerError>) -> Reply {
    result.unwrap_or_else(|error| Reply::Failed(error.to_string()))
}
