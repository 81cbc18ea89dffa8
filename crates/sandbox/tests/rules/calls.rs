//! Processes, sockets, signals, and the calls nobody needs.

use std::arch::asm;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd, IntoRawFd};
use std::process::Command;
use std::sync::{Arc, Barrier};
use std::time::Duration;
use std::{fs, io, thread};

use crate::child::{End, Scene, assert_counts, errno, error_of, wait};
use jurat_sandbox::{
    Kind, SandboxError, apply, close_inherited_fds, die_with_parent, environment, scrub_environment,
};

const NOT_PERMITTED: i32 = libc::EPERM;

fn call(number: i64, arguments: [usize; 6]) -> i32 {
    let [x0, x1, x2, x3, x4, x5] = arguments;
    // SAFETY: used here only with calls that are refused, or that take numbers.
    errno(unsafe { libc::syscall(number, x0, x1, x2, x3, x4, x5) })
}

#[test]
fn no_socket_of_any_family_can_be_made() {
    let counts = Scene::new().counts(|_| {
        assert_eq!(error_of(TcpListener::bind("127.0.0.1:0")), NOT_PERMITTED);
        assert_eq!(error_of(TcpStream::connect("127.0.0.1:80")), NOT_PERMITTED);
        assert_eq!(error_of(UdpSocket::bind("127.0.0.1:0")), NOT_PERMITTED);
        assert_eq!(error_of(UdpSocket::bind("[::1]:0")), NOT_PERMITTED);
        for family in [libc::AF_UNIX, libc::AF_NETLINK, libc::AF_PACKET, libc::AF_ALG, libc::AF_VSOCK] {
            for kind in [libc::SOCK_STREAM, libc::SOCK_DGRAM, libc::SOCK_RAW] {
                // SAFETY: numbers only.
                assert_eq!(errno(unsafe { libc::socket(family, kind, 0) }.into()), NOT_PERMITTED);
            }
        }
    });
    assert_counts(&counts, &[(Kind::Connect, 19)]);
}

