//! What the documents name must exist: paths, crates, make targets and link targets.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::files::below;
use crate::metadata::{Metadata, Package};

/// Documents at the root; those below `docs/` are read too.
const AT_ROOT: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/// First parts of paths that exist only after a build, or in the user's project, or outside of ours.
const ELSEWHERE: &[&str] = &["target", ".jurat", "src", "jurat-findings", "~", "http:", "https:", "jrt:"];

/// What there is to name.
struct Named<'a> {
    root: &'a Path,
    crates: Vec<&'a str>,
    makefile: String,
}

pub(crate) fn breaches(root: &Path, metadata: &Metadata) -> Result<Vec<String>> {
    let named = Named {
        root,
        crates: metadata.packages.iter().map(|package| package.name.as_str()).collect(),
        makefile: fs::read_to_string(root.join("Makefile")).context("Makefile")?,
    };
    let mut breaches = Vec::new();
    for document in documents(root)? {
        let text = fs::read_to_string(&document).with_context(|| document.display().to_string())?;
        breaches.extend(document_breaches(&document, &text, &named));
        if document.ends_with("ARCHITECTURE.md") {
            let unnamed =
                metadata.packages.iter().filter(|package| !text.contains(&folder_of(package, root)));
            breaches
                .extend(unnamed.map(|package| format!("ARCHITECTURE.md: does not name {}", package.name)));
        }
    }
    Ok(breaches)
}

/// How documents call a crate: by its folder, in backticks.
fn folder_of(package: &Package, root: &Path) -> String {
    let folder = Path::new(&package.manifest_path).parent().unwrap_or(root);
    format!("`{}`", folder.strip_prefix(root).unwrap_or(folder).display())
}

fn documents(root: &Path) -> Result<Vec<PathBuf>> {
    let mut documents: Vec<PathBuf> = AT_ROOT.iter().map(|name| root.join(name)).collect();
    let docs = root.join("docs");
    if docs.is_dir() {
        documents
            .extend(below(&docs)?.into_iter().filter(|path| path.extension().is_some_and(|e| e == "md")));
    }
    Ok(documents)
}

fn document_breaches(document: &Path, text: &str, named: &Named<'_>) -> Vec<String> {
    let name = document.strip_prefix(named.root).unwrap_or(document).display().to_string();
    let folder = document.parent().unwrap_or(named.root);
    let mut breaches = Vec::new();
    for (number, line) in unfenced(text) {
        for word in quoted(line) {
            if let Some(what) = missing(word, folder, named) {
                breaches.push(format!("{name}:{number}: names {what} `{word}`, which does not exist"));
            }
        }
        for target in link_targets(line) {
            let path = target.split('#').next().unwrap_or_default();
            if !path.is_empty() && !is_elsewhere(path) && !folder.join(path).exists() {
                breaches.push(format!("{name}:{number}: links to {target}, which does not exist"));
            }
        }
    }
    breaches
}

/// What sort of thing the word names, if it names one that does not exist.
fn missing(word: &str, folder: &Path, named: &Named<'_>) -> Option<&'static str> {
    if let Some(target) = word.strip_prefix("make ") {
        let target = target.split(' ').next().unwrap_or_default();
        let rule = format!("{target}:");
        let exists = named.makefile.lines().any(|line| line.starts_with(&rule));
        return (!exists).then_some("the make target");
    }
    if word.starts_with("jurat-") && !word.contains(['/', '.', ' ']) {
        return (!named.crates.contains(&word)).then_some("the crate");
    }
    let exists = || named.root.join(word).exists() || folder.join(word).exists();
    (looks_like_path(word) && !is_elsewhere(word) && !exists()).then_some("the path")
}

fn looks_like_path(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let file = [".rs", ".md", ".toml", ".java", ".txt"].iter().any(|extension| word.ends_with(extension));
    word.chars().all(plain) && !word.starts_with(['/', '-']) && (word.contains('/') || file)
}

fn is_elsewhere(path: &str) -> bool {
    path == "jurat.toml" || path.split('/').next().is_some_and(|first| ELSEWHERE.contains(&first))
}

/// The lines outside fenced blocks, with their numbers.
fn unfenced(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((index + 1, line))
    })
}

/// What stands between pairs of backticks.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// What stands in `](…)`.
fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let root = tempfile::tempdir().expect("a scratch folder");
        fs::create_dir_all(root.path().join("crates/base")).expect("a folder in it");
        let named =
            Named { root: root.path(), crates: vec!["jurat-base"], makefile: "test: setup\n".to_owned() };
        let breaches = document_breaches(&root.path().join("README.md"), text, &named);
        assert_eq!(breaches, expected);
    }

    #[test]
    fn what_exists_may_be_named() {
        check("`crates/base`, `jurat-base`, `make test`, [base](crates/base#x), `a / b`, `--out DIR`", &[]);
    }

    #[test]
    fn a_path_that_does_not_exist_is_a_breach() {
        check("one\n`crates/none`", &["README.md:2: names the path `crates/none`, which does not exist"]);
        check("`NOTES.md`", &["README.md:1: names the path `NOTES.md`, which does not exist"]);
    }

    #[test]
    fn a_crate_or_make_target_that_does_not_exist_is_a_breach() {
        check("`jurat-none`", &["README.md:1: names the crate `jurat-none`, which does not exist"]);
        check("`make none`", &["README.md:1: names the make target `make none`, which does not exist"]);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_a_breach() {
        check("[x](gone.md)", &["README.md:1: links to gone.md, which does not exist"]);
        check("[x](https://example.org/gone.md)", &[]);
    }

    #[test]
    fn fenced_blocks_and_paths_of_other_trees_are_not_checked() {
        check("```text\n`crates/none`\n```\n`target/release/jurat` `src/test/java` `/usr/lib/jvm`", &[]);
    }
}
