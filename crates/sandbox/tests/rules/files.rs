//! Files: what may change, what may not, and what is counted.

use std::ffi::CString;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::child::{Scene, assert_counts, c_path, errno, error_of};
use jurat_sandbox::Kind;

const REFUSED: i32 = libc::EACCES;
const NOT_PERMITTED: i32 = libc::EPERM;

#[test]
fn files_below_scratch_are_made_changed_moved_and_removed() {
    let counts = Scene::new().counts(|scene| {
        let folder = scene.scratch().join("a/b");
        fs::create_dir_all(&folder).expect("folders");
        fs::write(folder.join("f"), "1").expect("a file");
        fs::rename(folder.join("f"), scene.scratch().join("g")).expect("moved between folders");
        assert_eq!(fs::read_to_string(scene.scratch().join("g")).expect("read"), "1");
        fs::hard_link(scene.scratch().join("g"), folder.join("h")).expect("linked");
        fs::remove_dir_all(scene.scratch().join("a")).expect("removed");
        let file = fs::OpenOptions::new().append(true).open(scene.scratch().join("g")).expect("appended");
        file.set_len(0).expect("shortened");
    });
    assert!(counts.of(Kind::WriteInside) > 5, "{counts:?}");
    assert_eq!(counts.of(Kind::WriteOutside), 0);
}

#[test]
fn reading_elsewhere_works_and_is_counted() {
    let counts = Scene::new().counts(|scene| {
        assert_eq!(fs::read_to_string(scene.outside()).expect("readable"), "precious");
        fs::metadata("/etc/passwd").expect("there");
        fs::read_dir("/").expect("listable").count();
        assert!(!Path::new("/no/such/file").exists());
    });
    assert_counts(&counts, &[(Kind::ReadOutside, 3)]);
}

#[test]
fn learning_where_scratch_really_is_is_counted() {
    let counts = Scene::new().counts(|scene| {
        std::env::set_current_dir(scene.scratch()).expect("it is there");
        symlink("/proc/self/cwd", "here").expect("links may be made");
        fs::read_link("here").expect("a link");
        assert_counts(&scene.attempts.counts(), &[(Kind::WriteInside, 1)]);
        assert_eq!(fs::canonicalize("here").expect("there"), scene.scratch());
    });
    assert_eq!((counts.of(Kind::WriteInside), counts.of(Kind::WriteOutside)), (1, 0));
    assert!(counts.of(Kind::ReadOutside) > 0, "{counts:?}");
}

#[test]
fn reading_what_belongs_to_the_run_is_not_counted() {
    let mut scene = Scene::new();
    scene.policy.readable = vec![scene.outside()];
    let counts = scene.counts(|scene| {
        assert_eq!(fs::read_to_string(scene.outside()).expect("readable"), "precious");
        fs::metadata(scene.outside().parent().expect("a parent")).expect("there");
        fs::read_dir(scene.scratch()).expect("listable").count();
        fs::read("/proc/self/status").expect("readable");
    });
    assert_counts(&counts, &[]);
}

#[test]
fn the_null_device_can_be_written_uncounted() {
    let counts = Scene::new().counts(|_| {
        let mut null = fs::OpenOptions::new().write(true).truncate(true).open("/dev/null").expect("opened");
        null.write_all(b"away").expect("written");
    });
    assert_counts(&counts, &[]);
}

/// Every way to change a file, tried on the file outside.
fn change_outside(scene: &Scene) -> Vec<(&'static str, i32)> {
    let outside = scene.outside();
    let beside = outside.with_file_name("new");
    let inside = scene.scratch().join("own");
    fs::write(&inside, "own").expect("scratch can be written");
    let open = |options: &mut fs::OpenOptions| error_of(options.open(&outside));
    let (from, to) = (c_path(&inside), c_path(&outside));
    // SAFETY: paths are valid C strings.
    let raw = unsafe {
        [
            ("truncate", errno(libc::truncate(to.as_ptr(), 1).into())),
            ("read and truncate", errno(libc::open(to.as_ptr(), libc::O_RDONLY | libc::O_TRUNC).into())),
            ("creat", errno(libc::creat(to.as_ptr(), 0o600).into())),
            (
                "exchange",
                errno(libc::renameat2(-100, from.as_ptr(), -100, to.as_ptr(), libc::RENAME_EXCHANGE).into()),
            ),
            ("fifo", errno(libc::mkfifo(c_path(&beside).as_ptr(), 0o600).into())),
        ]
    };
    let mut tried = vec![
        ("overwrite", error_of(fs::write(&outside, "x"))),
        ("append", open(fs::OpenOptions::new().append(true))),
        ("write", open(fs::OpenOptions::new().write(true))),
        ("create", error_of(fs::write(&beside, "x"))),
        ("remove", error_of(fs::remove_file(&outside))),
        ("move away", error_of(fs::rename(&outside, &beside))),
        ("move in", error_of(fs::rename(&outside, scene.scratch().join("stolen")))),
        ("move over", error_of(fs::rename(&inside, &outside))),
        ("link in", error_of(fs::hard_link(&outside, scene.scratch().join("link")))),
        ("link out", error_of(fs::hard_link(&inside, &beside))),
        ("symlink", error_of(symlink(&inside, &beside))),
        ("folder", error_of(fs::create_dir(&beside))),
        ("remove folder", error_of(fs::remove_dir(outside.parent().expect("a parent")))),
    ];
    tried.extend(raw);
    tried
}

