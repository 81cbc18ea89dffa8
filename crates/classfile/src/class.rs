//! A whole class file.

use std::borrow::Cow;

use crate::access::Access;
use crate::attribute::{Attribute, Content, Decoder, Encoder, Location, opaque_bytes};
use crate::code::{Code, CodeWriter, Positions};
use crate::fault::{Fault, Problem, ReadError, WriteError};
use crate::input::{Input, Read};
use crate::output::{Output, Written};
use crate::pool::{ClassIndex, ConstantPool, Utf8Index};

/// The newest class file version understood: Java 27.
pub const MAX_MAJOR: u16 = 71;

const MIN_MAJOR: u16 = 45;
const MAGIC: u32 = 0xCAFE_BABE;

/// A class, interface, enum, record, annotation interface or module descriptor.
#[derive(Clone, Debug)]
pub struct ClassFile {
    /// The minor version; 65535 for a class that uses preview features.
    pub minor: u16,
    /// The major version: 44 plus the Java version.
    pub major: u16,
    /// All constants.
    pub pool: ConstantPool,
    /// Flags.
    pub access: Access,
    /// The class itself.
    pub this_class: ClassIndex,
    /// Its superclass; none for `java.lang.Object` and module descriptors.
    pub super_class: Option<ClassIndex>,
    /// Interfaces it names as implemented, or as extended if it is one itself.
    pub interfaces: Vec<ClassIndex>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Its methods, constructors (`<init>`) and initializer (`<clinit>`).
    pub methods: Vec<Method>,
    /// Everything else.
    pub attributes: Vec<Attribute>,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Flags.
    pub access: Access,
    /// Name.
    pub name: Utf8Index,
    /// Descriptor.
    pub descriptor: Utf8Index,
    /// Everything else.
    pub attributes: Vec<Attribute>,
}

/// A method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Flags.
    pub access: Access,
    /// Name.
    pub name: Utf8Index,
    /// Descriptor.
    pub descriptor: Utf8Index,
    /// Everything else, the code included.
    pub attributes: Vec<Attribute>,
}

impl ClassFile {
    /// Reads a class file.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut input = Input::new(bytes);
        let mut class = Self::read_head(&mut input).map_err(|fault| ReadError { class: None, fault })?;
        match class.read_body(&mut input) {
            Ok(()) => Ok(class),
            Err(fault) => Err(ReadError { class: Some(class.name().into_owned()), fault }),
        }
    }

    /// Reads up to the interfaces; fields, methods and attributes are left empty, and what is wrong with them
    /// goes unseen. For those who ask about many classes where in the hierarchy they stand.
    pub fn read_header(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut input = Input::new(bytes);
        let mut class = Self::read_head(&mut input).map_err(|fault| ReadError { class: None, fault })?;
        match class.read_supertypes(&mut input) {
            Ok(()) => Ok(class),
            Err(fault) => Err(ReadError { class: Some(class.name().into_owned()), fault }),
        }
    }

    fn read_supertypes(&mut self, input: &mut Input<'_>) -> Read<()> {
        self.super_class = input.optional_index(&self.pool)?;
        self.interfaces = input.list(2, |input| input.index(&self.pool))?;
        Ok(())
    }

    /// Reads up to the name of the class; the rest is left empty.
    fn read_head(input: &mut Input<'_>) -> Read<Self> {
        let (minor, major) = read_version(input)?;
        let pool = ConstantPool::read(input)?;
        let access = Access(input.u2()?);
        let this_class = input.index(&pool)?;
        Ok(Self {
            minor,
            major,
            pool,
            access,
            this_class,
            super_class: None,
            interfaces: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            attributes: Vec::new(),
        })
    }

    fn read_body(&mut self, input: &mut Input<'_>) -> Read<()> {
        self.read_supertypes(input)?;
        let pool = &self.pool;
        let version = (self.major, self.minor);
        let mut decoder = Decoder { pool, version, positions: Positions::default() };
        self.fields = input.list(8, |input| {
            let (access, name, descriptor, attributes) = decoder.member(input, Location::Field)?;
            Ok(Field { access, name, descriptor, attributes })
        })?;
        self.methods = input.list(8, |input| {
            let (access, name, descriptor, attributes) = decoder.member(input, Location::Method)?;
            Ok(Method { access, name, descriptor, attributes })
        })?;
        self.attributes = decoder.attributes(input, Location::Class)?;
        input.finish()
    }

    /// Writes the class. A class that was read and not edited gives the bytes it was read from.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut output = Output::default();
        output.u4(MAGIC);
        output.u2(self.minor);
        output.u2(self.major);
        self.pool.write(&mut output)?;
        output.u2(self.access.0);
        output.index(self.this_class);
        output.optional_index(self.super_class);
        output.indices(&self.interfaces, "interfaces")?;
        let mut encoder =
            Encoder { old_code: (self.major, self.minor) < (45, 3), code: CodeWriter::default() };
        output.list(&self.fields, "fields", |output, field| {
            encoder.member(output, field.access, field.name, field.descriptor, &field.attributes)
        })?;
        output.list(&self.methods, "methods", |output, method| {
            encoder
                .member(output, method.access, method.name, method.descriptor, &method.attributes)
                .map_err(|error| error.in_method(|| method.signature(&self.pool)))
        })?;
        encoder.attributes(&mut output, &self.attributes)?;
        Ok(output.bytes)
    }

    /// Binary name of the class, with slashes.
    pub fn name(&self) -> Cow<'_, str> {
        self.pool.class_name(self.this_class)
    }

    /// Binary name of the superclass.
    pub fn super_name(&self) -> Option<Cow<'_, str>> {
        self.super_class.map(|index| self.pool.class_name(index))
    }

    /// Binary names of the interfaces.
    pub fn interface_names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.interfaces.iter().map(|index| self.pool.class_name(*index))
    }

    /// The method with this name and descriptor.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<&Method> {
        self.methods.iter().find(|method| method.is(&self.pool, name, descriptor))
    }

    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| self.pool.utf8(field.name) == name)
    }

    /// How many bytes of attributes were kept as they are because they could not be decoded.
    pub fn opaque_bytes(&self) -> usize {
        let members = self.fields.iter().map(|field| &field.attributes);
        let members = members.chain(self.methods.iter().map(|method| &method.attributes));
        members.map(|attributes| opaque_bytes(attributes)).sum::<usize>() + opaque_bytes(&self.attributes)
    }
}

