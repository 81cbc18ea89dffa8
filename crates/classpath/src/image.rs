//! The JDK's module image (`lib/modules`), read without a JVM.
//!
//! The file begins with a header of seven words, a perfect-hash redirect table, a table of offsets into the
//! location attributes, those attributes, and a string table; the resources follow. Locations are streams of
//! (kind, length, value) that end with kind 0. We list everything, so the hash is not needed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{ClassPathError, unreadable};

const MAGIC: u32 = 0xCAFE_DADA;
const HEADER: usize = 28;
const COMPRESSED_MAGIC: u32 = 0xCAFE_FAFA;
const COMPRESSED_HEADER: usize = 29;

/// An opened module image.
#[derive(Debug, Clone)]
pub struct Image {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    file: File,
    length: u64,
    index: Vec<u8>,
    table_length: usize,
    locations: usize,
    strings: usize,
}

/// The classes of one module of an image.
#[derive(Debug)]
pub(crate) struct Module {
    image: Image,
    classes: Vec<(String, Location)>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Location {
    module: u64,
    parent: u64,
    base: u64,
    extension: u64,
    offset: u64,
    compressed: u64,
    uncompressed: u64,
}

impl Image {
    /// Opens the image of the JDK at `home`.
    pub fn open(home: &Path) -> Result<Self, ClassPathError> {
        let path = home.join("lib/modules");
        let file = File::open(&path).map_err(|error| unreadable(&path, error))?;
        let length = file.metadata().map_err(|error| unreadable(&path, error))?.len();
        let bad = |reason: &str| ClassPathError::BadImage { path: path.clone(), reason: reason.to_owned() };
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, 0).map_err(|_| bad("shorter than its header"))?;
        if word(&header, 0) != Some(MAGIC) {
            return Err(bad("it does not begin with the magic number of this machine's byte order"));
        }
        let field = |at| word(&header, at).map_or(0, |value| value as usize);
        let (table_length, locations_size, strings_size) = (field(16), field(20), field(24));
        let locations = HEADER + 8 * table_length;
        let strings = locations + locations_size;
        let index_size = strings + strings_size;
        if index_size as u64 > length {
            return Err(bad("its index is larger than the file"));
        }
        let mut index = vec![0; index_size];
        file.read_exact_at(&mut index, 0).map_err(|_| bad("shorter than its index"))?;
        Ok(Self { shared: Arc::new(Shared { path, file, length, index, table_length, locations, strings }) })
    }

    /// The names of the modules, sorted.
    pub fn modules(&self) -> Result<Vec<String>, ClassPathError> {
        let mut modules = Vec::new();
        for location in self.locations() {
            let location = location?;
            if self.string(location.extension)? == "class" && self.string(location.base)? == "module-info" {
                modules.push(self.string(location.module)?.to_owned());
            }
        }
        modules.sort();
        Ok(modules)
    }

    pub(crate) fn module(&self, module: &str) -> Result<Module, ClassPathError> {
        let mut classes = Vec::new();
        for location in self.locations() {
            let location = location?;
            if self.string(location.module)? == module && self.string(location.extension)? == "class" {
                classes.push((self.class_name(&location)?, location));
            }
        }
        if classes.is_empty() {
            return Err(self.no_such_module(module)?);
        }
        classes.sort_by(|(left, _), (right, _)| left.cmp(right));
        Ok(Module { image: self.clone(), classes })
    }

    /// The classes of every module, found in one pass; modules in order of name.
    pub(crate) fn all_modules(&self) -> Result<Vec<(String, Module)>, ClassPathError> {
        let mut modules: BTreeMap<String, Vec<(String, Location)>> = BTreeMap::new();
        for location in self.locations() {
            let location = location?;
            let module = self.string(location.module)?;
            if self.string(location.extension)? != "class" || module.is_empty() {
                continue;
            }
            let class = (self.class_name(&location)?, location);
            match modules.get_mut(module) {
                Some(classes) => classes.push(class),
                None => {
                    modules.insert(module.to_owned(), vec![class]);
                }
            }
        }
        let sorted = |mut classes: Vec<(String, Location)>| {
            classes.sort_by(|(left, _), (right, _)| left.cmp(right));
            Module { image: self.clone(), classes }
        };
        Ok(modules.into_iter().map(|(module, classes)| (module, sorted(classes))).collect())
    }

    /// The bytes of a module's `module-info` class, which says what the module exports.
    pub fn module_info(&self, module: &str) -> Result<Option<Vec<u8>>, ClassPathError> {
        for location in self.locations() {
            let location = location?;
            if self.string(location.base)? == "module-info" && self.string(location.module)? == module {
                return self.resource(&location).map(Some);
            }
        }
        Ok(None)
    }

