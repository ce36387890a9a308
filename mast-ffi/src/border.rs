//! The functions of `mast.h`, and every `unsafe` of this crate: raw pointers in, raw pointers out.
#![expect(unsafe_code, reason = "C hands over pointers; each block says why it may be trusted")]

use std::ffi::{CStr, CString, c_char};

use mast_core::{Cancel, Engine, Error, ErrorCode, Result, catch_panic, silence_panic_reports, tools};

/// An opened project. Any number of threads may call into one at the same time.
#[derive(Debug)]
pub struct Mast {
    engine: Engine,
}

/// Stops calls it was handed to. Any thread may use it.
#[derive(Debug)]
pub struct MastCancel {
    cancel: Cancel,
}

/// Whether something worked, or why not. The numbers are stable.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MastCode {
    /// It worked.
    Ok = 0,
    /// An argument is not acceptable; the message names it.
    InvalidInput = 1,
    /// Nothing has been indexed.
    NoIndex = 2,
    /// The index was written by another version.
    IndexVersion = 3,
    /// Another process holds what is needed; try again later.
    Busy = 4,
    /// `mast_cancel` was called.
    Cancelled = 5,
    /// The disk or the database refused.
    Io = 6,
    /// The configuration cannot be used.
    Config = 7,
    /// A defect of MAST.
    Internal = 8,
}

/// Where a function reports failure.
///
/// A function that takes one overwrites it and never reads it. After success `code` is `MAST_CODE_OK` and `message`
/// is NULL; after failure free `message` with `mast_free_string`.
#[repr(C)]
#[derive(Debug)]
pub struct MastError {
    /// What kind of failure.
    pub code: MastCode,
    /// One line of UTF-8 text for people, or NULL.
    pub message: *mut c_char,
}

/// Opens a project. Nothing is created or indexed.
///
/// `options`: a JSON object with `root` (the project's directory; relative to the working directory) and `state_dir`
/// (where the index is; relative to the root), both optional; NULL means no options.
///
/// Returns a handle to be released with `mast_close`, or NULL after filling `error`.
///
/// # Safety
/// `options` is NULL or a NUL-terminated string; `error` is NULL or points to a `MastError`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mast_open(options: *const c_char, error: *mut MastError) -> *mut Mast {
    silence_panic_reports();
    let opened = catch_panic(|| {
        // SAFETY: the caller's promise about `options`.
        let options = unsafe { text(options, "options") }?;
        crate::open(options).map(|engine| Box::into_raw(Box::new(Mast { engine })))
    });
    // SAFETY: the caller's promise about `error`.
    unsafe { settle(opened, error) }.unwrap_or(std::ptr::null_mut())
}

/// Releases a handle; NULL is allowed. No call may be running on it, and none may follow.
///
/// # Safety
/// `mast` is NULL or a handle of `mast_open` that was not closed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mast_close(mast: *mut Mast) {
    // SAFETY: the caller's promise; `mast_open` made the pointer from a Box.
    unsafe { release(mast) }
}

/// Runs one tool and returns its answer, one line of JSON, to be freed with `mast_free_string`.
///
/// `tool`: a name listed by `mast_tools`. `arguments`: a JSON object; NULL means an empty one. `cancel`: NULL, or what
/// another thread may use to stop this call. Returns NULL after filling `error` when there is no answer.
///
/// # Safety
/// `mast` is NULL (an error) or an open handle; `tool` and `arguments` are NULL or NUL-terminated strings; `cancel` is
/// NULL or made by `mast_cancel_new`; `error` is NULL or points to a `MastError`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mast_call(
    mast: *const Mast,
    tool: *const c_char,
    arguments: *const c_char,
    cancel: *const MastCancel,
    error: *mut MastError,
) -> *mut c_char {
    let answer = catch_panic(|| {
        // SAFETY: the caller's promise about `mast`.
        let mast = unsafe { mast.as_ref() }.ok_or_else(|| missing("mast"))?;
        // SAFETY: the caller's promise about `tool`.
        let tool = unsafe { text(tool, "tool") }?.ok_or_else(|| missing("tool"))?;
        // SAFETY: the caller's promise about `arguments`.
        let arguments = unsafe { text(arguments, "arguments") }?;
        // SAFETY: the caller's promise about `cancel`.
        let cancel = unsafe { cancel.as_ref() }.map(|token| token.cancel.clone()).unwrap_or_default();
        crate::call(&mast.engine, tool, arguments, cancel).map(hand_over)
    });
    // SAFETY: the caller's promise about `error`.
    unsafe { settle(answer, error) }.unwrap_or(std::ptr::null_mut())
}

