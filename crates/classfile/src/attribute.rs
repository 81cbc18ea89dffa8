//! Attributes: every kind the format knows, decoded; all others kept as they are and counted.

mod read;
mod write;

pub(crate) use read::{Decoder, Location};
pub(crate) use write::Encoder;

use crate::access::Access;
use crate::annotation::{Annotation, ElementValue, Retention, TypeAnnotation};
use crate::code::{CharacterRange, Code, Frame, LineNumber, LocalVariable};
use crate::fault::Fault;
use crate::module::{Module, ModuleHashes};
use crate::pool::{
    ClassIndex, ConstantPool, HandleIndex, LoadableIndex, NameAndTypeIndex, PackageIndex, PoolFull, Utf8Index,
};

/// An attribute of a class, member, record component or code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name; for content that was decoded, always [`Content::name`].
    pub(crate) name: Utf8Index,
    /// What it says.
    pub content: Content,
}

/// What an attribute says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The value of a static field.
    ConstantValue(LoadableIndex),
    /// A method's body.
    Code(Box<Code>),
    /// Types of locals and stack at branch targets.
    StackMapTable(Vec<Frame>),
    /// What a method declares to throw.
    Exceptions(Vec<ClassIndex>),
    /// Nested classes, as far as this class mentions them.
    InnerClasses(Vec<InnerClass>),
    /// Where a local or anonymous class stands.
    EnclosingMethod {
        /// The class around it.
        class: ClassIndex,
        /// The method around it, if it is in one.
        method: Option<NameAndTypeIndex>,
    },
    /// Not in the source.
    Synthetic,
    /// Deprecated.
    Deprecated,
    /// Generic signature.
    Signature(Utf8Index),
    /// Name of the source file.
    SourceFile(Utf8Index),
    /// Text for debuggers, in modified UTF-8.
    SourceDebugExtension(Box<[u8]>),
    /// Line numbers.
    LineNumberTable(Vec<LineNumber>),
    /// Local variables and their descriptors.
    LocalVariableTable(Vec<LocalVariable>),
    /// Local variables and their generic signatures.
    LocalVariableTypeTable(Vec<LocalVariable>),
    /// Source positions, as `javac -Xjcov` writes them.
    CharacterRangeTable(Vec<CharacterRange>),
    /// Annotations.
    Annotations(Retention, Vec<Annotation>),
    /// Annotations of parameters.
    ParameterAnnotations(Retention, Vec<Vec<Annotation>>),
    /// Annotations of types.
    TypeAnnotations(Retention, Vec<TypeAnnotation>),
    /// The default of an annotation's element.
    AnnotationDefault(Box<ElementValue>),
    /// Bootstrap methods of dynamic constants and call sites.
    BootstrapMethods(Vec<BootstrapMethod>),
    /// Names and flags of parameters.
    MethodParameters(Vec<MethodParameter>),
    /// A module.
    Module(Box<Module>),
    /// All packages of a module.
    ModulePackages(Vec<PackageIndex>),
    /// The main class of a module.
    ModuleMainClass(ClassIndex),
    /// Operating system and architecture a module is built for.
    ModuleTarget(Utf8Index),
    /// Digests of other modules.
    ModuleHashes(Box<ModuleHashes>),
    /// How a module takes part in resolution.
    ModuleResolution(u16),
    /// The class whose nest this class is in.
    NestHost(ClassIndex),
    /// The classes of this class's nest.
    NestMembers(Vec<ClassIndex>),
    /// The components of a record.
    Record(Vec<RecordComponent>),
    /// The subclasses of a sealed class.
    PermittedSubclasses(Vec<ClassIndex>),
    /// An old compiler's identification of the compilation.
    CompilationId(Utf8Index),
    /// An old compiler's identification of the source.
    SourceId(Utf8Index),
    /// What could not be decoded.
    Opaque(Opaque),
}

/// An attribute kept as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// The attribute's content.
    pub bytes: Box<[u8]>,
    /// Why it was not decoded.
    pub reason: OpaqueReason,
}

/// Why an attribute was kept as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpaqueReason {
    /// No attribute of this name is known here.
    Unknown,
    /// The attribute is known but broken, in a way that does not keep the class from being used.
    Broken(Fault),
}

impl std::fmt::Display for OpaqueReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown => f.write_str("not known here"),
            Self::Broken(fault) => fault.fmt(f),
        }
    }
}