#[test]
fn a_connected_pair_may_be_made_but_reaches_nobody_else() {
    let counts = Scene::new().counts(|_| {
        let (one, _other) = std::os::unix::net::UnixStream::pair().expect("the JDK needs one");
        let address = libc::sockaddr { sa_family: 1, sa_data: [0; 14] };
        // SAFETY: the address outlives the calls.
        unsafe {
            let connected = libc::connect(one.as_raw_fd(), &raw const address, 16);
            assert_eq!(errno(connected.into()), NOT_PERMITTED);
            let mut pair = [0; 2];
            let datagrams = libc::socketpair(libc::AF_UNIX, libc::SOCK_DGRAM, 0, pair.as_mut_ptr());
            assert_eq!(errno(datagrams.into()), NOT_PERMITTED);
        }
    });
    assert_counts(&counts, &[(Kind::Connect, 2)]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the start of a process is what must fail")]
fn no_process_can_be_started() {
    let counts = Scene::new().counts(|_| {
        assert_eq!(error_of(Command::new("true").status()), NOT_PERMITTED);
        // SAFETY: refused; were it not, the child would fail the test in its own right.
        let forked = unsafe { libc::fork() };
        assert_eq!(errno(forked.into()), NOT_PERMITTED);
        assert_eq!(call(libc::SYS_fork, [0; 6]), NOT_PERMITTED);
        assert_eq!(call(libc::SYS_vfork, [0; 6]), NOT_PERMITTED);
        let nothing: *const libc::c_char = std::ptr::null();
        // SAFETY: refused before the kernel looks at the arguments.
        let executed = unsafe { libc::execve(c"/bin/true".as_ptr(), &raw const nothing, &raw const nothing) };
        assert_eq!(errno(executed.into()), NOT_PERMITTED);
        assert_eq!(call(libc::SYS_clone3, [0; 6]), libc::ENOSYS);
    });
    assert_counts(&counts, &[(Kind::Spawn, 5)]);
}

#[test]
fn threads_beyond_the_cap_are_refused_and_come_back_when_others_end() {
    let mut scene = Scene::new();
    scene.policy.limits.threads = 20;
    let counts = scene.counts(|_| {
        let barrier = Arc::new(Barrier::new(19));
        let waiting: Vec<_> = (0..18)
            .map(|_| {
                let barrier = Arc::clone(&barrier);
                thread::Builder::new().spawn(move || barrier.wait().is_leader()).expect("within the cap")
            })
            .collect();
        assert_eq!(error_of(thread::Builder::new().spawn(|| ())), libc::EAGAIN);
        barrier.wait();
        for thread in waiting {
            thread.join().expect("ended");
        }
        // A joined thread leaves the kernel's list a moment later.
        let again = (0..100).find_map(|_| {
            thread::sleep(Duration::from_millis(1));
            thread::Builder::new().spawn(|| ()).ok()
        });
        again.expect("room again").join().expect("ended");
    });
    assert!(counts.of(Kind::Threads) >= 1, "{counts:?}");
    assert_eq!(counts.of(Kind::Spawn), 0);
}

#[test]
fn no_signal_reaches_another_process() {
    let scene = Scene::new();
    let counts = scene.counts(|_| {
        // SAFETY: asks for a number.
        let parent = unsafe { libc::getppid() } as usize;
        let kill = libc::SIGKILL as usize;
        assert_eq!(call(libc::SYS_kill, [parent, kill, 0, 0, 0, 0]), NOT_PERMITTED);
        assert_eq!(call(libc::SYS_kill, [usize::MAX, kill, 0, 0, 0, 0]), NOT_PERMITTED);
        assert_eq!(call(libc::SYS_kill, [0, kill, 0, 0, 0, 0]), NOT_PERMITTED);
        assert_eq!(call(libc::SYS_tkill, [parent, kill, 0, 0, 0, 0]), NOT_PERMITTED);
        assert_eq!(call(libc::SYS_tgkill, [parent, parent, kill, 0, 0, 0]), NOT_PERMITTED);
        assert_eq!(call(libc::SYS_rt_sigqueueinfo, [parent, kill, 0, 0, 0, 0]), NOT_PERMITTED);
        assert_eq!(call(libc::SYS_pidfd_open, [parent, 0, 0, 0, 0, 0]), NOT_PERMITTED);
        let own = std::process::id() as usize;
        assert_eq!(call(libc::SYS_kill, [own, 0, 0, 0, 0, 0]), 0);
        assert_eq!(call(libc::SYS_tgkill, [own, own, 0, 0, 0, 0]), 0);
    });
    assert_counts(&counts, &[(Kind::Signal, 7)]);
}

#[test]
fn calls_nobody_needs_are_refused_and_counted() {
    let calls = [
        (libc::SYS_ptrace, [libc::PTRACE_TRACEME as usize, 0]),
        (libc::SYS_process_vm_readv, [1, 0]),
        (libc::SYS_process_vm_writev, [1, 0]),
        (libc::SYS_bpf, [0, 0]),
        (libc::SYS_mount, [0, 0]),
        (libc::SYS_umount2, [0, 0]),
        (libc::SYS_io_uring_setup, [1, 0]),
        (libc::SYS_keyctl, [0, 0]),
        (libc::SYS_perf_event_open, [0, 0]),
        (libc::SYS_userfaultfd, [0, 0]),
        (libc::SYS_setns, [0, 0]),
        (libc::SYS_unshare, [libc::CLONE_NEWUSER as usize, 0]),
        (libc::SYS_memfd_create, [0, 0]),
        (libc::SYS_chroot, [0, 0]),
        (libc::SYS_prctl, [libc::PR_SET_DUMPABLE as usize, 1]),
        (libc::SYS_prctl, [libc::PR_SET_PDEATHSIG as usize, 0]),
        (libc::SYS_ioctl, [0, libc::TIOCSTI as usize]),
        (libc::SYS_ioctl, [0, libc::FS_IOC_SETFLAGS as usize]),
        (libc::SYS_fcntl, [0, libc::F_SETOWN as usize]),
        (libc::SYS_shmget, [0, 4096]),
        (libc::SYS_msgget, [0, 0]),
        (libc::SYS_setpriority, [0, 1]),
        (libc::SYS_prlimit64, [1, 0]),
        (libc::SYS_seccomp, [1, 0]),
        (libc::SYS_sethostname, [0, 0]),
        (libc::SYS_open_by_handle_at, [0, 0]),
        (libc::SYS_reboot, [0, 0]),
        (libc::SYS_setuid, [0, 0]),
    ];
    let counts = Scene::new().counts(|scene| {
        for (number, [x0, x1]) in calls {
            assert_eq!(call(number, [x0, x1, 0, 0, 0, 0]), NOT_PERMITTED, "{number}");
            assert_eq!(scene.attempts.last_syscall(Kind::Other).map(i64::from), Some(number));
        }
        assert_eq!(call(9999, [0; 6]), libc::ENOSYS);
        assert_eq!(call(libc::SYS_openat2, [0; 6]), libc::ENOSYS);
    });
    assert_counts(&counts, &[(Kind::Other, u32::try_from(calls.len()).expect("few") + 1)]);
}

#[test]
fn harmless_calls_pass_uncounted() {
    let counts = Scene::new().counts(|_| {
        thread::Builder::new().name("named".into()).spawn(|| ()).expect("a thread").join().expect("ended");
        let (_reader, writer) = io::pipe().expect("a pipe");
        assert_eq!(
            call(libc::SYS_fcntl, [writer.as_raw_fd() as usize, libc::F_GETFL as usize, 0, 0, 0, 0]),
            0
        );
        assert_eq!(call(libc::SYS_prlimit64, [0, 0, 0, 0, 0, 0]), 0);
        thread::sleep(Duration::from_millis(1));
    });
    assert_counts(&counts, &[]);
}

#[test]
fn the_32_bit_entry_ends_the_process() {
    let end = Scene::new().run(|_| {
        // SAFETY: asks for the process id in the 32-bit way, or dies.
        unsafe { asm!("int 0x80", inlateout("rax") 20_u64 => _, out("r8") _, out("r9") _, out("r10") _, out("r11") _) };
    });
    assert_eq!(end, End::Killed(libc::SIGSYS));
}

#[test]
fn the_x32_interface_ends_the_process() {
    let end = Scene::new().run(|_| {
        call(0x4000_0000 + libc::SYS_getpid, [0; 6]);
    });
    assert_eq!(end, End::Killed(libc::SIGSYS));
}

#[test]
fn leaving_is_noted() {
    let scene = Scene::new();
    assert_eq!(scene.run(|_| std::process::exit(7)), End::Exited(7));
    assert_eq!(scene.attempts.counts().of(Kind::Exit), 1);
}

#[test]
fn a_process_ends_when_the_engine_lets_go_of_its_lifeline() {
    let mut scene = Scene::new();
    let (reader, writer) = io::pipe().expect("a pipe");
    let (reader, writer) = (reader.into_raw_fd(), writer.into_raw_fd());
    scene.policy.lifeline = Some(reader);
    let letting_go = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        // SAFETY: the test's own descriptor.
        unsafe { libc::close(writer) };
    });
    let end = scene.run(|_| {
        // SAFETY: the child's copy, which would keep its own lifeline alive.
        unsafe { libc::close(writer) };
        #[expect(clippy::empty_loop, reason = "a subject that never ends")]
        loop {}
    });
    letting_go.join().expect("ended");
    assert_eq!(end, End::Exited(79));
}

