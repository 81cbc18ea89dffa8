//! `jurat.toml`: what people would otherwise repeat on every command line.
//!
//! Every value is checked while the file is read, so that what is wrong is told with its place in the file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jurat_emit::Junit;
use jurat_model::{Constant, JavaString};
use serde::Deserialize;

use super::settings::{GoalName, StrategyName};
use crate::exit::Failure;

/// The file's name.
pub(crate) const NAME: &str = "jurat.toml";

/// The file's contents.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct File {
    pub(crate) classpath: Option<String>,
    pub(crate) libraries: Option<String>,
    pub(crate) classes: Vec<String>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) findings: Option<PathBuf>,
    pub(crate) budget: Option<Time>,
    pub(crate) steps: Option<u64>,
    pub(crate) seed: Option<u64>,
    pub(crate) strategy: Option<Listed<StrategyName>>,
    pub(crate) goal: Option<Listed<GoalName>>,
    pub(crate) junit: Option<JunitVersion>,
    pub(crate) workers: Option<usize>,
    pub(crate) jdk: Option<PathBuf>,
    pub(crate) private_access: Option<bool>,
    pub(crate) mocks: Option<bool>,
    pub(crate) set_aside: Vec<String>,
    pub(crate) values: Values,
    pub(crate) contracts: Contracts,
    pub(crate) exceptions: Exceptions,
}

/// Values to draw from, beside those found in the classes.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Values {
    byte: Vec<i8>,
    short: Vec<i16>,
    char: Vec<char>,
    int: Vec<i32>,
    long: Vec<i64>,
    float: Vec<f32>,
    double: Vec<f64>,
    string: Vec<String>,
}

/// Contracts beside those that every class has.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Contracts {
    /// Static methods that say whether their argument is as it should be.
    pub(crate) check: Vec<String>,
    /// Names of contracts not to check.
    pub(crate) off: Vec<String>,
}

/// What an exception means, by its class.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Exceptions {
    pub(crate) expected: Vec<String>,
    pub(crate) error: Vec<String>,
    pub(crate) invalid: Vec<String>,
}

impl File {
    /// The settings in a file; none if there is no such file.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                Self::parse(&text).map_err(|fault| Failure::usage(format!("{}:{fault}", path.display())))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Failure::environment(format!("cannot read {}: {error}", path.display()))),
        }
    }

    /// The settings in a text, or `LINE:COLUMN: what is wrong`.
    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            let message = error.message().replace("unknown field", "unknown key").replace('\n', "; ");
            format!("{line}:{column}: {message}")
        })
    }
}

impl Values {
    /// The values as a class file would hold them.
    pub(crate) fn constants(&self) -> Vec<Constant> {
        let bytes = self.byte.iter().map(|value| i32::from(*value));
        let shorts = self.short.iter().map(|value| i32::from(*value));
        let chars = self.char.iter().filter_map(|value| i32::try_from(u32::from(*value)).ok());
        let ints = bytes.chain(shorts).chain(chars).chain(self.int.iter().copied()).map(Constant::Int);
        let longs = self.long.iter().copied().map(Constant::Long);
        let floats = self.float.iter().map(|value| Constant::Float(value.to_bits()));
        let doubles = self.double.iter().map(|value| Constant::Double(value.to_bits()));
        let strings = self.string.iter().map(|value| Constant::String(JavaString::from(value.as_str())));
        ints.chain(longs).chain(floats).chain(doubles).chain(strings).collect()
    }
}

/// A time such as `500ms`, `60s` or `5m`, more than none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Time(pub(crate) Duration);

impl TryFrom<String> for Time {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl std::str::FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let unit = match &text[digits..] {
            "ms" => Some(0.001),
            "" | "s" => Some(1.0),
            "m" | "min" => Some(60.0),
            "h" => Some(3600.0),
            _ => None,
        };
        let number: Option<f64> = text[..digits].parse().ok();
        let seconds = number.zip(unit).map(|(number, unit)| number * unit);
        match seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
            Some(Duration::ZERO) => Err(format!("{text}: nothing can be found in no time")),
            Some(time) => Ok(Self(time)),
            None => Err(format!("{text}: write a time such as 500ms, 60s or 5m")),
        }
    }
}

