//! Messages on a byte stream: four bytes of length, little endian, then the message in postcard's encoding.

use std::io::{self, Read, Write};

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// No message is longer: a length beyond it means that the stream is not ours.
pub const LONGEST: usize = 1 << 30;

/// Why a message could not be sent or received.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side closed the stream between two messages.
    #[error("the other side closed the stream")]
    Closed,
    /// The stream failed, or ended inside a message.
    #[error("the stream broke: {0}")]
    Io(#[from] io::Error),
    /// The bytes are not a message of this version.
    #[error("not a message of this protocol version: {0}")]
    Encoding(#[from] postcard::Error),
    /// The length is absurd.
    #[error("a message of {0} bytes is longer than any can be")]
    TooLong(usize),
}

/// Sends one message.
pub fn send<T: Serialize>(stream: &mut impl Write, message: &T) -> Result<(), FrameError> {
    let mut buffer = vec![0; 4];
    append(&mut buffer, message)?;
    send_framed(stream, buffer)
}

/// Sends a message whose encoding the caller wrote after four bytes kept free for the length.
pub fn send_framed(stream: &mut impl Write, mut buffer: Vec<u8>) -> Result<(), FrameError> {
    let length = buffer.len() - 4;
    if length > LONGEST {
        return Err(FrameError::TooLong(length));
    }
    let prefix = u32::try_from(length).expect("LONGEST fits").to_le_bytes();
    buffer[..4].copy_from_slice(&prefix);
    stream.write_all(&buffer)?;
    stream.flush()?;
    Ok(())
}

/// Receives one message.
pub fn receive<T: DeserializeOwned>(stream: &mut impl Read) -> Result<T, FrameError> {
    let mut buffer = Vec::new();
    receive_encoded(stream, &mut buffer)?;
    Ok(postcard::from_bytes(&buffer)?)
}

/// Receives the encoding of one message, in place of what is in the buffer.
pub fn receive_encoded(stream: &mut impl Read, buffer: &mut Vec<u8>) -> Result<(), FrameError> {
    let mut prefix = [0; 4];
    read_prefix(stream, &mut prefix)?;
    let length = u32::from_le_bytes(prefix) as usize;
    if length > LONGEST {
        return Err(FrameError::TooLong(length));
    }
    // Grows as bytes arrive, so that a broken length costs no memory.
    buffer.clear();
    buffer.reserve(length.min(1 << 20));
    let got = stream.take(length as u64).read_to_end(buffer)?;
    if got < length {
        return Err(FrameError::Io(io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(())
}

/// Appends the encoding of `value`. Encodings of the parts, in order, are the encoding of the whole.
#[inline]
pub fn append<T: Serialize + ?Sized>(sink: &mut impl Sink, value: &T) -> Result<(), FrameError> {
    Ok(postcard::serialize_with_flavor(value, Behind(sink))?)
}

/// Where encodings go: behind what is there.
pub trait Sink {
    /// Takes one byte more.
    fn push(&mut self, byte: u8);
    /// Takes these bytes.
    fn extend(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    #[inline]
    fn push(&mut self, byte: u8) {
        self.push(byte);
    }

    #[inline]
    fn extend(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// A sink as postcard knows it. Its own way to a vector goes byte by byte.
struct Behind<'a, S>(&'a mut S);

impl<S: Sink> Flavor for Behind<'_, S> {
    type Output = ();

    #[inline]
    fn try_extend(&mut self, data: &[u8]) -> postcard::Result<()> {
        self.0.extend(data);
        Ok(())
    }

    #[inline]
    fn try_push(&mut self, data: u8) -> postcard::Result<()> {
        self.0.push(data);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Values that were appended one after the other, up to the first that is none.
pub fn decode_all<T: DeserializeOwned>(mut bytes: &[u8]) -> Vec<T> {
    let mut values = Vec::new();
    while let Ok((value, rest)) = postcard::take_from_bytes(bytes) {
        if rest.len() == bytes.len() {
            break;
        }
        values.push(value);
        bytes = rest;
    }
    values
}

/// Appends the length of a sequence whose elements the caller appends next.
pub fn append_length(buffer: &mut Vec<u8>, length: usize) {
    append_number(buffer, length as u64);
}

/// Appends a number, seven bits to a byte, lowest first. Most are small.
#[inline]
pub(crate) fn append_number(sink: &mut impl Sink, mut number: u64) {
    while number >= 0x80 {
        sink.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    sink.push(number.to_le_bytes()[0]);
}

/// Appends a number with a sign, so that small ones of either sign stay short.
#[inline]
pub(crate) fn append_signed(sink: &mut impl Sink, number: i64) {
    append_number(sink, (number << 1 ^ number >> 63).cast_unsigned());
}

/// The number that bytes begin with, and the bytes behind it. Most are small.
#[inline]
pub(crate) fn take_number(bytes: &[u8]) -> Result<(u32, &[u8]), postcard::Error> {
    match bytes.split_first() {
        Some((&small, rest)) if small < 0x80 => Ok((u32::from(small), rest)),
        _ => postcard::take_from_bytes(bytes),
    }
}

/// Reads the first length bytes: an end here is a closed stream, an end later a broken one.
fn read_prefix(stream: &mut impl Read, prefix: &mut [u8; 4]) -> Result<(), FrameError> {
    let mut filled = 0;
    while filled < prefix.len() {
        match stream.read(&mut prefix[filled..]) {
            Ok(0) if filled == 0 => return Err(FrameError::Closed),
            Ok(0) => return Err(FrameError::Io(io::ErrorKind::UnexpectedEof.into())),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_out_as_it_went_in() {
        let mut stream = Vec::new();
        send(&mut stream, &("hello", 7_u64)).expect("a vector takes everything");
        let back: (String, u64) = receive(&mut stream.as_slice()).expect("it was just written");
        assert_eq!(back, ("hello".to_owned(), 7));
    }

    #[test]
    fn an_end_between_messages_is_not_a_broken_stream() {
        assert!(matches!(receive::<u8>(&mut [].as_slice()), Err(FrameError::Closed)));
        assert!(matches!(receive::<u8>(&mut [1, 0].as_slice()), Err(FrameError::Io(_))));
        assert!(matches!(receive::<u8>(&mut [9, 0, 0, 0, 1].as_slice()), Err(FrameError::Io(_))));
    }

    #[test]
    fn an_absurd_length_is_refused_before_memory_is_taken() {
        assert!(matches!(receive::<u8>(&mut [0xff; 4].as_slice()), Err(FrameError::TooLong(_))));
    }

    #[test]
    fn lengths_are_written_as_postcard_writes_them() {
        for length in [0, 1, 127, 128, 300, 1 << 20] {
            let mut ours = Vec::new();
            append_length(&mut ours, length);
            let theirs = postcard::to_stdvec(&vec![(); length]).expect("a vector takes everything");
            assert_eq!(ours, theirs, "{length}");
        }
    }
}
