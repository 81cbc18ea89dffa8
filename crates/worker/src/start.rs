//! From an exec'd process to a serving worker: descriptors first, the sandbox while there is one thread, then the
//! JVM.

use std::convert::Infallible;
use std::fs::File;
use std::io::BufReader;
use std::os::fd::FromRawFd;

use jurat_protocol::{Boot, PROTOCOL_VERSION, Reply, Request, fd, frame};

use crate::{NotAWorker, WorkerError, crash, scratch, serve, shared, watchdog};

/// What a JVM needs beside its heap, in MiB: its own tables, compiled code, metaspace, direct memory, and a stack for each
/// of as many threads as the sandbox allows.
const BESIDE_HEAP_MIB: u64 = 1536;

/// The exit status of a worker that could not start; the reason was sent, or written to stderr.
pub(crate) const EXIT_FAILED: i32 = 1;

/// The engine's ends of the pipes.
pub(crate) struct Pipes {
    pub(crate) requests: BufReader<File>,
    pub(crate) replies: File,
}

pub(crate) fn run() -> Result<Infallible, NotAWorker> {
    if ![fd::REQUESTS, fd::REPLIES, fd::SHARED, fd::LIFELINE].into_iter().all(is_open) {
        return Err(NotAWorker);
    }
    keep_memory();
    // SAFETY: the engine opened these descriptors for us, and nothing else in this process owns them.
    let (requests, replies) = unsafe { (File::from_raw_fd(fd::REQUESTS), File::from_raw_fd(fd::REPLIES)) };
    let mut pipes = Pipes { requests: BufReader::new(requests), replies };
    let (stop, stops) = std::sync::mpsc::channel();
    let started = prepare(&mut pipes).and_then(|boot| {
        crash::install();
        let server = std::thread::Builder::new().name("jurat-control".to_owned());
        let server = server.stack_size(4 << 20).spawn(move || serve::serve(pipes, &boot, stops));
        server.map_err(|error| WorkerError::new(format!("no thread: {error}")))
    });
    match started {
        Ok(server) => {
            watchdog::watch_forever(&stop, &|| server.is_finished());
            let ended = server.join();
            leave(if matches!(ended, Ok(Ok(()))) { 0 } else { EXIT_FAILED })
        }
        Err(_) => leave(EXIT_FAILED),
    }
}

/// Makes the allocator keep what a chunk took for the next one: giving it back and taking it again costs page faults.
/// Its pools, one for every thread by default, are of no use to threads that take turns.
fn keep_memory() {
    const KEPT: i32 = 64 << 20;
    // SAFETY: settings of the allocator; there is one thread yet.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 2);
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    }
}

/// Ends the process without running the JVM's shutdown.
pub(crate) fn leave(status: i32) -> ! {
    // SAFETY: `_exit` is always allowed.
    unsafe { libc::_exit(status) }
}

fn prepare(pipes: &mut Pipes) -> Result<Boot, WorkerError> {
    let prepared = shared::map().and_then(|()| receive_boot(pipes));
    let prepared = prepared.and_then(|boot| confine(&boot).map(|()| boot));
    if let Err(error) = &prepared {
        frame::send(&mut pipes.replies, &Reply::Failed(error.to_string()))?;
    }
    prepared
}

fn receive_boot(pipes: &mut Pipes) -> Result<Boot, WorkerError> {
    let Request::Boot(boot) = frame::receive(&mut pipes.requests)? else {
        return Err(WorkerError::new("the first request must be Boot"));
    };
    if boot.version != PROTOCOL_VERSION {
        return Err(WorkerError::new(format!(
            "protocol version {PROTOCOL_VERSION} here, {} in the engine; both must be the same build of jurat",
            boot.version
        )));
    }
    scratch::enter(&boot.scratch).map_err(|error| {
        WorkerError::new(format!("cannot use the scratch folder {}: {error}", boot.scratch))
    })?;
    Ok(boot)
}

/// Dies with the engine, holds no descriptor but its own, and from now on cannot hurt anybody.
fn confine(boot: &Boot) -> Result<(), WorkerError> {
    let failed = |error: jurat_sandbox::SandboxError| WorkerError::new(error.to_string());
    jurat_sandbox::die_with_parent(boot.engine).map_err(failed)?;
    let keep = [0, 1, 2, fd::REQUESTS, fd::REPLIES, fd::LIFELINE];
    // SAFETY: the process has just started, and owns no descriptors but the ones it keeps.
    unsafe { jurat_sandbox::close_inherited_fds(&keep) }.map_err(failed)?;
    if boot.sandbox {
        let mut policy = jurat_sandbox::Policy::new(&boot.scratch);
        policy.lifeline = Some(fd::LIFELINE);
        policy.limits.memory = Some((u64::from(boot.heap_mib) + BESIDE_HEAP_MIB) << 20);
        policy.readable = boot.readable.iter().map(Into::into).collect();
        jurat_sandbox::apply(&policy, shared::attempts()).map_err(failed)?;
    }
    Ok(())
}

/// Sends what is written to the standard streams to nowhere. Until now they told why a JVM did not start.
pub(crate) fn silence() {
    // SAFETY: plain system calls; the path is a literal.
    unsafe {
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        if null >= 0 {
            for stream in 0..=2 {
                libc::dup2(null, stream);
            }
            if null > 2 {
                libc::close(null);
            }
        }
    }
}

fn is_open(descriptor: i32) -> bool {
    // SAFETY: a query without pointers.
    unsafe { libc::fcntl(descriptor, libc::F_GETFD) >= 0 }
}