#[test]
fn a_process_whose_sandbox_is_tampered_with_ends() {
    let end = Scene::new().run(|_| {
        for fd in 3..100 {
            // SAFETY: what a subject may do that closes descriptors it does not own.
            unsafe { libc::close(fd) };
        }
        thread::sleep(Duration::from_secs(1));
        let read = fs::read("/etc/passwd");
        panic!("still there: {read:?}");
    });
    assert_eq!(end, End::Exited(79));
}

#[test]
fn a_process_with_two_threads_is_not_sealed() {
    let scene = Scene::new();
    scene.check_unsealed(|scene| {
        thread::spawn(|| thread::sleep(Duration::from_secs(5)));
        let refused = apply(&scene.policy, scene.attempts);
        assert!(matches!(refused, Err(SandboxError::NotSingleThreaded(2))), "{refused:?}");
    });
}

#[test]
fn a_scratch_folder_that_is_none_is_refused() {
    let mut scene = Scene::new();
    scene.policy.scratch = scene.outside();
    scene.check_unsealed(|scene| {
        let refused = apply(&scene.policy, scene.attempts).expect_err("a file is no folder");
        assert!(refused.to_string().contains("outside/file"), "{refused}");
    });
}

#[test]
fn limits_hold() {
    let mut scene = Scene::new();
    scene.policy.limits.descriptors = 30;
    scene.policy.limits.memory = Some(1 << 30);
    scene.counts(|_| {
        let files: Vec<_> = (0..40).map(|_| fs::File::open("/dev/null")).collect();
        assert_eq!(files.into_iter().map(error_of).max(), Some(libc::EMFILE));
        assert!(Vec::<u8>::new().try_reserve_exact(2 << 30).is_err());
        let mut core = libc::rlimit { rlim_cur: 1, rlim_max: 1 };
        // SAFETY: the pointers are to a local.
        unsafe {
            libc::getrlimit(libc::RLIMIT_CORE, &raw mut core);
            assert_eq!((core.rlim_cur, core.rlim_max), (0, 0));
            core.rlim_max = 1;
            assert_eq!(errno(libc::setrlimit(libc::RLIMIT_CORE, &raw const core).into()), NOT_PERMITTED);
        }
    });
}