/// 5 or 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "i64")]
pub(crate) struct JunitVersion(pub(crate) Junit);

impl TryFrom<i64> for JunitVersion {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        match number {
            5 => Ok(Self(Junit::Five)),
            4 => Ok(Self(Junit::Four)),
            other => Err(format!("JUnit {other} is not known; only 4 and 5 are")),
        }
    }
}

/// Names out of a few, separated by commas.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String", bound = "T: clap::ValueEnum")]
pub(crate) struct Listed<T>(pub(crate) Vec<T>);

impl<T: clap::ValueEnum> TryFrom<String> for Listed<T> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let name = |name: &str| {
            T::from_str(name.trim(), false).map_err(|_| {
                let known: Vec<String> = T::value_variants()
                    .iter()
                    .filter_map(|variant| Some(variant.to_possible_value()?.get_name().to_owned()))
                    .collect();
                format!("{name} is not known here; there are {}", known.join(", "))
            })
        };
        text.split(',').map(name).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_can_be_set() {
        let text = r#"
classpath = "target/classes"
libraries = "lib/guava.jar"
classes = ["com.acme.*"]
out = "src/test/java"
findings = "found"
budget = "1.5m"
seed = 5
strategy = "random"
goal = "branch, exception"
junit = 4
workers = 2
jdk = "/opt/jdk"
private-access = false
mocks = false
set-aside = ["com.acme.Shop.close"]

[values]
int = [42, -1]
char = ["x"]
double = [0.5, inf]
string = ["EUR", ""]

[contracts]
check = ["com.acme.Checks.isBalanced"]
off = ["clone"]

[exceptions]
error = ["java.lang.IllegalStateException"]
"#;
        let file = File::parse(text).expect("all keys are known");
        assert_eq!(file.budget, Some(Time(Duration::from_secs(90))));
        assert_eq!(file.junit, Some(JunitVersion(Junit::Four)));
        assert_eq!(file.goal, Some(Listed(vec![GoalName::Branch, GoalName::Exception])));
        let constants = file.values.constants();
        assert!(constants.contains(&Constant::Int(i32::from(b'x'))), "{constants:?}");
        assert!(constants.contains(&Constant::String("EUR".into())), "{constants:?}");
        assert_eq!(constants.len(), 7);
    }

    /// What is said about a file, which must name the place and hold all the parts.
    fn check_refused(text: &str, place: &str, parts: &[&str]) {
        let said = File::parse(text).expect_err("it is wrong");
        assert!(said.starts_with(place), "{said}");
        for part in parts {
            assert!(said.contains(part), "{part} is not in: {said}");
        }
        assert_eq!(said.lines().count(), 1, "{said}");
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line_and_those_that_are_allowed() {
        check_refused("seed = 1\nclases = []\n", "2:1:", &["`clases`", "`classes`", "`budget`"]);
        check_refused("[values]\nints = [1]\n", "2:1:", &["`ints`", "`int`", "`string`"]);
        check_refused("[contracts]\nchecks = []\n", "2:1:", &["`checks`", "`check`", "`off`"]);
    }

    #[test]
    fn a_wrong_type_or_value_is_told_with_its_line_and_what_is_allowed() {
        check_refused("\nseed = \"five\"\n", "2:8:", &["u64"]);
        check_refused("budget = \"soon\"\n", "1:10:", &["500ms, 60s or 5m"]);
        check_refused("budget = \"0s\"\n", "1:10:", &["no time"]);
        check_refused("junit = 3\n", "1:9:", &["only 4 and 5"]);
        check_refused("strategy = \"magic\"\n", "1:12:", &["magic", "random"]);
        check_refused("[values]\nint = [3000000000]\n", "2:8:", &["i32"]);
        check_refused("[values]\nchar = [\"ab\"]\n", "2:9:", &["character"]);
        check_refused("seed = \n", "1:", &[]);
    }

    #[test]
    fn times_have_units() {
        let time = |text: &str| text.parse::<Time>().ok().map(|time| time.0);
        assert_eq!(time("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(time("60"), Some(Duration::from_secs(60)));
        assert_eq!(time("1.5m"), Some(Duration::from_secs(90)));
        assert_eq!(time("soon"), None);
        assert_eq!(time("-3s"), None);
    }
}
