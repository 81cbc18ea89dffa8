//! Asks a build tool and keeps what it prints.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{JoinHandle, sleep};
use std::time::Duration;

/// A build tool that has not answered by then is stuck, perhaps on the network.
const LIMIT: Duration = Duration::from_secs(300);
const TICK: Duration = Duration::from_millis(20);

/// What it printed on both streams, or the last thing it complained about.
#[expect(clippy::disallowed_methods, reason = "only the build tool knows the class path")]
pub(crate) fn ask(program: &Path, folder: &Path, args: &[&str]) -> Result<String, String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let child = Command::new(program)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);
    let succeeded = wait(&mut child)?;
    let (stdout, stderr) = (text(stdout), text(stderr));
    if succeeded { Ok(stdout) } else { Err(complaint(&stdout, &stderr)) }
}

fn wait(child: &mut Child) -> Result<bool, String> {
    let mut waited = Duration::ZERO;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if waited < LIMIT => sleep(TICK),
            Ok(None) => {
                // It may have ended in the meantime, and then there is nothing to do.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no answer within {} s", LIMIT.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
        waited += TICK;
    }
}

fn collect(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before a stream broke is still an answer.
        let _ = stream.read_to_end(&mut bytes);
        bytes
    })
}

fn text(reader: Option<JoinHandle<Vec<u8>>>) -> String {
    let bytes = reader.and_then(|reader| reader.join().ok()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The first line that says what went wrong, without the tool's decoration.
fn complaint(stdout: &str, stderr: &str) -> String {
    let lines = || stdout.lines().chain(stderr.lines()).map(str::trim).filter(|line| !line.is_empty());
    let error =
        lines().find_map(|line| Some(line.strip_prefix("[ERROR]")?.trim()).filter(|rest| !rest.is_empty()));
    let last = || stderr.lines().chain(stdout.lines()).map(str::trim).find(|line| !line.is_empty());
    let found = error.or_else(last).unwrap_or("it failed without a word");
    found.split(" -> [Help").next().unwrap_or(found).to_owned()
}

/// The first of these names that is a program on `PATH`.
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_maven_complains_about_is_told_without_its_decoration() {
        let said =
            "[INFO] BUILD FAILURE\n[ERROR] Cannot access central in offline mode -> [Help 1]\n[ERROR]\n";
        assert_eq!(complaint(said, ""), "Cannot access central in offline mode");
        assert_eq!(complaint("", "\nFAILURE: Build failed\n"), "FAILURE: Build failed");
        assert_eq!(complaint("", ""), "it failed without a word");
    }

    #[test]
    fn a_program_that_does_not_exist_is_named() {
        let said = ask(Path::new("/no/such/program"), Path::new("."), &[]).expect_err("it does not exist");
        assert!(said.contains("/no/such/program"), "{said}");
    }
}
