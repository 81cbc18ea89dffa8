//! Bytes to and from a worker, never waiting longer than allowed.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// Called while waiting; says whether to go on waiting.
pub(crate) type Patience<'a> = &'a mut dyn FnMut() -> bool;

/// How long one wait lasts before patience is asked.
const TICK: Duration = Duration::from_millis(100);

/// One direction of a pipe, our end; reads and writes never block.
pub(crate) struct Pipe {
    file: File,
}

impl Pipe {
    /// Both ends of a new pipe: the reading one first. Neither is inherited by processes we start.
    pub(crate) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
        let (reader, writer) = io::pipe()?;
        let writer = OwnedFd::from(writer);
        // SAFETY: a hint to the kernel about our own descriptor; it may be refused.
        unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETPIPE_SZ, 1 << 20) };
        Ok((reader.into(), writer))
    }

    /// Our end of a pipe.
    pub(crate) fn new(end: OwnedFd) -> io::Result<Self> {
        // SAFETY: changes a flag of a descriptor we own.
        let done = unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(Self { file: end.into() }) }
    }

    /// Waits until the pipe is ready, asking `patience` from time to time.
    fn wait(&self, events: libc::c_short, patience: Patience<'_>) -> io::Result<()> {
        let mut poll = libc::pollfd { fd: self.file.as_raw_fd(), events, revents: 0 };
        loop {
            let tick = i32::try_from(TICK.as_millis()).expect("a tick is short");
            // SAFETY: one entry, alive during the call.
            let ready = unsafe { libc::poll(&raw mut poll, 1, tick) };
            if ready > 0 {
                return Ok(());
            }
            if ready < 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return Err(io::Error::last_os_error());
            }
            if !patience() {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
    }

    /// What is there to read now, up to a limit: for messages of a process that ended.
    pub(crate) fn drain(&mut self, limit: u64) -> String {
        let mut bytes = Vec::new();
        // An error only means that there is no more.
        let _ = (&mut self.file).take(limit).read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}

/// A pipe with the patience to use it.
pub(crate) struct Patient<'a> {
    pub(crate) pipe: &'a mut Pipe,
    pub(crate) patience: Patience<'a>,
}

impl Read for Patient<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.pipe.file.read(into) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.pipe.wait(libc::POLLIN, self.patience)?;
                }
                done => return done,
            }
        }
    }
}

impl Write for Patient<'_> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        loop {
            match self.pipe.file.write(from) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.pipe.wait(libc::POLLOUT, self.patience)?;
                }
                done => return done,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Patience that ends at a moment.
pub(crate) fn until(deadline: Instant) -> impl FnMut() -> bool {
    move || Instant::now() < deadline
}
