//! Functions of libraries that may be absent, looked up by name when first wanted.

use std::ffi::{CStr, c_char, c_int, c_void};

// Part of the C library that every program on Linux is linked with.
unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// Resolves what a library needs when it is loaded; keeps its names to itself.
const RTLD_NOW: c_int = 2;

/// A library; never unloaded.
#[derive(Clone, Copy, Debug)]
pub struct Library(usize);

impl Library {
    /// The library of this file name, if the system has it.
    pub fn open(file: &CStr) -> Option<Library> {
        // SAFETY: the name ends with a zero; initialisers of libraries run as for any program that is linked with them.
        let library = unsafe { dlopen(file.as_ptr(), RTLD_NOW) };
        (!library.is_null()).then_some(Library(library as usize))
    }

    /// Address of the function of this name.
    pub fn symbol(self, name: &CStr) -> Option<*const c_void> {
        // SAFETY: the library has been opened and stays; the name ends with a zero.
        let address = unsafe { dlsym(self.0 as *mut c_void, name.as_ptr()) };
        (!address.is_null()).then_some(address.cast_const())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_is_none() {
        assert!(Library::open(c"libnone-of-hexpass.so.1").is_none());
        let libm = Library::open(c"libm.so.6").unwrap();
        assert!(libm.symbol(c"cos").is_some() && libm.symbol(c"none_of_libm").is_none());
    }
}
