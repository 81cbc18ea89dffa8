//! Classes that must stay as they are, because probes run on top of them.

/// Why a class, given by its binary name with slashes, cannot have probes; none if it can.
pub fn excluded(name: &str) -> Option<&'static str> {
    let own = name.starts_with("java/lang/JuratProbe") || name.starts_with("java/lang/JuratFuel");
    if own {
        return Some("part of the probes themselves");
    }
    CALLED.contains(&name).then_some("called by the probes")
}

/// What a probe calls, directly or through the JVM.
const CALLED: &[&str] = &["jdk/internal/misc/Unsafe", "jdk/internal/misc/UnsafeConstants"];
