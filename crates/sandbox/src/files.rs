//! Landlock: files change below scratch only, programs are not executed, TCP is closed.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope, make_bitflags,
};

use crate::{Features, SandboxError};

/// Device files that swallow or make up data; writing to them changes nothing.
const HARMLESS_DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Restricts this thread and those it starts. Reading stays free: the JVM reads the JDK, the class path
/// and `/proc`, and the subject may read what its user may.
pub(crate) fn restrict(scratch: &Path, features: &Features) -> Result<(), SandboxError> {
    let abi = ABI::from(features.landlock.map_or(0, u32::cast_signed));
    let changes = AccessFs::from_write(abi);
    let mut ruleset = Ruleset::default()
        .handle_access(changes | AccessFs::Execute)?
        .create_with(abi)?
        .add_rule(PathBeneath::new(open(scratch)?, changes & !special_files()))?;
    for device in HARMLESS_DEVICES.iter().map(Path::new).filter(|device| device.exists()) {
        let writes = changes & (AccessFs::WriteFile | AccessFs::Truncate);
        ruleset = ruleset.add_rule(PathBeneath::new(open(device)?, writes))?;
    }
    ruleset.restrict_self()?;
    Ok(())
}

/// Devices, pipes and sockets are not made, not even in scratch: the supervisor opens files for the
/// subject, and to open a pipe would make it wait.
fn special_files() -> BitFlags<AccessFs> {
    make_bitflags!(AccessFs::{MakeChar | MakeBlock | MakeFifo | MakeSock})
}

fn open(path: &Path) -> Result<PathFd, SandboxError> {
    PathFd::new(path).map_err(|error| SandboxError::Scratch {
        path: path.to_owned(),
        source: std::io::Error::other(error),
    })
}

/// Adds what only some versions know.
trait CreateWith {
    fn create_with(self, abi: ABI) -> Result<landlock::RulesetCreated, RulesetError>;
}

impl CreateWith for Ruleset {
    fn create_with(mut self, abi: ABI) -> Result<landlock::RulesetCreated, RulesetError> {
        if abi >= ABI::V4 {
            self = self.handle_access(AccessNet::from_all(abi))?;
        }
        if abi >= ABI::V6 {
            self = self.scope(Scope::from_all(abi))?;
        }
        self.create()
    }
}
