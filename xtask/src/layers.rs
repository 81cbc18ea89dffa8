//! Which crate may use which: dependencies point down only.

use crate::metadata::{Metadata, Package};

/// Our crates, top layer first. A crate may use those of the layers below its own, never a sibling.
/// A change here is a change of the architecture: give its reason in ARCHITECTURE.md.
const LAYERS: &[&[&str]] = &[
    &["cli"],
    &["engine"],
    &["pool", "worker", "subject", "oracle", "emit", "validate"],
    &["exhaustive", "random", "search"],
    &["instrument", "protocol", "sandbox"],
    &["model", "classfile", "classpath"],
    &["base"],
];

/// Crates that may use only these of ours: a strategy never sees a worker, and text
/// is made without one.
const NARROW: &[(&str, &[&str])] = &[
    ("exhaustive", &["model", "base"]),
    ("random", &["protocol", "base"]),
    ("search", &["protocol", "base"]),
    ("emit", &["model"]),
    ("classfile", &["base"]),
];

/// Ours, but for tests only: may use any of the others, and nothing that ships may use it.
const FOR_TESTS: &[&str] = &["testkit"];

/// Crates from elsewhere that only one of ours may use, because it is what that crate is for.
const OWNED: &[(&str, &str)] = &[
    ("clap", "cli"),
    ("jni-sys", "worker"),
    ("libloading", "worker"),
    ("landlock", "sandbox"),
    ("seccompiler", "sandbox"),
    ("postcard", "protocol"),
    ("zip", "classpath"),
];

/// What all our crates are named after.
const PREFIX: &str = "jurat-";

pub(crate) fn breaches(metadata: &Metadata) -> Vec<String> {
    let ships = |name: &str| name != "xtask" && !FOR_TESTS.contains(&short(name));
    metadata.packages.iter().filter(|package| ships(&package.name)).flat_map(package_breaches).collect()
}

fn package_breaches(package: &Package) -> Vec<String> {
    let name = short(&package.name);
    let Some(layer) = layer_of(name) else {
        return vec![format!("crate {} has no place in LAYERS of xtask/src/layers.rs", package.name)];
    };
    // Tests may look up and sideways: a crate is often tried best through what is built on it.
    let shipped = package.dependencies.iter().filter(|dependency| dependency.kind.as_deref() != Some("dev"));
    let mut breaches = Vec::new();
    for used in shipped {
        if let Some(used) = used.name.strip_prefix(PREFIX) {
            if layer_of(used).is_none_or(|below| below <= layer) {
                breaches.push(format!("crate {name} may not use {used}: not in a layer below"));
            } else if NARROW.iter().any(|(narrow, only)| name == *narrow && !only.contains(&used)) {
                breaches.push(format!("crate {name} may not use {used}: see NARROW in xtask/src/layers.rs"));
            }
        }
        if let Some((_, owner)) = OWNED.iter().find(|(owned, owner)| used.name == *owned && name != *owner) {
            breaches.push(format!("crate {name} may not use {}: that is for {owner} only", used.name));
        }
    }
    breaches
}

fn short(package: &str) -> &str {
    package.strip_prefix(PREFIX).unwrap_or(package)
}

/// 0 is the top.
fn layer_of(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    fn check(package: &str, used: &str, kind: Option<&str>, expected: &[&str]) {
        let dependency = Dependency { name: used.to_owned(), kind: kind.map(str::to_owned) };
        let package = Package {
            name: package.to_owned(),
            manifest_path: String::new(),
            dependencies: vec![dependency],
        };
        assert_eq!(package_breaches(&package), expected);
    }

    #[test]
    fn using_a_lower_layer_is_fine() {
        check("jurat-cli", "jurat-base", None, &[]);
    }

    #[test]
    fn using_a_higher_layer_is_a_breach() {
        check("jurat-base", "jurat-cli", None, &["crate base may not use cli: not in a layer below"]);
    }

    #[test]
    fn using_a_sibling_is_a_breach_except_in_tests() {
        check("jurat-pool", "jurat-worker", None, &["crate pool may not use worker: not in a layer below"]);
        check("jurat-pool", "jurat-worker", Some("dev"), &[]);
    }

    #[test]
    fn a_narrow_crate_may_use_only_what_it_is_granted() {
        check("jurat-exhaustive", "jurat-base", None, &[]);
        let breach = "crate exhaustive may not use protocol: see NARROW in xtask/src/layers.rs";
        check("jurat-exhaustive", "jurat-protocol", None, &[breach]);
    }

    #[test]
    fn what_ships_may_not_use_what_is_for_tests() {
        let breach = "crate cli may not use testkit: not in a layer below";
        check("jurat-cli", "jurat-testkit", None, &[breach]);
        check("jurat-cli", "jurat-testkit", Some("dev"), &[]);
    }

    #[test]
    fn a_crate_without_a_layer_is_a_breach() {
        check("jurat-new", "serde", None, &["crate jurat-new has no place in LAYERS of xtask/src/layers.rs"]);
    }

    #[test]
    fn only_its_owner_may_use_an_owned_crate() {
        check("jurat-worker", "jni-sys", None, &[]);
        check("jurat-pool", "jni-sys", None, &["crate pool may not use jni-sys: that is for worker only"]);
    }
}
