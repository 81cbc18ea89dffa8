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
    /// Simple names of top-level classes this file uses, and which class each stands for.
    simple: BTreeMap<Arc<str>, ClassId>,
    reserved: FxHashSet<Arc<str>>,
}

impl<'a> NameScope<'a> {
    /// A source file in `package` (empty for the unnamed one).
    pub fn new(subject: &'a Subject, package: &str) -> Self {
        Self { subject, package: package.into(), simple: BTreeMap::new(), reserved: FxHashSet::default() }
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
        let classes = self.subject.classes();
        let mut imports: Vec<String> = self
            .simple
            .values()
            .map(|class| &classes[*class])
            .filter(|class| class.package != self.package && &*class.package != "java.lang")
            .map(|class| class.source_name.to_string())
            .collect();
        imports.sort();
        imports
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
            None if self.is_simple(class) => declared.simple_name.to_string(),
            None => declared.source_name.to_string(),
        }
    }

    /// True if the simple name of a top-level class means this class here; remembers it if so.
    fn is_simple(&mut self, class: ClassId) -> bool {
        let subject = self.subject;
        let declared = &subject.classes()[class];
        let name = &declared.simple_name;
        if let Some(known) = self.simple.get(name) {
            return *known == class;
        }
        let here = declared.package == self.package;
        let means_other = self.reserved.contains(name)
            || !here && subject.package_declares(&self.package, name)
            || !here && &*declared.package != "java.lang" && subject.package_declares("java.lang", name);
        if means_other {
            return false;
        }
        self.simple.insert(name.clone(), class);
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