/// An entry of `InnerClasses`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InnerClass {
    /// The nested class.
    pub class: ClassIndex,
    /// The class around it, if it is a member.
    pub outer: Option<ClassIndex>,
    /// Its simple name, if it has one.
    pub name: Option<Utf8Index>,
    /// Its flags as declared.
    pub access: Access,
}

/// An entry of `BootstrapMethods`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapMethod {
    /// The method.
    pub method: HandleIndex,
    /// Its static arguments.
    pub arguments: Vec<LoadableIndex>,
}

/// An entry of `MethodParameters`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodParameter {
    /// Its name, if it has one.
    pub name: Option<Utf8Index>,
    /// `FINAL`, `SYNTHETIC`, `MANDATED`.
    pub access: Access,
}

/// A component of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordComponent {
    /// Its name.
    pub name: Utf8Index,
    /// Its descriptor.
    pub descriptor: Utf8Index,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

impl Attribute {
    /// An attribute with its name put into the pool; `None` for opaque content, which has no name of its own.
    pub fn new(pool: &mut ConstantPool, content: Content) -> Result<Option<Self>, PoolFull> {
        let Some(name) = content.name() else { return Ok(None) };
        Ok(Some(Self { name: pool.add_utf8(name)?, content }))
    }

    /// Where the attribute's name is.
    pub fn name(&self) -> Utf8Index {
        self.name
    }

    /// How many bytes below this attribute were not decoded.
    pub fn opaque_bytes(&self) -> usize {
        match &self.content {
            Content::Opaque(opaque) => opaque.bytes.len(),
            Content::Code(code) => opaque_bytes(&code.attributes),
            Content::Record(components) => {
                components.iter().map(|component| opaque_bytes(&component.attributes)).sum()
            }
            _ => 0,
        }
    }
}

/// How many bytes of these attributes were not decoded.
pub(crate) fn opaque_bytes(attributes: &[Attribute]) -> usize {
    attributes.iter().map(Attribute::opaque_bytes).sum()
}

impl Content {
    /// The attribute's name; none for opaque content.
    pub fn name(&self) -> Option<&'static str> {
        let visible = |retention: &Retention, visible, invisible| match retention {
            Retention::Visible => visible,
            Retention::Invisible => invisible,
        };
        Some(match self {
            Self::ConstantValue(_) => "ConstantValue",
            Self::Code(_) => "Code",
            Self::StackMapTable(_) => "StackMapTable",
            Self::Exceptions(_) => "Exceptions",
            Self::InnerClasses(_) => "InnerClasses",
            Self::EnclosingMethod { .. } => "EnclosingMethod",
            Self::Synthetic => "Synthetic",
            Self::Deprecated => "Deprecated",
            Self::Signature(_) => "Signature",
            Self::SourceFile(_) => "SourceFile",
            Self::SourceDebugExtension(_) => "SourceDebugExtension",
            Self::LineNumberTable(_) => "LineNumberTable",
            Self::LocalVariableTable(_) => "LocalVariableTable",
            Self::LocalVariableTypeTable(_) => "LocalVariableTypeTable",
            Self::CharacterRangeTable(_) => "CharacterRangeTable",
            Self::Annotations(retention, _) => {
                visible(retention, "RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations")
            }
            Self::ParameterAnnotations(retention, _) => visible(
                retention,
                "RuntimeVisibleParameterAnnotations",
                "RuntimeInvisibleParameterAnnotations",
            ),
            Self::TypeAnnotations(retention, _) => {
                visible(retention, "RuntimeVisibleTypeAnnotations", "RuntimeInvisibleTypeAnnotations")
            }
            Self::AnnotationDefault(_) => "AnnotationDefault",
            Self::BootstrapMethods(_) => "BootstrapMethods",
            Self::MethodParameters(_) => "MethodParameters",
            Self::Module(_) => "Module",
            Self::ModulePackages(_) => "ModulePackages",
            Self::ModuleMainClass(_) => "ModuleMainClass",
            Self::ModuleTarget(_) => "ModuleTarget",
            Self::ModuleHashes(_) => "ModuleHashes",
            Self::ModuleResolution(_) => "ModuleResolution",
            Self::NestHost(_) => "NestHost",
            Self::NestMembers(_) => "NestMembers",
            Self::Record(_) => "Record",
            Self::PermittedSubclasses(_) => "PermittedSubclasses",
            Self::CompilationId(_) => "CompilationID",
            Self::SourceId(_) => "SourceID",
            Self::Opaque(_) => return None,
        })
    }
}
