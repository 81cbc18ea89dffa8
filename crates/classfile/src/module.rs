//! What a `module-info` class says: the `Module` attribute and the JDK's additions to it.

use crate::access::Access;
use crate::attribute::{Decoder, Encoder};
use crate::input::{Input, Read};
use crate::output::{Output, Written};
use crate::pool::{ClassIndex, ModuleIndex, PackageIndex, Utf8Index};

/// The `Module` attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The module.
    pub name: ModuleIndex,
    /// Its flags.
    pub access: Access,
    /// Its version, if it states one.
    pub version: Option<Utf8Index>,
    /// The modules it needs.
    pub requires: Vec<Requires>,
    /// The packages it exports.
    pub exports: Vec<PackageAccess>,
    /// The packages it opens to reflection.
    pub opens: Vec<PackageAccess>,
    /// The services it looks up.
    pub uses: Vec<ClassIndex>,
    /// The services it offers.
    pub provides: Vec<Provides>,
}

/// A module needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requires {
    /// Which.
    pub module: ModuleIndex,
    /// How.
    pub access: Access,
    /// The version seen at compile time.
    pub version: Option<Utf8Index>,
}

/// A package exported or opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageAccess {
    /// Which.
    pub package: PackageIndex,
    /// How.
    pub access: Access,
    /// To whom; empty for everyone.
    pub to: Vec<ModuleIndex>,
}

/// A service offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provides {
    /// The service.
    pub service: ClassIndex,
    /// Its implementations.
    pub with: Vec<ClassIndex>,
}

/// The `ModuleHashes` attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleHashes {
    /// The digest used.
    pub algorithm: Utf8Index,
    /// Modules and their digests.
    pub hashes: Vec<(ModuleIndex, Box<[u8]>)>,
}

impl Decoder<'_> {
    pub(crate) fn module(&self, input: &mut Input<'_>) -> Read<Module> {
        let pool = self.pool;
        Ok(Module {
            name: input.index(pool)?,
            access: Access(input.u2()?),
            version: input.optional_index(pool)?,
            requires: input.list(6, |input| {
                let (module, access) = (input.index(pool)?, Access(input.u2()?));
                Ok(Requires { module, access, version: input.optional_index(pool)? })
            })?,
            exports: input.list(6, |input| self.package_access(input))?,
            opens: input.list(6, |input| self.package_access(input))?,
            uses: input.list(2, |input| input.index(pool))?,
            provides: input.list(4, |input| {
                let service = input.index(pool)?;
                Ok(Provides { service, with: input.list(2, |input| input.index(pool))? })
            })?,
        })
    }

    fn package_access(&self, input: &mut Input<'_>) -> Read<PackageAccess> {
        Ok(PackageAccess {
            package: input.index(self.pool)?,
            access: Access(input.u2()?),
            to: input.list(2, |input| input.index(self.pool))?,
        })
    }

    pub(crate) fn module_hashes(&self, input: &mut Input<'_>) -> Read<ModuleHashes> {
        let algorithm = input.index(self.pool)?;
        let hashes = input.list(4, |input| {
            let module = input.index(self.pool)?;
            let length = usize::from(input.u2()?);
            Ok((module, input.take(length)?.into()))
        })?;
        Ok(ModuleHashes { algorithm, hashes })
    }
}

impl Encoder {
    pub(crate) fn module(output: &mut Output, module: &Module) -> Written {
        output.index(module.name);
        output.u2(module.access.0);
        output.optional_index(module.version);
        output.list(&module.requires, "required modules", |output, requires| {
            output.index(requires.module);
            output.u2(requires.access.0);
            output.optional_index(requires.version);
            Ok(())
        })?;
        output.list(&module.exports, "exported packages", package_access)?;
        output.list(&module.opens, "opened packages", package_access)?;
        output.indices(&module.uses, "used services")?;
        output.list(&module.provides, "provided services", |output, provides| {
            output.index(provides.service);
            output.indices(&provides.with, "service implementations")
        })
    }

    pub(crate) fn module_hashes(output: &mut Output, hashes: &ModuleHashes) -> Written {
        output.index(hashes.algorithm);
        output.list(&hashes.hashes, "module hashes", |output, (module, digest)| {
            output.index(*module);
            output.count(digest.len(), "bytes of a digest")?;
            output.raw(digest);
            Ok(())
        })
    }
}

fn package_access(output: &mut Output, access: &PackageAccess) -> Written {
    output.index(access.package);
    output.u2(access.access.0);
    output.indices(&access.to, "modules a package is exported to")
}
