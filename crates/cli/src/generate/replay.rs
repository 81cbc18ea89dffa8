//! The command that repeats a run: every setting that somebody chose, and the seed.

use std::fmt::{Display, Write};
use std::path::Path;

use jurat_emit::Junit;
use jurat_engine::Budget;

use super::file::File;
use super::settings::{Args, Settings};

/// The command, for a shell. What only `jurat.toml` can say is read from there again.
pub(super) fn line(args: &Args, file: &File, settings: &Settings, junit: Option<Junit>) -> String {
    let shown = |path: Option<&Path>| path.map(|path| path.display().to_string());
    let mut line = Line("jurat generate".to_owned());
    line.option("classpath", args.classpath.as_ref().or(file.classpath.as_ref()));
    line.option("libraries", args.libraries.as_ref().or(file.libraries.as_ref()));
    line.options("module", &args.modules);
    line.options("class", &settings.classes);
    line.option("out", shown(args.out.as_deref().or(file.out.as_deref())));
    line.option("findings", shown(args.findings.as_deref().or(file.findings.as_deref())));
    line.options("strategy", settings.strategies.iter().map(|strategy| strategy.name()));
    line.options("goal", settings.goals.iter().map(|goal| goal.name()));
    line.option("junit", junit.map(|junit| if junit == Junit::Four { 4 } else { 5 }));
    line.option("workers", settings.workers);
    line.option("jdk", shown(settings.jdk.as_deref()));
    line.flag("all-assertions", settings.all_assertions);
    line.flag("no-feedback", !settings.feedback);
    line.flag("no-private-access", !settings.allowed.private_access);
    line.flag("no-mocks", !settings.allowed.mocks);
    line.flag("no-sandbox", !settings.sandbox);
    match settings.asked {
        Budget::Steps(steps) => line.option("steps", Some(steps)),
        Budget::Time(time) => line.option("budget", Some(format!("{}s", time.as_secs_f64()))),
    }
    line.option("seed", Some(settings.seed.0));
    line.0
}

/// A command that grows.
struct Line(String);

impl Line {
    fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            let _ = write!(self.0, " --{name}");
        }
    }

    fn option(&mut self, name: &str, value: Option<impl Display>) {
        self.options(name, value);
    }

    fn options(&mut self, name: &str, values: impl IntoIterator<Item = impl Display>) {
        for value in values {
            let _ = write!(self.0, " --{name} {}", quoted(&value.to_string()));
        }
    }
}

/// A word as a shell takes it for itself alone.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_@%+=:,./-".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        args: Args,
    }

    /// The command that repeats one with these arguments.
    fn repeated(arguments: &[&str]) -> String {
        let command = Command::try_parse_from([&["generate"], arguments].concat());
        let args = command.unwrap_or_else(|refused| panic!("{refused}")).args;
        let settings = Settings::resolve(&args).unwrap_or_else(|failure| panic!("{failure:?}"));
        settings[0].replay.clone()
    }

    #[test]
    fn a_run_without_wishes_is_repeated_by_its_seed() {
        let line = repeated(&["--classpath", "classes", "--seed", "3"]);
        assert_eq!(line, "jurat generate --classpath classes --budget 60s --seed 3");
    }

    #[test]
    fn every_setting_that_was_chosen_is_written_as_a_shell_takes_it() {
        let chosen = [
            ["--classpath", "my classes"],
            ["--libraries", "lib/*"],
            ["--class", "org.acme.Outer$Inner"],
            ["--class", "o'clock.*"],
            ["--out", "tests"],
            ["--findings", "found"],
            ["--strategy", "search"],
            ["--goal", "line"],
            ["--junit", "4"],
            ["--workers", "2"],
            ["--jdk", "/opt/jdk"],
        ];
        let flags =
            ["--all-assertions", "--no-feedback", "--no-private-access", "--no-mocks", "--no-sandbox"];
        let budget = ["--steps", "100", "--seed", "3"];
        assert_eq!(
            repeated(&[chosen.as_flattened(), &flags, &budget].concat()),
            r"jurat generate --classpath 'my classes' --libraries 'lib/*' --class 'org.acme.Outer$Inner' --class 'o'\''clock.*' --out tests --findings found --strategy search --goal line --junit 4 --workers 2 --jdk /opt/jdk --all-assertions --no-feedback --no-private-access --no-mocks --no-sandbox --steps 100 --seed 3"
        );
    }
}
