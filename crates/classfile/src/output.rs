//! The bytes being written.

use crate::fault::WriteError;
use crate::pool::PoolIndex;

/// The result of writing one item.
pub(crate) type Written = Result<(), WriteError>;

/// A growing class file.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) bytes: Vec<u8>,
}

impl Output {
    pub(crate) fn position(&self) -> usize {
        self.bytes.len()
    }

    #[inline]
    pub(crate) fn u1(&mut self, value: u8) {
        self.bytes.push(value);
    }

    #[inline]
    pub(crate) fn u2(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_be_bytes());
    }

    #[inline]
    pub(crate) fn u4(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_be_bytes());
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    #[inline]
    pub(crate) fn index<I: PoolIndex>(&mut self, index: I) {
        self.u2(index.raw());
    }

    /// An index, or 0 for none.
    #[inline]
    pub(crate) fn optional_index<I: PoolIndex>(&mut self, index: Option<I>) {
        self.u2(index.map_or(0, PoolIndex::raw));
    }

    /// A `u2` count.
    #[inline]
    pub(crate) fn count(&mut self, count: usize, what: &'static str) -> Written {
        let small = u16::try_from(count).map_err(|_| too_many(what, count, 0xFFFF))?;
        self.u2(small);
        Ok(())
    }

    /// A `u1` count.
    pub(crate) fn small_count(&mut self, count: usize, what: &'static str) -> Written {
        let small = u8::try_from(count).map_err(|_| too_many(what, count, 0xFF))?;
        self.u1(small);
        Ok(())
    }

    /// A list preceded by its length as a `u2`.
    #[inline]
    pub(crate) fn list<T>(
        &mut self,
        items: &[T],
        what: &'static str,
        mut item: impl FnMut(&mut Self, &T) -> Written,
    ) -> Written {
        self.count(items.len(), what)?;
        items.iter().try_for_each(|each| item(self, each))
    }

    /// A list of indices preceded by its length as a `u2`.
    pub(crate) fn indices<I: PoolIndex>(&mut self, items: &[I], what: &'static str) -> Written {
        self.list(items, what, |output, item| {
            output.index(*item);
            Ok(())
        })
    }

    /// What `body` writes, preceded by its length in bytes as a `u4`.
    #[inline]
    pub(crate) fn sized(&mut self, body: impl FnOnce(&mut Self) -> Written) -> Written {
        let start = self.position();
        self.u4(0);
        body(self)?;
        let length = self.position() - start - 4;
        let length =
            u32::try_from(length).map_err(|_| too_many("bytes of an attribute", length, 0xFFFF_FFFF))?;
        self.patch(start, &length.to_be_bytes());
        Ok(())
    }

    /// Overwrites bytes written before.
    #[inline]
    pub(crate) fn patch(&mut self, position: usize, bytes: &[u8]) {
        self.bytes[position..position + bytes.len()].copy_from_slice(bytes);
    }
}

#[cold]
pub(crate) fn too_many(what: &'static str, count: usize, limit: usize) -> WriteError {
    WriteError::TooMany { what, count, limit }
}