/// The tools as a JSON array, each as MCP lists it: name, title, description, inputSchema, outputSchema, annotations.
/// Free it with `mast_free_string`. NULL only after a defect of MAST.
#[unsafe(no_mangle)]
pub extern "C" fn mast_tools() -> *mut c_char {
    silence_panic_reports();
    catch_panic(|| Ok(hand_over(tools::list_json()))).unwrap_or(std::ptr::null_mut())
}

/// Frees a string this library returned or left in a `MastError`; NULL is allowed.
///
/// # Safety
/// `string` is NULL or such a string that was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mast_free_string(string: *mut c_char) {
    if !string.is_null() {
        // SAFETY: the caller's promise; `hand_over` made the pointer from a CString.
        drop(unsafe { CString::from_raw(string) });
    }
}

/// Makes something that can stop calls, to be released with `mast_cancel_free`.
#[unsafe(no_mangle)]
pub extern "C" fn mast_cancel_new() -> *mut MastCancel {
    Box::into_raw(Box::new(MastCancel { cancel: Cancel::default() }))
}

/// Asks the calls that were handed `cancel` to stop, now and later ones alike; they fail with `MAST_CODE_CANCELLED`.
/// NULL is allowed.
///
/// # Safety
/// `cancel` is NULL or made by `mast_cancel_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mast_cancel(cancel: *const MastCancel) {
    // SAFETY: the caller's promise.
    if let Some(token) = unsafe { cancel.as_ref() } {
        token.cancel.cancel();
    }
}

/// Releases what `mast_cancel_new` made; NULL is allowed. Calls that were handed it may still be running.
///
/// # Safety
/// `cancel` is NULL or made by `mast_cancel_new` and not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mast_cancel_free(cancel: *mut MastCancel) {
    // SAFETY: the caller's promise; `mast_cancel_new` made the pointer from a Box.
    unsafe { release(cancel) }
}

/// The spelling of a `MastCode` that all doors of MAST share, such as `no_index`. Never NULL, never freed.
#[unsafe(no_mangle)]
pub extern "C" fn mast_code_name(code: i32) -> *const c_char {
    // An integer rather than the enum: C may pass any number, and an enum of ours must not hold an unlisted one.
    let name = CODES.iter().find(|(known, _)| *known as i32 == code).map_or(c"unknown", |(_, name)| name);
    name.as_ptr()
}

/// The version of this library. Never NULL, never freed.
#[unsafe(no_mangle)]
pub extern "C" fn mast_version() -> *const c_char {
    const VERSION: &CStr = terminated(concat!(env!("CARGO_PKG_VERSION"), "\0"));
    VERSION.as_ptr()
}

/// The version of the index format this library reads and writes. Never NULL, never freed.
#[unsafe(no_mangle)]
pub extern "C" fn mast_schema_version() -> *const c_char {
    static VERSION: std::sync::LazyLock<CString> =
        std::sync::LazyLock::new(|| CString::new(mast_core::SCHEMA_VERSION).unwrap_or_default());
    VERSION.as_ptr()
}

const CODES: [(MastCode, &CStr); 9] = [
    (MastCode::Ok, c"ok"),
    (MastCode::InvalidInput, c"invalid_input"),
    (MastCode::NoIndex, c"no_index"),
    (MastCode::IndexVersion, c"index_version"),
    (MastCode::Busy, c"busy"),
    (MastCode::Cancelled, c"cancelled"),
    (MastCode::Io, c"io"),
    (MastCode::Config, c"config"),
    (MastCode::Internal, c"internal"),
];

