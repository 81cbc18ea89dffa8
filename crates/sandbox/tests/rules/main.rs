//! Proves each rule of the sandbox in a forked process that has applied it.

#![expect(unsafe_code, reason = "forks, and makes raw system calls")]
#![expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "arguments of raw system calls")]

mod calls;
mod child;
mod files;
mod hotspot;
