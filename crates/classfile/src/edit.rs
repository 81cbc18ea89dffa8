//! Makes classes from nothing and changes their members.
//!
//! Fields and methods are plain vectors, so what only takes away needs no method: `class.methods.retain(…)`,
//! `field.access.remove(Access::FINAL)`.

use crate::access::Access;
use crate::attribute::{Attribute, BootstrapMethod, Content};
use crate::build::{BuildError, CodeBuilder};
use crate::class::{ClassFile, Field, Method};
use crate::pool::{ConstantPool, HandleIndex, LoadableIndex, PoolFull};
use crate::splice::Splice;

/// The version of classes made here: Java 17, the oldest that Jurat runs on.
const MAJOR: u16 = 61;

impl ClassFile {
    /// A public class without members.
    ///
    /// ```
    /// use jurat_classfile::{Access, ClassFile, LocalOp, Op};
    /// let mut class = ClassFile::new("a/Greeter", "java/lang/Object")?;
    /// class.add_default_constructor()?;
    /// class.add_method(Access::PUBLIC | Access::STATIC, "greeting", "()Ljava/lang/String;", |code| {
    ///     code.push_string("hello")?;
    ///     code.push(Op::Areturn);
    ///     Ok(())
    /// })?;
    /// let bytes = class.write()?;
    /// assert_eq!(ClassFile::read(&bytes)?.name(), "a/Greeter");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: &str, superclass: &str) -> Result<Self, PoolFull> {
        let mut pool = ConstantPool::default();
        let this_class = pool.add_class(name)?;
        let super_class = Some(pool.add_class(superclass)?);
        Ok(Self {
            minor: 0,
            major: MAJOR,
            pool,
            access: Access::PUBLIC | Access::SUPER,
            this_class,
            super_class,
            interfaces: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            attributes: Vec::new(),
        })
    }

    /// Adds an interface, if the class does not name it already.
    pub fn add_interface(&mut self, name: &str) -> Result<(), PoolFull> {
        let interface = self.pool.add_class(name)?;
        if !self.interfaces.contains(&interface) {
            self.interfaces.push(interface);
        }
        Ok(())
    }

    /// Adds a field and returns its position.
    pub fn add_field(&mut self, access: Access, name: &str, descriptor: &str) -> Result<usize, PoolFull> {
        let (name, descriptor) = (self.pool.add_utf8(name)?, self.pool.add_utf8(descriptor)?);
        self.fields.push(Field { access, name, descriptor, attributes: Vec::new() });
        Ok(self.fields.len() - 1)
    }

    /// Adds a method without a body, abstract or native, and returns its position.
    pub fn add_bodiless_method(
        &mut self,
        access: Access,
        name: &str,
        descriptor: &str,
    ) -> Result<usize, PoolFull> {
        let (name, descriptor) = (self.pool.add_utf8(name)?, self.pool.add_utf8(descriptor)?);
        self.methods.push(Method { access, name, descriptor, attributes: Vec::new() });
        Ok(self.methods.len() - 1)
    }

    /// Adds a method whose body is what `body` puts together, and returns its position. Stack, locals and frames
    /// are worked out from the instructions.
    pub fn add_method(
        &mut self,
        access: Access,
        name: &str,
        descriptor: &str,
        body: impl FnOnce(&mut CodeBuilder<'_>) -> Result<(), BuildError>,
    ) -> Result<usize, BuildError> {
        let mut builder = CodeBuilder::new(&mut self.pool);
        body(&mut builder)?;
        let code = builder.into_method((self.this_class, self.major >= 50), access, name, descriptor)?;
        let position = self.add_bodiless_method(access, name, descriptor)?;
        let attribute = Attribute::new(&mut self.pool, Content::Code(Box::new(code)))?;
        self.methods[position].attributes.extend(attribute);
        // Splicing, even of nothing, gives jumps the form they need.
        if let Err(error) = self.splice(position, &Splice::default()) {
            self.methods.pop();
            return Err(error.into());
        }
        Ok(position)
    }

    /// Adds a public constructor without parameters that calls the one of the superclass.
    pub fn add_default_constructor(&mut self) -> Result<usize, BuildError> {
        let superclass =
            self.super_name().map_or_else(|| "java/lang/Object".to_owned(), std::borrow::Cow::into_owned);
        self.add_method(Access::PUBLIC, "<init>", "()V", |code| {
            code.local(crate::insn::LocalOp::Aload, 0);
            code.invoke_special(&superclass, "<init>", "()V")?;
            code.push(crate::insn::Op::Return);
            Ok(())
        })
    }

    /// Adds a bootstrap method, if there is no equal one, and returns its position.
    pub fn add_bootstrap(
        &mut self,
        method: HandleIndex,
        arguments: &[LoadableIndex],
    ) -> Result<u16, PoolFull> {
        let wanted = BootstrapMethod { method, arguments: arguments.to_vec() };
        let methods = self.bootstrap_methods_mut()?;
        let position = methods.iter().position(|each| *each == wanted).unwrap_or(methods.len());
        let number = u16::try_from(position).map_err(|_| PoolFull::BOOTSTRAPS)?;
        if position == methods.len() {
            methods.push(wanted);
        }
        Ok(number)
    }

    fn bootstrap_methods_mut(&mut self) -> Result<&mut Vec<BootstrapMethod>, PoolFull> {
        let is_it = |attribute: &Attribute| matches!(attribute.content, Content::BootstrapMethods(_));
        if !self.attributes.iter().any(is_it) {
            self.attributes.extend(Attribute::new(&mut self.pool, Content::BootstrapMethods(Vec::new()))?);
        }
        let methods = self.attributes.iter_mut().find_map(|attribute| match &mut attribute.content {
            Content::BootstrapMethods(methods) => Some(methods),
            _ => None,
        });
        Ok(methods.expect("it was added if it was not there"))
    }
}
