//! The bytes being read: a position, bounds checks, and faults that say where.

use crate::fault::{Fault, Problem};
use crate::pool::{ConstantPool, PoolIndex};

/// The result of reading one item.
pub(crate) type Read<T> = Result<T, Fault>;

/// A range of the class file, read from front to back.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// The offset of the next byte from the start of the class file.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    pub(crate) fn fault<T>(&self, problem: Problem) -> Read<T> {
        Err(Fault { offset: self.position, problem })
    }

    /// The next `length` bytes.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Read<&'a [u8]> {
        match self.bytes[self.position..].get(..length) {
            Some(taken) => {
                self.position += length;
                Ok(taken)
            }
            None => self.fault(Problem::Truncated { missing: length - self.remaining() }),
        }
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        match self.bytes[self.position..].first_chunk::<N>() {
            Some(chunk) => {
                self.position += N;
                Ok(*chunk)
            }
            None => self.fault(Problem::Truncated { missing: N - self.remaining() }),
        }
    }

    #[inline]
    pub(crate) fn u1(&mut self) -> Read<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    #[inline]
    pub(crate) fn u2(&mut self) -> Read<u16> {
        self.array().map(u16::from_be_bytes)
    }

    #[inline]
    pub(crate) fn u4(&mut self) -> Read<u32> {
        self.array().map(u32::from_be_bytes)
    }

    #[inline]
    pub(crate) fn u8(&mut self) -> Read<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// An index into the constant pool that must name an entry of kind `I`.
    #[inline]
    pub(crate) fn index<I: PoolIndex>(&mut self, pool: &ConstantPool) -> Read<I> {
        let offset = self.position;
        let raw = self.u2()?;
        pool.check(raw).ok_or_else(|| wrong_index::<I>(offset, raw))
    }

    /// An index into the constant pool, or 0 for none.
    #[inline]
    pub(crate) fn optional_index<I: PoolIndex>(&mut self, pool: &ConstantPool) -> Read<Option<I>> {
        let offset = self.position;
        match self.u2()? {
            0 => Ok(None),
            raw => pool.check(raw).map(Some).ok_or_else(|| wrong_index::<I>(offset, raw)),
        }
    }

    /// A list whose length is given by a preceding `u2`; each item takes at least `least` bytes.
    #[inline]
    pub(crate) fn list<T>(&mut self, least: usize, item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let count = usize::from(self.u2()?);
        self.items(count, least, item)
    }

    /// `count` items of at least `least` bytes each. Memory is set aside only for what the input can hold.
    #[inline]
    pub(crate) fn items<T>(
        &mut self,
        count: usize,
        least: usize,
        mut item: impl FnMut(&mut Self) -> Read<T>,
    ) -> Read<Vec<T>> {
        if count.saturating_mul(least) > self.remaining() {
            return self
                .fault(Problem::Truncated { missing: count.saturating_mul(least) - self.remaining() });
        }
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// The next `length` bytes as an input of their own that still counts offsets from the class file's start.
    pub(crate) fn part(&mut self, length: usize) -> Read<Input<'a>> {
        let start = self.position;
        self.take(length)?;
        Ok(Input { bytes: &self.bytes[..start + length], position: start })
    }

    /// Complains if anything is left.
    pub(crate) fn finish(&self) -> Read<()> {
        match self.remaining() {
            0 => Ok(()),
            excess => self.fault(Problem::Excess(excess)),
        }
    }
}

#[cold]
fn wrong_index<I: PoolIndex>(offset: usize, index: u16) -> Fault {
    Fault { offset, problem: Problem::ConstantIndex { index, wanted: I::WANTED } }
}
