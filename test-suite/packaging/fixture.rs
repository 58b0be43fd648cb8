//! A stand-in for the runtime that uses what packing could break: unwinding, threads, thread-locals, initialisers.

use std::cell::Cell;
use std::panic::catch_unwind;

thread_local! {
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

struct Dropped<'a>(&'a Cell<u32>);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

/// 0 when everything works, else the number of the step that didn't.
#[unsafe(no_mangle)]
pub extern "C" fn hexrt_fixture() -> i32 {
    std::panic::set_hook(Box::new(|_| {}));
    let drops = Cell::new(0);
    let guarded = std::panic::AssertUnwindSafe(|| {
        let _dropped = Dropped(&drops);
        panic!("caught below");
    });
    let caught: Result<(), _> = catch_unwind(guarded);
    if caught.is_ok() || drops.get() != 1 {
        return 1;
    }
    let joined = std::thread::spawn(|| {
        CALLS.with(|calls| calls.set(calls.get() + 1));
        if CALLS.get() == 1 {
            panic!("seen at the join");
        }
    });
    if joined.join().is_ok() {
        return 2;
    }
    if CALLS.get() != 0 {
        return 3;
    }
    // std fills this from an initialiser in .init_array.
    if std::env::args_os().count() == 0 {
        return 4;
    }
    0
}
