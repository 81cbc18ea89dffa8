//! One worker process: how it is started, spoken to, and laid to rest.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use jurat_protocol::frame::{self, FrameError};
use jurat_protocol::{
    Chunk, ChunkOutcomes, Death, Operation, PROTOCOL_VERSION, Reply, Request, fd, shared as layout,
};

use crate::PoolError;
use crate::config::PoolConfig;
use crate::memory::Memory;
use crate::pipe::{Patient, Pipe, until};

/// How long a JVM may take to start and to take the subject in, on a machine under heavy load.
const START: Duration = Duration::from_secs(60);

/// How long a worker may show no sign of life. Its own watchdog cuts statements long before.
const SILENCE: Duration = Duration::from_secs(60);

/// A worker, and what the engine holds of it.
pub(crate) struct WorkerProcess {
    child: Child,
    requests: Pipe,
    replies: Pipe,
    output: Pipe,
    memory: Memory,
    /// Its other end closes when the engine ends, however it ends, and the worker with it.
    _lifeline: OwnedFd,
    scratch: PathBuf,
    /// How many operations it was told.
    operations: usize,
    ready: bool,
    /// Whether it knows the chart that sessions roam.
    charted: bool,
}

/// How a worker came to be no more.
#[derive(Debug)]
pub(crate) enum Loss {
    /// The statement it ran ended it.
    Own(Death),
    /// It gave up on the statement it ran.
    Stalled,
    /// Something else ended it: this signal, if it was one.
    Outside(Option<i32>),
    /// It lives, but it or we do not understand a message.
    Misunderstanding(String),
}

/// Where and how a worker was lost.
#[derive(Debug)]
pub(crate) struct Lost {
    pub(crate) loss: Loss,
    /// Chunk, sequence, statement.
    pub(crate) now: (u32, usize, usize),
    /// The operation that a roaming session called last.
    pub(crate) operation: Option<u32>,
    /// What it left behind.
    pub(crate) remains: Box<Remains>,
}

/// What a dead worker's memory tells of the sequence it ran.
#[derive(Debug, Default)]
pub(crate) struct Remains {
    /// Endings of the statements before.
    pub(crate) endings: Vec<jurat_protocol::Ending>,
    /// The classes they mention.
    pub(crate) classes: Vec<String>,
    /// What it had tried.
    pub(crate) attempts: Vec<jurat_protocol::Attempt>,
    /// Probes that it hit.
    pub(crate) hits: Vec<u32>,
}

impl WorkerProcess {
    /// Starts a process and tells it all it needs; [`WorkerProcess::await_ready`] hears its answers.
    pub(crate) fn start(config: &PoolConfig, scratch: PathBuf) -> Result<Self, PoolError> {
        let failed = |what| move |error| PoolError::Start { what, error };
        std::fs::create_dir_all(&scratch).map_err(failed("make a scratch folder"))?;
        let coverage = config.probes.layout();
        let memory = Memory::new(coverage).map_err(failed("shared memory"))?;
        let (their_requests, our_requests) = Pipe::pair().map_err(failed("a pipe"))?;
        let (our_replies, their_replies) = Pipe::pair().map_err(failed("a pipe"))?;
        let (our_output, their_output) = Pipe::pair().map_err(failed("a pipe"))?;
        let (their_lifeline, our_lifeline) = Pipe::pair().map_err(failed("a pipe"))?;
        let mut command = Command::new(&config.program);
        command.arg("worker").env_clear().envs(jurat_sandbox::environment(SCRATCH.as_ref()));
        let stdout = their_output.try_clone().map_err(failed("a pipe"))?;
        command.stdin(Stdio::null()).stdout(stdout).stderr(their_output);
        let descriptors = [
            (their_requests.as_raw_fd(), fd::REQUESTS),
            (their_replies.as_raw_fd(), fd::REPLIES),
            (memory.file().as_raw_fd(), fd::SHARED),
            (their_lifeline.as_raw_fd(), fd::LIFELINE),
        ];
        // SAFETY: between fork and exec only system calls are made, on descriptors that are open.
        unsafe { command.pre_exec(move || place_descriptors(&descriptors)) };
        let child = command.spawn().map_err(failed("start the process"))?;
        let mut worker = Self {
            child,
            requests: Pipe::new(our_requests).map_err(failed("a pipe"))?,
            replies: Pipe::new(our_replies).map_err(failed("a pipe"))?,
            output: Pipe::new(our_output).map_err(failed("a pipe"))?,
            memory,
            _lifeline: our_lifeline,
            scratch,
            operations: 0,
            ready: false,
            charted: false,
        };
        let boot = Request::Boot(config.boot(&worker.scratch, std::process::id()));
        let told = worker.send(&boot).and_then(|()| worker.send(&Request::Open(config.session())));
        told.map_err(|error| worker.not_ready(&error.to_string()))?;
        Ok(worker)
    }

