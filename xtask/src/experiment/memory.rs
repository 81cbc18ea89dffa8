//! The memory of a process and of all it started, from `/proc`.

use std::collections::BTreeMap;
use std::fs;

/// The most that was seen at one moment, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Peak {
    /// Processes of the program itself: the engine and its workers.
    pub(crate) own: u64,
    /// With the compiler and the JVMs that emitted tests run in.
    pub(crate) all: u64,
}

impl Peak {
    /// Adds up what the processes below `root` hold now.
    pub(crate) fn look(&mut self, root: u32) {
        let processes = processes();
        let own_name = processes.get(&root).map(|process| process.name.clone());
        let (mut own, mut all) = (0, 0);
        for (id, process) in &processes {
            if is_below(*id, root, &processes) {
                let held = resident(*id);
                all += held;
                if Some(&process.name) == own_name.as_ref() {
                    own += held;
                }
            }
        }
        self.own = self.own.max(own);
        self.all = self.all.max(all);
    }
}

struct Process {
    parent: u32,
    name: String,
}

fn processes() -> BTreeMap<u32, Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return BTreeMap::new() };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|id| Some((id, parse(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?, id)?)))
        .collect()
}

/// `17 (name, may have spaces) S 1 …`: the parent is the second word after the name.
fn parse(stat: &str, id: u32) -> Option<Process> {
    let (front, back) = stat.rsplit_once(')')?;
    let parent = back.split_whitespace().nth(1)?.parse().ok()?;
    // The file that runs says more than the name, which any thread may change.
    let program = fs::read_link(format!("/proc/{id}/exe")).ok();
    let name = program.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let name = name.or_else(|| Some(front.split_once('(')?.1.to_owned()))?;
    Some(Process { parent, name })
}

fn is_below(id: u32, root: u32, processes: &BTreeMap<u32, Process>) -> bool {
    let mut at = id;
    // A process that ends while we look can leave a loop of reused ids; no tree is this deep.
    for _ in 0..64 {
        if at == root {
            return true;
        }
        match processes.get(&at) {
            Some(process) if process.parent != 0 => at = process.parent,
            _ => return false,
        }
    }
    false
}

/// Resident pages, in bytes. Memory that processes share counts once for each.
pub(crate) fn resident(id: u32) -> u64 {
    const PAGE: u64 = 4096;
    let pages = fs::read_to_string(format!("/proc/{id}/statm")).ok();
    let pages = pages.and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_memory_is_seen() {
        let mut peak = Peak::default();
        peak.look(std::process::id());
        assert!(peak.own > 1 << 16 && peak.all >= peak.own, "{peak:?}");
    }

    #[test]
    fn a_name_may_hold_spaces_and_parentheses() {
        let process = parse("17 (a) b) S 3 17 17", u32::MAX).expect("it is well formed");
        assert_eq!((process.parent, process.name.as_str()), (3, "a) b"));
    }
}
