//! Which JDKs there are, and which one Jurat would use.

use std::path::Path;

use jurat_classpath::jdk::{Jdk, JdkError, OLDEST, Search};
use serde::Serialize;

use super::Lack;

/// All JDKs found.
#[derive(Serialize)]
pub(super) struct Jdks {
    /// The one Jurat would use.
    pub(super) chosen: Option<Chosen>,
    pub(super) usable: Vec<Usable>,
    /// Why the others cannot be used.
    pub(super) unusable: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct Chosen {
    pub(super) home: String,
    /// What made the choice.
    pub(super) by: &'static str,
}

#[derive(Serialize)]
pub(super) struct Usable {
    pub(super) home: String,
    pub(super) version: String,
    pub(super) feature: u32,
    pub(super) libjvm: String,
    pub(super) javac: Option<String>,
}

impl Jdks {
    pub(super) fn find(search: &Search, asked: Option<&Path>) -> (Self, Vec<Lack>) {
        let mut usable = search.all();
        let choice = search.choose(asked);
        let mut unusable = search.unusable();
        unusable.retain(|error| choice.as_ref().err() != Some(error));
        let lacks = lacks(&choice, asked.is_some(), &usable);
        // A JDK named with --jdk may lie where no search goes.
        usable.extend(choice.iter().filter(|jdk| !usable.contains(jdk)).cloned().collect::<Vec<_>>());
        let chosen = choice.ok().map(|jdk| Chosen { by: reason(search, asked, &jdk), home: text(&jdk.home) });
        let jdks = Self {
            chosen,
            usable: usable.into_iter().map(Usable::from).collect(),
            unusable: unusable.iter().map(why_not).collect(),
        };
        (jdks, lacks)
    }
}

impl From<Jdk> for Usable {
    fn from(jdk: Jdk) -> Self {
        let Jdk { home, feature, version, libjvm, javac } = jdk;
        Self { home: text(&home), version, feature, libjvm: text(&libjvm), javac: javac.as_deref().map(text) }
    }
}

/// JSON holds no path that is not text.
pub(super) fn text(path: &Path) -> String {
    path.display().to_string()
}

fn lacks(choice: &Result<Jdk, JdkError>, asked: bool, usable: &[Jdk]) -> Vec<Lack> {
    match choice {
        Ok(jdk) if jdk.javac.is_some() => Vec::new(),
        Ok(jdk) => vec![Lack::new(
            "JDK",
            format!("{} has no bin/javac, which checks that written tests compile", jdk.home.display()),
            "install the whole JDK; on Debian: apt-get install openjdk-17-jdk-headless",
        )],
        Err(error @ JdkError::NoneFound { .. }) => {
            let text = error.to_string();
            let (what, remedy) = text.split_once(". ").unwrap_or((&text, ""));
            vec![Lack::new("JDK", what, remedy)]
        }
        Err(error) => {
            let source = if asked { "--jdk" } else { "JAVA_HOME" };
            let instead = usable.last().map_or_else(
                || {
                    "install a JDK 17 or newer (on Debian: apt-get install openjdk-17-jdk-headless)"
                        .to_owned()
                },
                |jdk| format!("name a usable one, such as {}", jdk.home.display()),
            );
            vec![Lack::new("JDK", format!("{source}: {}", why_not(error)), instead)]
        }
    }
}

/// The error without its advice, which here stands on a line of its own.
fn why_not(error: &JdkError) -> String {
    match error {
        JdkError::Missing(home) => format!("no such folder: {}", home.display()),
        JdkError::NotAJdk { home, reason } => format!("{} is no JDK: {reason}", home.display()),
        JdkError::TooOld { home, version } => {
            format!("{} is Java {version}, older than {OLDEST}", home.display())
        }
        JdkError::NoLibjvm(home) => format!("{} has no lib/server/libjvm.so", home.display()),
        JdkError::NoneFound { .. } => error.to_string(),
    }
}

fn reason(search: &Search, asked: Option<&Path>, chosen: &Jdk) -> &'static str {
    let path_alone = Search { path: search.path.clone(), ..Search::default() };
    if asked.is_some() {
        "--jdk"
    } else if search.java_home.is_some() {
        "JAVA_HOME"
    } else if path_alone.choose(None).as_ref() == Ok(chosen) {
        "PATH"
    } else {
        "newest"
    }
}