    /// Waits until the JVM runs and has taken the subject in.
    pub(crate) fn await_ready(&mut self) -> Result<(), PoolError> {
        if self.ready {
            return Ok(());
        }
        let deadline = Instant::now() + START;
        match self.receive(&mut until(deadline)) {
            Ok(Reply::Hello(hello)) if hello.version == PROTOCOL_VERSION => {}
            Ok(Reply::Failed(reason)) => return Err(self.not_ready(&reason)),
            Ok(other) => return Err(self.not_ready(&format!("an odd first answer: {other:?}"))),
            Err(error) => return Err(self.not_ready(&error.to_string())),
        }
        match self.receive(&mut until(deadline)) {
            Ok(Reply::Opened(_)) => self.ready = true,
            Ok(Reply::Failed(reason)) => return Err(self.not_ready(&reason)),
            Ok(other) => return Err(self.not_ready(&format!("an odd second answer: {other:?}"))),
            Err(error) => return Err(self.not_ready(&error.to_string())),
        }
        Ok(())
    }

    /// Runs a chunk without the sequences at `skip`. After an error the worker is dead.
    pub(crate) fn execute(
        &mut self,
        operations: &[Operation],
        chunk: &Chunk,
        skip: &[u32],
    ) -> Result<ChunkOutcomes, Lost> {
        let sent = self.tell_operations(operations).and_then(|()| {
            let framed = Request::execute(chunk, skip)?;
            let mut patience = until(Instant::now() + SILENCE);
            frame::send_framed(&mut Patient { pipe: &mut self.requests, patience: &mut patience }, framed)
        });
        match self.answer(sent)? {
            Reply::Outcomes(outcomes) => Ok(outcomes),
            other => Err(self.misunderstood(&other)),
        }
    }

    /// Makes sure that the worker knows the operations and the chart.
    pub(crate) fn chart(&mut self, operations: &[Operation], chart: &Request) -> Result<(), Lost> {
        if self.charted {
            return Ok(());
        }
        if let Err(error) = self.tell_operations(operations) {
            return Err(self.silent(&error));
        }
        match self.ask(chart)? {
            Reply::Charted => {
                self.charted = true;
                Ok(())
            }
            other => Err(self.misunderstood(&other)),
        }
    }

    /// The end of a worker that gave an answer to another question.
    pub(crate) fn misunderstood(&mut self, reply: &Reply) -> Lost {
        self.lost(Some(Loss::Misunderstanding(format!("an odd answer: {reply:?}"))))
    }

    /// Sends a request and waits for the answer. After an error the worker is dead.
    pub(crate) fn ask(&mut self, request: &Request) -> Result<Reply, Lost> {
        let sent = self.send(request);
        self.answer(sent)
    }

    /// Waits for the answer to a request that was sent, or was not.
    fn answer(&mut self, sent: Result<(), FrameError>) -> Result<Reply, Lost> {
        let answered = sent.and_then(|()| {
            let mut life = Life::of(&self.memory);
            let mut stream = Patient { pipe: &mut self.replies, patience: &mut || life.goes_on() };
            frame::receive::<Reply>(&mut stream)
        });
        match answered {
            Ok(Reply::Failed(reason)) => Err(self.lost(Some(Loss::Misunderstanding(reason)))),
            Ok(reply) => Ok(reply),
            Err(error) => Err(self.silent(&error)),
        }
    }

