//! How types read in one Java source file: simple names where they are clear, qualified ones
//! where they are not, and the imports that follow.

use std::collections::BTreeMap;
use std::sync::Arc;

use jurat_base::FxHashSet;

use crate::access::Obstacle;
use crate::class::ClassId;
use crate::subject::Subject;
use crate::types::{ClassType, JavaType, TypeArg};

/// The names one source file has in scope. Asking for a type's text adds the import it needs.
#[derive(Clone, Debug)]
pub struct NameScope<'a> {
    subject: &'a Subject,
    package: Arc<str>,
    /// Simple names of top-level classes this file uses, and the qualified name each stands for.
    simple: BTreeMap<Arc<str>, Arc<str>>,
    reserved: FxHashSet<Arc<str>>,
    imports_deprecated: bool,
}

impl<'a> NameScope<'a> {
    /// A source file in `package` (empty for the unnamed one).
    pub fn new(subject: &'a Subject, package: &str) -> Self {
        Self {
            subject,
            package: package.into(),
            simple: BTreeMap::new(),
            reserved: FxHashSet::default(),
            imports_deprecated: true,
        }
    }

    /// Has deprecated classes of other packages named in full: before Java 9 importing them is warned of, and nothing
    /// silences that.
    #[must_use]
    pub fn without_deprecated_imports(mut self) -> Self {
        self.imports_deprecated = false;
        self
    }

    /// The package of the file.
    pub fn package(&self) -> &str {
        &self.package
    }

    /// Keeps a simple name for something else, such as the class the file declares.
    pub fn reserve(&mut self, name: &str) {
        self.reserved.insert(name.into());
    }

    /// The qualified names to import, sorted.
    pub fn imports(&self) -> Vec<String> {
        let mut imports: Vec<String> = self
            .simple
            .values()
            .filter(|name| {
                let package = package_of(name);
                package != &*self.package && package != "java.lang"
            })
            .map(ToString::to_string)
            .collect();
        imports.sort();
        imports
    }

    /// The text that names a top-level class by its qualified name, whether or not the subject
    /// knows it: JUnit's classes, for example.
    pub fn named(&mut self, qualified: &str) -> String {
        if self.is_simple(qualified) { simple_of(qualified).to_owned() } else { qualified.to_owned() }
    }

    /// The text that names a class here.
    pub fn class_text(&mut self, class: ClassId) -> Result<String, Obstacle> {
        self.subject.classes().check_class(class, &self.package)?;
        Ok(self.name_of(class))
    }

    fn name_of(&mut self, class: ClassId) -> String {
        let declared = &self.subject.classes()[class];
        match declared.outer {
            Some(outer) => format!("{}.{}", self.name_of(outer), declared.simple_name),
            None if declared.is_deprecated && !self.imports_deprecated && !self.is_here(class) => {
                declared.source_name.to_string()
            }
            None => self.named(&declared.source_name),
        }
    }

    /// True if a class can be named without an import.
    fn is_here(&self, class: ClassId) -> bool {
        let package = package_of(&self.subject.classes()[class].source_name);
        package == &*self.package || package == "java.lang"
    }

    /// True if the simple name of a top-level class means this class here; remembers it if so.
    fn is_simple(&mut self, qualified: &str) -> bool {
        let (package, name) = (package_of(qualified), simple_of(qualified));
        if let Some(known) = self.simple.get(name) {
            return &**known == qualified;
        }
        let here = package == &*self.package;
        let means_other = self.reserved.contains(name)
            || !here && self.subject.package_declares(&self.package, name)
            || !here && package != "java.lang" && self.subject.package_declares("java.lang", name);
        if means_other {
            return false;
        }
        self.simple.insert(name.into(), qualified.into());
        true
    }

    /// The text of a type here, or why it has none.
    pub fn type_text(&mut self, ty: &JavaType) -> Result<String, Obstacle> {
        Ok(match ty {
            JavaType::Void => "void".into(),
            JavaType::Primitive(primitive) => primitive.keyword().into(),
            JavaType::Array(component) => format!("{}[]", self.type_text(component)?),
            JavaType::Variable(variable) => self.subject.classes()[*variable].name.to_string(),
            JavaType::Class(class_type) => self.class_type_text(class_type)?,
        })
    }

    fn class_type_text(&mut self, class_type: &ClassType) -> Result<String, Obstacle> {
        let name = match class_type.outer() {
            Some(outer) => {
                self.subject.classes().check_class(class_type.class, &self.package)?;
                let simple = &self.subject.classes()[class_type.class].simple_name;
                format!("{}.{simple}", self.class_type_text(outer)?)
            }
            None => self.class_text(class_type.class)?,
        };
        Ok(format!("{name}{}", self.args_text(class_type.args())?))
    }

    /// Type arguments in angle brackets; nothing if there are none.
    pub(crate) fn args_text(&mut self, args: &[TypeArg]) -> Result<String, Obstacle> {
        if args.is_empty() {
            return Ok(String::new());
        }
        let texts: Result<Vec<String>, Obstacle> = args.iter().map(|arg| self.arg_text(arg)).collect();
        Ok(format!("<{}>", texts?.join(", ")))
    }

    fn arg_text(&mut self, arg: &TypeArg) -> Result<String, Obstacle> {
        Ok(match arg {
            TypeArg::Any => "?".into(),
            TypeArg::Exact(ty) => self.type_text(ty)?,
            TypeArg::Extends(ty) => format!("? extends {}", self.type_text(ty)?),
            TypeArg::Super(ty) => format!("? super {}", self.type_text(ty)?),
        })
    }
}

fn package_of(qualified: &str) -> &str {
    qualified.rsplit_once('.').map_or("", |(package, _)| package)
}

fn simple_of(qualified: &str) -> &str {
    qualified.rsplit_once('.').map_or(qualified, |(_, name)| name)
}