fn check_outside_is_safe(scene: &Scene) {
    let counts = scene.counts(|scene| {
        for (way, error) in change_outside(scene) {
            assert!([REFUSED, NOT_PERMITTED, libc::EXDEV].contains(&error), "{way}: {error}");
        }
        let through = scene.scratch().join("through");
        symlink(scene.outside(), &through).expect("a link to outside may be made");
        assert_eq!(error_of(fs::write(&through, "x")), REFUSED);
    });
    assert_eq!(counts.of(Kind::WriteOutside), 19);
}

#[test]
fn no_way_of_changing_a_file_outside_works() {
    check_outside_is_safe(&Scene::new());
}

#[test]
fn nor_does_it_without_root() {
    check_outside_is_safe(&Scene::without_root());
}

#[test]
fn nor_with_the_oldest_landlock_that_will_do() {
    let mut scene = Scene::new();
    scene.features.landlock = Some(jurat_sandbox::LANDLOCK_NEEDED);
    check_outside_is_safe(&scene);
}

/// Every way to change permissions, owner, times and attributes of a file that Landlock lets through.
fn change_metadata(path: &Path) -> Vec<(&'static str, i32)> {
    let reader = fs::File::open(path).expect("readable");
    let fd = std::os::fd::AsRawFd::as_raw_fd(&reader);
    let (name, value) = (c"user.jurat", b"1".as_ptr().cast());
    let path: CString = c_path(path);
    let path = path.as_ptr();
    let times = [libc::timespec { tv_sec: 1, tv_nsec: 0 }; 2];
    let old_times = [libc::timeval { tv_sec: 1, tv_usec: 0 }; 2];
    let times = times.as_ptr();
    let here = libc::AT_FDCWD;
    // SAFETY: all pointers are to values that live until the calls return.
    let call = |number, arguments: [usize; 4]| unsafe {
        let [x0, x1, x2, x3] = arguments;
        errno(libc::syscall(number, x0, x1, x2, x3))
    };
    // SAFETY: as above.
    unsafe {
        let (me, group) = (libc::geteuid(), libc::getegid());
        vec![
            ("chmod", errno(libc::chmod(path, 0o640).into())),
            ("fchmod", errno(libc::fchmod(fd, 0o640).into())),
            ("fchmodat", errno(libc::fchmodat(here, path, 0o640, 0).into())),
            ("fchmodat2", call(libc::SYS_fchmodat2, [here as usize, path as usize, 0o640, 0])),
            ("chown", errno(libc::chown(path, me, group).into())),
            ("lchown", errno(libc::lchown(path, me, group).into())),
            ("fchown", errno(libc::fchown(fd, me, group).into())),
            ("fchownat", errno(libc::fchownat(here, path, me, group, 0).into())),
            ("utime", call(libc::SYS_utime, [path as usize, 0, 0, 0])),
            ("utimes", call(libc::SYS_utimes, [path as usize, old_times.as_ptr() as usize, 0, 0])),
            (
                "futimesat",
                call(libc::SYS_futimesat, [here as usize, path as usize, old_times.as_ptr() as usize, 0]),
            ),
            ("utimensat", errno(libc::utimensat(here, path, times, 0).into())),
            ("lutimes", errno(libc::utimensat(here, path, times, libc::AT_SYMLINK_NOFOLLOW).into())),
            ("futimens", errno(libc::futimens(fd, times).into())),
            ("setxattr", errno(libc::setxattr(path, name.as_ptr(), value, 1, 0).into())),
            ("lsetxattr", errno(libc::lsetxattr(path, name.as_ptr(), value, 1, 0).into())),
            ("fsetxattr", errno(libc::fsetxattr(fd, name.as_ptr(), value, 1, 0).into())),
            ("removexattr", errno(libc::removexattr(path, name.as_ptr()).into())),
        ]
    }
}

