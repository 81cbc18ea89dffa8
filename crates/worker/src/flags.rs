//! The options the JVM is created with.

use jurat_protocol::Boot;

/// All options, in order.
pub(crate) fn flags(boot: &Boot) -> Vec<String> {
    let mut flags: Vec<String> =
        MEMORY.iter().chain(speed(boot)).chain(SPEED).chain(SAFETY).map(ToString::to_string).collect();
    flags.push(format!("-Xms{}m", initial_heap(boot)));
    flags.push(format!("-Xmx{}m", boot.heap_mib));
    // Mode 2, the same hash for every object, is the only one that does not depend on what ran before.
    flags.push(format!("-XX:hashCode={}", boot.hash_mode));
    flags.extend(properties(boot));
    flags.extend(boot.agents.iter().map(|agent| format!("-javaagent:{agent}")));
    flags
}

/// Small areas: dozens of workers share one machine, and address space is limited by the sandbox.
const MEMORY: &[&str] = &[
    "-XX:MaxMetaspaceSize=192m",
    "-XX:MaxDirectMemorySize=64m",
    "-XX:CompressedClassSpaceSize=64m",
    "-XX:ReservedCodeCacheSize=64m",
];

/// How large the heap is to begin with, in MiB. Calls at random make large arrays: there is room for some from the start,
/// because before the heap grows the collector goes through all of it.
fn initial_heap(boot: &Boot) -> u32 {
    let wanted = if boot.hot { 32 } else { 112 };
    boot.heap_mib.min(wanted)
}

/// The simplest collector, and the class archive.
const SPEED: &[&str] = &["-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto"];

fn speed(boot: &Boot) -> &'static [&'static str] {
    if boot.hot {
        // One predicate runs for minutes: both compilers, room for garbage, and no stack
        // traces of the exceptions it throws, which nobody looks at.
        &["-Xmn64m", "-XX:-StackTraceInThrowable"]
    } else {
        // Sequences are short: the first compiler will do.
        &["-Xmn16m", "-XX:TieredStopAtLevel=1"]
    }
}

/// What lets a worker be cut, watched and repeated.
const SAFETY: &[&str] = &[
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:+UnlockExperimentalVMOptions",
    // Loops must reach a safepoint to be stopped.
    "-XX:+UseCountedLoopSafepoints",
    "-XX:LoopStripMiningIter=1",
    // The clock is ours.
    "-XX:DisableIntrinsic=_currentTimeMillis,_nanoTime",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:-CreateCoredumpOnCrash",
    "-XX:ErrorFile=/dev/null",
    "-XX:+DisableAttachMechanism",
    // Threads that come and go are the subject's.
    "-XX:-UseDynamicNumberOfCompilerThreads",
    // Signals keep their default meaning: SIGTERM ends the process at once, without shutdown hooks.
    "-Xrs",
    "-ea",
];

/// System properties that would otherwise tell about the machine or its user.
fn properties(boot: &Boot) -> Vec<String> {
    // The same name in every worker, and each worker's own folder: nothing tells them apart.
    let scratch = "/proc/self/cwd";
    [
        ("user.timezone", boot.zone.as_str()),
        ("user.language", &boot.language),
        ("user.country", &boot.country),
        ("user.name", USER),
        ("user.home", scratch),
        ("user.dir", scratch),
        ("java.io.tmpdir", scratch),
        ("java.awt.headless", "true"),
        ("file.encoding", "UTF-8"),
        ("sun.jnu.encoding", "UTF-8"),
        ("os.name", "Linux"),
        ("os.version", "0"),
    ]
    .iter()
    .map(|(name, value)| format!("-D{name}={value}"))
    .collect()
}

/// The name of a user that nobody has: where it shows up, a value came from the environment.
pub(crate) const USER: &str = "jurat-nobody-7c1f";