    /// Finds out why a worker gave no answer.
    fn silent(&mut self, error: &FrameError) -> Lost {
        match error {
            FrameError::Encoding(error) => {
                self.lost(Some(Loss::Misunderstanding(format!("an unreadable answer: {error}"))))
            }
            FrameError::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
                self.lost(Some(Loss::Stalled))
            }
            _ => self.lost(None),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn tell_operations(&mut self, operations: &[Operation]) -> Result<(), FrameError> {
        if self.operations < operations.len() {
            self.send(&Request::Operations(operations[self.operations..].to_vec()))?;
            self.operations = operations.len();
        }
        Ok(())
    }

    fn send(&mut self, request: &Request) -> Result<(), FrameError> {
        let mut patience = until(Instant::now() + SILENCE);
        frame::send(&mut Patient { pipe: &mut self.requests, patience: &mut patience }, request)
    }

    fn receive(&mut self, patience: &mut dyn FnMut() -> bool) -> Result<Reply, FrameError> {
        frame::receive(&mut Patient { pipe: &mut self.replies, patience })
    }

    fn not_ready(&mut self, reason: &str) -> PoolError {
        let killed = self.was_killed();
        self.kill();
        let output = self.output.drain(4096);
        PoolError::NotReady { reason: reason.to_owned(), output, killed }
    }

    /// Whether somebody else ended the process. One that still runs after a moment is not ending at all.
    fn was_killed(&mut self) -> bool {
        for _ in 0..20 {
            match self.child.try_wait() {
                Ok(Some(status)) => return matches!(status.signal(), Some(libc::SIGKILL | libc::SIGTERM)),
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Err(_) => return false,
            }
        }
        false
    }

    /// Makes sure the worker is dead, and finds out why and where, unless we know why.
    fn lost(&mut self, known: Option<Loss>) -> Lost {
        if known.is_some() {
            self.kill();
        }
        let status = self.child.wait();
        let code = status.as_ref().ok().and_then(ExitStatus::code);
        let loss = known.unwrap_or_else(|| match status {
            Ok(status) => cause(status, self.child.id(), &self.memory),
            Err(_) => Loss::Outside(None),
        });
        let (endings, classes) = self.memory.draft();
        let left_by_itself = matches!(code, Some(layout::EXIT_STALLED | layout::EXIT_CRASHED));
        let attempts = self.memory.attempts(left_by_itself);
        let remains = Remains { endings, classes, attempts, hits: self.memory.hits() };
        let operation = self.memory.cell(layout::OPERATION).checked_sub(1);
        let operation = operation.and_then(|operation| u32::try_from(operation).ok());
        Lost { loss, now: self.memory.now(), operation, remains: Box::new(remains) }
    }

    /// Ends the process and all it may have started.
    fn kill(&mut self) {
        let group = -self.child.id().cast_signed();
        // SAFETY: the worker leads its own group; a group that is gone only gives an error.
        unsafe { libc::kill(group, libc::SIGKILL) };
        // An error means that it is dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.kill();
        // What cannot be removed now goes with the pool's own folder.
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}

/// The scratch folder as the subject knows it: the same name in every worker, and each worker's own folder.
pub(crate) const SCRATCH: &str = "/proc/self/cwd";

/// Tells whether a worker still does something.
struct Life<'a> {
    memory: &'a Memory,
    seen: u64,
    since: Instant,
}

impl<'a> Life<'a> {
    fn of(memory: &'a Memory) -> Self {
        Self { memory, seen: memory.cell(layout::NOW), since: Instant::now() }
    }

