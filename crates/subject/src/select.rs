//! Which classes of a class path the user asked for.

use jurat_classpath::ClassPath;

use crate::error::LoadError;
use crate::nearest;

/// A class name or glob as the user wrote it.
///
/// `org.foo.Bar` is that class and what is nested in it; `Bar` is the one class of that simple
/// name; `org.foo.*` are the classes of a package, `org.foo.**` those of its subpackages too; in
/// a pattern without a dot, `*` ranges over the simple names of all packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// The pattern written as `text`.
    pub fn new(text: &str) -> Self {
        Self(text.trim().replace('/', "."))
    }

    /// True if this very class is meant, and not only among others: `Bar` for `org.foo.Bar`, but neither `org.foo.*` nor
    /// what is nested in it.
    pub fn names(&self, name: &str) -> bool {
        let name = name.replace('/', ".");
        let whole = if self.is_simple() { simple_name(&name) } else { &name };
        let is_meant = whole == self.0 || whole.replace('$', ".") == self.0;
        !self.is_glob() && (is_meant || self.matches_nested(whole) || self.names_nested(&name))
    }

    fn is_glob(&self) -> bool {
        self.0.contains(['*', '?'])
    }

    fn is_simple(&self) -> bool {
        !self.0.contains('.')
    }

    /// True if the class of this internal name, or one it is nested in, is meant.
    fn matches(&self, internal_name: &str) -> bool {
        let name = internal_name.replace('/', ".");
        let whole = if self.is_simple() { simple_name(&name) } else { &name };
        outer_names(whole).any(|part| glob(self.0.as_bytes(), part.as_bytes()))
            || glob(self.0.as_bytes(), whole.replace('$', ".").as_bytes())
            || self.matches_nested(whole)
    }

    /// True if the pattern is the simple name of this nested class.
    fn names_nested(&self, internal_name: &str) -> bool {
        self.is_simple()
            && !self.is_glob()
            && internal_name.rsplit_once('$').is_some_and(|(_, last)| last == self.0)
    }

    /// Nested classes can be written with dots: `Map.Entry`, `java.util.Map.Entry`.
    fn matches_nested(&self, name: &str) -> bool {
        let dotted = name.replace('$', ".");
        let nested_simple = self.0.matches('.').count() == 1 && name.contains('$');
        nested_simple && !self.is_glob() && {
            let tail: Vec<&str> = dotted.rsplitn(3, '.').collect();
            tail.len() >= 2 && format!("{}.{}", tail[1], tail[0]) == self.0
        }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

/// `a.B$C$D`, then `a.B$C`, then `a.B`.
fn outer_names(name: &str) -> impl Iterator<Item = &str> {
    let start = name.rfind('.').map_or(0, |dot| dot + 1);
    let cuts = name.char_indices().filter(move |(at, letter)| *letter == '$' && *at > start);
    std::iter::once(name).chain(cuts.map(|(at, _)| &name[..at]))
}

fn simple_name(name: &str) -> &str {
    name.rfind('.').map_or(name, |dot| &name[dot + 1..])
}

/// `?` is one letter but a dot, `*` any number of them, `**` any letters at all.
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    match pattern {
        [] => name.is_empty(),
        [b'*', b'*', rest @ ..] => (0..=name.len()).any(|skip| glob(rest, &name[skip..])),
        [b'*', rest @ ..] => {
            let reach = name.iter().position(|letter| *letter == b'.').unwrap_or(name.len());
            (0..=reach).any(|skip| glob(rest, &name[skip..]))
        }
        [b'?', rest @ ..] => name.first().is_some_and(|letter| *letter != b'.') && glob(rest, &name[1..]),
        [letter, rest @ ..] => name.first() == Some(letter) && glob(rest, &name[1..]),
    }
}