#[test]
fn the_environment_holds_nothing_of_the_users() {
    let scene = Scene::new();
    scene.check_unsealed(|scene| {
        scrub_environment(&scene.scratch()).expect("one thread");
        let mut left: Vec<_> = std::env::vars_os().collect();
        let mut expected = environment(&scene.scratch());
        left.sort();
        expected.sort();
        assert_eq!(left, expected);
        assert_eq!(std::env::var_os("HOME").map(Into::into), Some(scene.scratch()));
    });
}

#[test]
fn inherited_descriptors_are_closed_but_for_the_kept() {
    Scene::new().check_unsealed(|_| {
        let kept = fs::File::open("/dev/null").expect("opened").into_raw_fd();
        let lost = fs::File::open("/dev/null").expect("opened").into_raw_fd();
        // SAFETY: the child goes on with descriptors 0 to 2, and with what it knows to be open.
        let stays = unsafe {
            let spare = libc::fcntl(lost, libc::F_DUPFD, 200);
            close_inherited_fds(&[0, 1, 2, kept]).expect("closed");
            [kept, lost, spare].map(|fd| libc::fcntl(fd, libc::F_GETFD) >= 0)
        };
        assert_eq!(stays, [true, false, false]);
    });
}

#[test]
fn a_process_dies_with_its_parent() {
    let (mut reader, writer) = io::pipe().expect("a pipe");
    let writer = writer.into_raw_fd();
    Scene::new().check_unsealed(|_| {
        let middle = std::process::id();
        // SAFETY: the grandchild sleeps until it is killed.
        unsafe {
            if libc::fork() == 0 {
                die_with_parent(middle).expect("asked");
                libc::write(writer, b"x".as_ptr().cast(), 1);
                libc::sleep(1000);
                libc::_exit(1);
            }
            libc::usleep(100_000);
        }
    });
    // SAFETY: the test's own copy, so that the last one is the grandchild's.
    unsafe { libc::close(writer) };
    let mut said = Vec::new();
    io::Read::read_to_end(&mut reader, &mut said).expect("ends when the grandchild is gone");
    assert_eq!(said, b"x");
}

#[test]
fn waiting_tells_how_a_child_ended() {
    // SAFETY: the child only leaves.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: as above.
        unsafe { libc::_exit(3) };
    }
    assert_eq!(wait(child), End::Exited(3));
}