    fn goes_on(&mut self) -> bool {
        let now = self.memory.cell(layout::NOW);
        if now != self.seen {
            (self.seen, self.since) = (now, Instant::now());
        }
        self.since.elapsed() < SILENCE
    }
}

/// Why a process ended: the statement's own doing, or something from outside.
fn cause(status: ExitStatus, worker: u32, memory: &Memory) -> Loss {
    let crash = Crash {
        signal: i32::try_from(memory.cell(layout::CRASH_SIGNAL)).unwrap_or(0),
        code: memory.cell(layout::CRASH_CODE).cast_signed(),
        sender: memory.cell(layout::CRASH_SENDER),
    };
    decide(status.code(), status.signal(), u64::from(worker), crash)
}

/// What the worker's signal handler wrote down.
#[derive(Clone, Copy)]
struct Crash {
    signal: i32,
    code: i64,
    sender: u64,
}

fn decide(code: Option<i32>, signal: Option<i32>, worker: u64, crash: Crash) -> Loss {
    match (code, signal) {
        (Some(layout::EXIT_STALLED), _) => Loss::Stalled,
        (Some(layout::EXIT_CRASHED), _) if crash.code > 0 || crash.sender == worker => {
            Loss::Own(Death::Signal(crash.signal))
        }
        (Some(layout::EXIT_CRASHED), _) => Loss::Outside(Some(crash.signal)),
        (Some(code), _) => Loss::Own(Death::Exit(code)),
        // Raised by the kernel for what the process itself did; a handler that could not run left no record.
        (
            None,
            Some(signal @ (libc::SIGSEGV | libc::SIGBUS | libc::SIGILL | libc::SIGFPE | libc::SIGABRT)),
        ) => Loss::Own(Death::Signal(signal)),
        (None, signal) => Loss::Outside(signal),
    }
}

/// In the forked child: gives each descriptor its number, whatever numbers are taken.
fn place_descriptors<const N: usize>(descriptors: &[(RawFd, RawFd); N]) -> io::Result<()> {
    let mut parked = [0; N];
    for (slot, (source, _)) in parked.iter_mut().zip(descriptors) {
        // SAFETY: system calls on open descriptors; async-signal-safe.
        *slot = unsafe { libc::fcntl(*source, libc::F_DUPFD_CLOEXEC, fd::LIFELINE + 1) };
        if *slot < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    for (source, (_, target)) in parked.iter().zip(descriptors) {
        // SAFETY: as above; the copy is inherited across exec.
        if unsafe { libc::dup2(*source, *target) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none() -> Crash {
        Crash { signal: 0, code: 0, sender: 0 }
    }

    #[test]
    fn a_fault_the_kernel_raised_is_the_statements_own() {
        let fault = Crash { signal: libc::SIGSEGV, code: 1, sender: 0 };
        let loss = decide(Some(layout::EXIT_CRASHED), None, 10, fault);
        assert!(matches!(loss, Loss::Own(Death::Signal(libc::SIGSEGV))), "{loss:?}");
    }

    #[test]
    fn an_abort_the_worker_sent_itself_is_the_statements_own() {
        let abort = Crash { signal: libc::SIGABRT, code: -6, sender: 10 };
        let loss = decide(Some(layout::EXIT_CRASHED), None, 10, abort);
        assert!(matches!(loss, Loss::Own(Death::Signal(libc::SIGABRT))), "{loss:?}");
    }

    #[test]
    fn a_signal_from_another_process_is_not() {
        let sent = Crash { signal: libc::SIGSEGV, code: 0, sender: 99 };
        assert!(matches!(decide(Some(layout::EXIT_CRASHED), None, 10, sent), Loss::Outside(_)));
        assert!(matches!(decide(None, Some(libc::SIGKILL), 10, none()), Loss::Outside(_)));
        assert!(matches!(decide(None, Some(libc::SIGTERM), 10, none()), Loss::Outside(_)));
    }

    #[test]
    fn leaving_by_itself_is_the_statements_own_unless_the_watchdog_did_it() {
        assert!(matches!(decide(Some(3), None, 10, none()), Loss::Own(Death::Exit(3))));
        assert!(matches!(decide(Some(layout::EXIT_STALLED), None, 10, none()), Loss::Stalled));
    }
}