    fn no_such_module(&self, module: &str) -> Result<ClassPathError, ClassPathError> {
        let last = module.rsplit('.').next().unwrap_or(module);
        let modules = self.modules()?;
        let near: Vec<String> = modules.iter().filter(|name| name.contains(last)).take(5).cloned().collect();
        let near = if near.is_empty() { modules.into_iter().take(5).collect() } else { near };
        let jdk = self.shared.path.ancestors().nth(2).unwrap_or(&self.shared.path).to_owned();
        Ok(ClassPathError::NoSuchModule { module: module.to_owned(), jdk, near })
    }

    fn class_name(&self, location: &Location) -> Result<String, ClassPathError> {
        let parent = self.string(location.parent)?;
        let base = self.string(location.base)?;
        Ok(if parent.is_empty() { base.to_owned() } else { format!("{parent}/{base}") })
    }

    fn locations(&self) -> impl Iterator<Item = Result<Location, ClassPathError>> {
        let offsets = HEADER + 4 * self.shared.table_length;
        (0..self.shared.table_length).map(move |slot| {
            let at = word(&self.shared.index, offsets + 4 * slot)
                .ok_or_else(|| self.bad("offset table cut short"))?;
            self.location(self.shared.locations + at as usize)
        })
    }

    fn location(&self, mut at: usize) -> Result<Location, ClassPathError> {
        let mut location = Location::default();
        loop {
            let head = *self.shared.index.get(at).ok_or_else(|| self.bad("location outside the index"))?;
            let (kind, length) = (head >> 3, usize::from(head & 7) + 1);
            let slot = match kind {
                0 => return Ok(location),
                1 => &mut location.module,
                2 => &mut location.parent,
                3 => &mut location.base,
                4 => &mut location.extension,
                5 => &mut location.offset,
                6 => &mut location.compressed,
                7 => &mut location.uncompressed,
                _ => return Err(self.bad("unknown kind of location attribute")),
            };
            let bytes = self.shared.index.get(at + 1..at + 1 + length);
            let bytes = bytes.ok_or_else(|| self.bad("location attribute cut short"))?;
            *slot = bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
            at += 1 + length;
        }
    }

    fn string(&self, offset: u64) -> Result<&str, ClassPathError> {
        let start = usize::try_from(offset).ok().and_then(|offset| self.shared.strings.checked_add(offset));
        let tail = start.and_then(|start| self.shared.index.get(start..));
        let tail = tail.ok_or_else(|| self.bad("string outside the index"))?;
        let end = tail.iter().position(|&byte| byte == 0).ok_or_else(|| self.bad("string without an end"))?;
        std::str::from_utf8(&tail[..end]).map_err(|_| self.bad("string that is not UTF-8"))
    }

    fn resource(&self, location: &Location) -> Result<Vec<u8>, ClassPathError> {
        let stored = if location.compressed == 0 { location.uncompressed } else { location.compressed };
        let start = self.shared.index.len() as u64 + location.offset;
        if start.checked_add(stored).is_none_or(|end| end > self.shared.length) {
            return Err(self.bad("resource outside the file"));
        }
        let length = usize::try_from(stored).map_err(|_| self.bad("resource too large"))?;
        let mut bytes = vec![0; length];
        let path = &self.shared.path;
        self.shared.file.read_exact_at(&mut bytes, start).map_err(|error| unreadable(path, error))?;
        if location.compressed == 0 { Ok(bytes) } else { self.decompress(bytes) }
    }

    /// Undoes `jlink --compress`: layers of (header, content), each naming its method.
    fn decompress(&self, mut bytes: Vec<u8>) -> Result<Vec<u8>, ClassPathError> {
        while word(&bytes, 0) == Some(COMPRESSED_MAGIC) {
            let name = word(&bytes, 20).ok_or_else(|| self.bad("compressed resource cut short"))?;
            let content =
                bytes.get(COMPRESSED_HEADER..).ok_or_else(|| self.bad("compressed resource cut short"))?;
            match self.string(u64::from(name))? {
                "zip" => bytes = self.inflate(content)?,
                other => {
                    return Err(self.bad(&format!(
                        "resources compressed by {other}; use a JDK that was not linked with it"
                    )));
                }
            }
        }
        Ok(bytes)
    }

    fn inflate(&self, content: &[u8]) -> Result<Vec<u8>, ClassPathError> {
        let mut bytes = Vec::new();
        flate2::read::ZlibDecoder::new(content)
            .read_to_end(&mut bytes)
            .map_err(|error| self.bad(&format!("a compressed resource does not inflate: {error}")))?;
        Ok(bytes)
    }

    fn bad(&self, reason: &str) -> ClassPathError {
        ClassPathError::BadImage { path: self.shared.path.clone(), reason: reason.to_owned() }
    }
}

impl Module {
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.classes.iter().map(|(name, _)| name.as_str())
    }

    pub(crate) fn read(&self, number: usize) -> Result<Vec<u8>, ClassPathError> {
        self.image.resource(&self.classes[number].1)
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_ne_bytes(word.try_into().ok()?))
}