fn code_of(code: ErrorCode) -> MastCode {
    let spelled = |name: &CStr| name.to_bytes() == code.as_str().as_bytes();
    CODES.iter().find(|(_, name)| spelled(name)).map_or(MastCode::Internal, |(code, _)| *code)
}

const fn terminated(text: &str) -> &CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => c"",
    }
}

fn missing(what: &str) -> Error {
    Error::InvalidInput(format!("{what} must not be NULL"))
}

/// Text the caller owns; `None` for NULL.
///
/// # Safety
/// `pointer` is NULL or a NUL-terminated string that outlives `'a`.
unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: not NULL, and otherwise the caller's promise.
    let bytes = unsafe { CStr::from_ptr(pointer) };
    bytes.to_str().map(Some).map_err(|error| {
        Error::InvalidInput(format!("{what} is not UTF-8: bad byte at offset {}", error.valid_up_to()))
    })
}

/// Gives text away; it comes back through [`mast_free_string`].
fn hand_over(text: String) -> *mut c_char {
    // JSON escapes NUL; a message might quote one.
    let text = CString::new(text).unwrap_or_else(|error| {
        let text = String::from_utf8_lossy(&error.into_vec()).replace('\0', "\u{fffd}");
        CString::new(text).unwrap_or_default()
    });
    text.into_raw()
}

/// Writes how it went to `error`, when there is a place for it, and keeps the value.
///
/// # Safety
/// `error` is NULL or points to memory for a `MastError`, initialised or not.
unsafe fn settle<T>(outcome: Result<T>, error: *mut MastError) -> Option<T> {
    let (value, report) = match outcome {
        Ok(value) => (Some(value), MastError { code: MastCode::Ok, message: std::ptr::null_mut() }),
        Err(cause) if error.is_null() => return drop_failure(&cause),
        Err(cause) => {
            (None, MastError { code: code_of(cause.code()), message: hand_over(cause.to_string()) })
        }
    };
    if !error.is_null() {
        // SAFETY: not NULL, and otherwise the caller's promise. `write` does not drop what was there.
        unsafe { error.write(report) };
    }
    value
}

/// A caller that passes no place for errors does not want to know.
fn drop_failure<T>(_: &Error) -> Option<T> {
    None
}

/// Drops what a Box was made into; a panic while dropping stays here.
///
/// # Safety
/// `pointer` is NULL or comes from `Box::into_raw` and was not released before.
unsafe fn release<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: not NULL, and otherwise the caller's promise.
        let owned = unsafe { Box::from_raw(pointer) };
        // Nobody is left to be told.
        let _ = catch_panic(move || {
            drop(owned);
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_may_be_shared_between_threads() {
        fn assert_shareable<T: Send + Sync>() {}
        assert_shareable::<Mast>();
        assert_shareable::<MastCancel>();
    }

    #[test]
    fn every_code_of_the_library_has_its_number() {
        for (index, code) in ErrorCode::ALL.into_iter().enumerate() {
            let number = code_of(code) as i32;
            assert_eq!(number, i32::try_from(index).expect("few codes") + 1);
            // SAFETY: the function returns a constant.
            let name = unsafe { CStr::from_ptr(mast_code_name(number)) };
            assert_eq!(name.to_str(), Ok(code.as_str()));
        }
    }

    #[test]
    fn a_panic_is_an_internal_error() {
        let mut error = MastError { code: MastCode::Ok, message: std::ptr::null_mut() };
        let outcome = catch_panic(|| -> Result<u8> { panic!("lost\0it") });
        // SAFETY: `error` is a live local.
        assert_eq!(unsafe { settle(outcome, &raw mut error) }, None);
        assert_eq!(error.code, MastCode::Internal);
        // SAFETY: `settle` left a string there.
        let message = unsafe { CStr::from_ptr(error.message) }.to_owned();
        assert_eq!(message.to_str(), Ok("internal error: lost\\u{0}it"));
        // SAFETY: freed once.
        unsafe { mast_free_string(error.message) };
    }
}
