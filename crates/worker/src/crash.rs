//! What is written down when the process crashes in native code.
//!
//! HotSpot handles most faults itself and hands those it does not understand to the handler that was there before:
//! ours. It ends the process at once; HotSpot's own report would take a hundred times as long and nobody reads it.

use std::sync::atomic::Ordering;

use jurat_protocol::shared as layout;

use crate::shared::cell;

/// Installs the handlers. Must come before the JVM is created, which remembers them.
pub(crate) fn install() {
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT] {
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = record;
        // SAFETY: the action is fully initialised, and the handler only does what is allowed in one.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

extern "C" fn record(signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the kernel, or HotSpot passing on what the kernel gave it, hands us a valid record.
    let (code, sender) = unsafe { info.as_ref().map_or((0, 0), |info| (info.si_code, info.si_pid())) };
    // The sender is only meaningful for signals that a process sent.
    let sender = if code <= 0 { u64::from(sender.cast_unsigned()) } else { 0 };
    cell(layout::CRASH_CODE).store(i64::from(code).cast_unsigned(), Ordering::Relaxed);
    cell(layout::CRASH_SENDER).store(sender, Ordering::Relaxed);
    cell(layout::CRASH_SIGNAL).store(u64::from(signal.cast_unsigned()), Ordering::Release);
    crate::start::leave(layout::EXIT_CRASHED);
}
