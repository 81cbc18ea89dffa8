//! The few things that a `pom.xml` says about where a module's files are.
//!
//! Only what is written in the file itself: class paths, which need parents and other people's poms, come from
//! Maven.

/// What a pom says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Pom {
    pub(crate) artifact: String,
    /// Folders of submodules.
    pub(crate) modules: Vec<String>,
    /// `build/outputDirectory`, if it is a plain path.
    pub(crate) classes: Option<String>,
    /// `build/sourceDirectory`, if it is a plain path.
    pub(crate) sources: Option<String>,
    /// `build/testSourceDirectory`, if it is a plain path.
    pub(crate) tests: Option<String>,
}

impl Pom {
    /// Reads a pom; what is not there stays empty.
    pub(crate) fn parse(text: &str) -> Self {
        let mut pom = Self::default();
        each_text(text, &mut |path, text| match path {
            ["project", "artifactId"] => text.clone_into(&mut pom.artifact),
            ["project", "modules", "module"] => pom.modules.push(text.to_owned()),
            ["project", "build", "outputDirectory"] => pom.classes = plain(text),
            ["project", "build", "sourceDirectory"] => pom.sources = plain(text),
            ["project", "build", "testSourceDirectory"] => pom.tests = plain(text),
            _ => {}
        });
        pom
    }
}

/// A path below the module, or none if it needs properties that only Maven can fill in.
fn plain(text: &str) -> Option<String> {
    let below = text.replace("${project.basedir}/", "").replace("${basedir}/", "");
    let below = below.replace("${project.build.directory}", "target");
    (!below.contains("${")).then_some(below)
}

/// Calls `look` with the path of element names and the text of every element that has text.
fn each_text(text: &str, look: &mut dyn FnMut(&[&str], &str)) {
    let mut path: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let inside = rest[..start].trim();
        if !inside.is_empty() {
            look(&path, inside);
        }
        rest = &rest[start..];
        let Some(end) = end_of_tag(rest) else { return };
        let tag = &rest[1..end];
        rest = rest[end..].strip_prefix('>').unwrap_or(&rest[end..]);
        if tag.starts_with(['?', '!']) {
            continue;
        }
        if tag.starts_with('/') {
            path.pop();
        } else if !tag.ends_with('/') {
            path.push(tag.split([' ', '\t', '\n', '\r']).next().unwrap_or(tag));
        }
    }
}

/// Where a tag, comment or CDATA section that begins here ends: the position of its last `>`.
fn end_of_tag(text: &str) -> Option<usize> {
    let closing = if text.starts_with("<!--") {
        "-->"
    } else if text.starts_with("<![CDATA[") {
        "]]>"
    } else {
        ">"
    };
    text.find(closing).map(|at| at + closing.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_module_s_own_words_count() {
        let pom = Pom::parse(
            "<?xml version=\"1.0\"?>\n<!-- <artifactId>no</artifactId> -->\n<project xmlns=\"x\" a='b'>\n\
             <parent><artifactId>above</artifactId></parent>\n<artifactId> own </artifactId>\n\
             <modules>\n<module>core</module><module>../web</module></modules>\n\
             <build><sourceDirectory>src/java</sourceDirectory>\n\
             <outputDirectory>${project.build.directory}/main</outputDirectory>\n\
             <testSourceDirectory>${tests.where}</testSourceDirectory><plugins/></build>\n\
             <profiles><profile><modules><module>extra</module></modules></profile></profiles></project>",
        );
        assert_eq!(pom.artifact, "own");
        assert_eq!(pom.modules, ["core", "../web"]);
        assert_eq!(pom.sources.as_deref(), Some("src/java"));
        assert_eq!(pom.classes.as_deref(), Some("target/main"));
        assert_eq!(pom.tests, None);
    }

    #[test]
    fn text_that_is_no_pom_says_nothing() {
        for text in ["", "<", "<a", "<a><!-- ", "no", "</project></project>"] {
            assert_eq!(Pom::parse(text), Pom::default(), "{text}");
        }
    }
}