fn check_metadata_is_safe(scene: &Scene) {
    let counts = scene.counts(|scene| {
        for (way, error) in change_metadata(&scene.outside()) {
            assert_eq!(error, NOT_PERMITTED, "{way}");
        }
        let through = scene.scratch().join("through");
        symlink(scene.outside(), &through).expect("a link to outside may be made");
        for (way, error) in change_metadata(&through) {
            assert_eq!(error, NOT_PERMITTED, "{way} through a link");
        }
    });
    assert_counts(&counts, &[(Kind::WriteInside, 1), (Kind::Metadata, 36), (Kind::ReadOutside, 2)]);
}

#[test]
fn metadata_of_a_file_outside_cannot_be_changed() {
    check_metadata_is_safe(&Scene::new());
}

#[test]
fn nor_can_its_owner_without_root() {
    check_metadata_is_safe(&Scene::without_root());
}

#[test]
fn metadata_below_scratch_can_be_changed_and_is_counted() {
    let scene = Scene::new();
    let counts = scene.counts(|scene| {
        let file = scene.scratch().join("own");
        fs::write(&file, "own").expect("written");
        for (way, error) in change_metadata(&file) {
            let fine = [0, libc::EOPNOTSUPP].contains(&error);
            assert!(fine, "{way}: {error}");
        }
    });
    assert_counts(&counts, &[(Kind::WriteInside, 1), (Kind::Metadata, 18)]);
    let status = fs::metadata(scene.scratch().join("own")).expect("there");
    assert_eq!(status.permissions().mode() & 0o777, 0o640);
    assert_eq!(std::os::unix::fs::MetadataExt::mtime(&status), 1);
}

#[test]
fn pipes_and_odd_devices_are_not_opened() {
    let scene = Scene::new();
    let pipe = scene.outside().parent().and_then(Path::parent).expect("a folder").join("pipe");
    // SAFETY: the path is a valid C string.
    assert_eq!(unsafe { libc::mkfifo(c_path(&pipe).as_ptr(), 0o600) }, 0);
    let counts = scene.counts(|_| {
        assert_eq!(error_of(fs::File::open(&pipe)), REFUSED);
        assert_eq!(error_of(fs::OpenOptions::new().write(true).open(&pipe)), REFUSED);
        let (reader, _writer) = std::io::pipe().expect("a pipe");
        let number = std::os::fd::AsRawFd::as_raw_fd(&reader);
        assert_eq!(error_of(fs::File::open(format!("/proc/self/fd/{number}"))), REFUSED);
        assert_eq!(error_of(fs::File::open("/dev/kmsg")), REFUSED);
        fs::File::open("/dev/urandom").expect("every program may");
    });
    assert_counts(&counts, &[(Kind::WriteOutside, 1), (Kind::ReadOutside, 3)]);
}

#[test]
fn many_threads_write_at_once_and_none_is_miscounted() {
    let counts = Scene::new().counts(|scene| {
        std::thread::scope(|scope| {
            for thread in 0..16 {
                scope.spawn(move || {
                    for round in 0..50 {
                        let path = scene.scratch().join(format!("{thread}-{round}"));
                        fs::write(&path, "x").expect("written");
                        assert_eq!(error_of(fs::write(scene.outside(), "x")), REFUSED);
                    }
                });
            }
        });
    });
    assert_counts(&counts, &[(Kind::WriteInside, 800), (Kind::WriteOutside, 800)]);
}

#[test]
fn a_bad_pointer_fails_the_call_and_nothing_else() {
    Scene::new().counts(|scene| {
        // SAFETY: the kernel refuses the pointer.
        let error = unsafe { errno(libc::syscall(libc::SYS_open, 1_usize, libc::O_WRONLY)) };
        assert_eq!(error, libc::EFAULT);
        // SAFETY: as above.
        let error = unsafe { errno(libc::syscall(libc::SYS_chmod, 1_usize, 0)) };
        assert_eq!(error, libc::EFAULT);
        fs::write(scene.scratch().join("own"), "x").expect("still works");
    });
}

#[test]
fn a_file_does_not_grow_beyond_the_limit() {
    let mut scene = Scene::new();
    scene.policy.limits.file_size = 1000;
    scene.counts(|scene| {
        // SAFETY: so that passing the limit is an error and not the end.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        assert_eq!(error_of(fs::write(scene.scratch().join("big"), [0; 2000])), libc::EFBIG);
    });
}