/// The internal names of the classes that were asked for, sorted. Without patterns these are all
/// classes of the entries the user named; classes that a jar's manifest brings in are found too,
/// but only when a pattern names them.
pub fn select(class_path: &ClassPath, patterns: &[Pattern]) -> Result<Vec<String>, LoadError> {
    if patterns.is_empty() {
        return Ok(class_path.names().filter(|name| class_path.is_named(name)).map(str::to_owned).collect());
    }
    let mut selected = std::collections::BTreeSet::new();
    for pattern in patterns {
        let mut found: Vec<&str> = class_path.names().filter(|name| pattern.matches(name)).collect();
        if found.is_empty() {
            found = class_path.names().filter(|name| pattern.names_nested(name)).collect();
        }
        if found.is_empty() {
            let near = nearest::names(class_path.names(), &pattern.0);
            return Err(LoadError::UnknownClass { pattern: pattern.0.clone(), near });
        }
        if pattern.is_simple() && !pattern.is_glob() {
            refuse_ambiguous(pattern, &found)?;
        }
        selected.extend(found.into_iter().map(str::to_owned));
    }
    Ok(selected.into_iter().collect())
}

/// A simple name must mean one class; it is fine for nested classes to come along.
fn refuse_ambiguous(pattern: &Pattern, found: &[&str]) -> Result<(), LoadError> {
    let mut candidates: Vec<String> = found
        .iter()
        .map(|name| name.replace('/', "."))
        .filter(|name| name.rsplit(['.', '$']).next() == Some(&pattern.0))
        .collect();
    candidates.sort();
    if candidates.len() > 1 {
        return Err(LoadError::AmbiguousClass { pattern: pattern.0.clone(), candidates });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        let pattern = Pattern::new(pattern);
        for name in matching {
            assert!(pattern.matches(name), "{pattern} means {name}");
        }
        for name in others {
            assert!(!pattern.matches(name), "{pattern} does not mean {name}");
        }
    }

    #[test]
    fn a_full_name_means_the_class_and_what_is_nested_in_it() {
        check(
            "java.util.Map",
            &["java/util/Map", "java/util/Map$Entry"],
            &["java/util/Maps", "java/util/HashMap", "java/util/Map/Entry"],
        );
        check("java.util.Map.Entry", &["java/util/Map$Entry"], &["java/util/Map"]);
        check("java.util.Map$Entry", &["java/util/Map$Entry"], &["java/util/Map"]);
    }

    #[test]
    fn a_simple_name_means_a_class_of_any_package() {
        check("Map", &["java/util/Map", "Map", "java/util/Map$Entry"], &["java/util/HashMap", "Map/Other"]);
        check("Map.Entry", &["java/util/Map$Entry"], &["java/util/Map", "java/util/Map$Other"]);
        check("*Map", &["java/util/TreeMap", "Map"], &["java/util/Maps"]);
    }

    #[test]
    fn a_star_stays_in_its_package_and_two_do_not() {
        check("java.util.*", &["java/util/Map", "java/util/Map$Entry"], &["java/util/zip/Zip", "java/Util"]);
        check("java.util.**", &["java/util/Map", "java/util/zip/Zip"], &["java/lang/Map"]);
        check("**.Map?", &["java/util/Maps", "a/Mapp"], &["java/util/Map", "Maps"]);
        check("java.*.Map", &["java/util/Map"], &["java/util/x/Map"]);
    }

    #[test]
    fn a_class_is_named_if_nothing_else_is_meant() {
        let names = |pattern: &str| Pattern::new(pattern).names("java/util/Map$Entry");
        let exact = ["java.util.Map.Entry", "java.util.Map$Entry", "Map.Entry", "Map$Entry", "Entry"];
        assert!(exact.into_iter().all(names));
        assert!(!["java.util.Map", "Map", "java.util.*", "*", "java.util.Map.E*"].into_iter().any(names));
        assert!(Pattern::new("Map").names("java/util/Map"));
    }

    #[test]
    fn dollars_of_a_top_level_name_are_no_nesting() {
        check("a.$", &["a/$"], &["a/B"]);
        check("a.$Proxy", &["a/$Proxy", "a/$Proxy$1"], &["a/$"]);
    }
}