impl Method {
    /// The method's body, if it has one.
    pub fn code(&self) -> Option<&Code> {
        self.attributes.iter().find_map(|attribute| match &attribute.content {
            Content::Code(code) => Some(&**code),
            _ => None,
        })
    }

    /// The method's body, to be edited.
    pub fn code_mut(&mut self) -> Option<&mut Code> {
        self.attributes.iter_mut().find_map(|attribute| match &mut attribute.content {
            Content::Code(code) => Some(&mut **code),
            _ => None,
        })
    }

    /// True if this is the method of that name and descriptor.
    pub fn is(&self, pool: &ConstantPool, name: &str, descriptor: &str) -> bool {
        pool.utf8(self.name) == name && pool.utf8(self.descriptor) == descriptor
    }

    /// Name and descriptor in one.
    fn signature(&self, pool: &ConstantPool) -> String {
        format!("{}{}", pool.utf8(self.name), pool.utf8(self.descriptor))
    }
}

impl Decoder<'_> {
    fn member(
        &mut self,
        input: &mut Input<'_>,
        location: Location,
    ) -> Read<(Access, Utf8Index, Utf8Index, Vec<Attribute>)> {
        let access = Access(input.u2()?);
        let (name, descriptor) = (input.index(self.pool)?, input.index(self.pool)?);
        Ok((access, name, descriptor, self.attributes(input, location)?))
    }
}

impl Encoder {
    fn member(
        &mut self,
        output: &mut Output,
        access: Access,
        name: Utf8Index,
        descriptor: Utf8Index,
        attributes: &[Attribute],
    ) -> Written {
        output.u2(access.0);
        output.index(name);
        output.index(descriptor);
        self.attributes(output, attributes)
    }
}

fn read_version(input: &mut Input<'_>) -> Read<(u16, u16)> {
    let magic = input.u4()?;
    if magic != MAGIC {
        return Err(Fault { offset: 0, problem: Problem::Magic(magic) });
    }
    let (minor, major) = (input.u2()?, input.u2()?);
    let problem = match major {
        MIN_MAJOR..=MAX_MAJOR => return Ok((minor, major)),
        ..MIN_MAJOR => Problem::Version(major),
        _ => Problem::TooNew(major),
    };
    Err(Fault { offset: 6, problem })
}
