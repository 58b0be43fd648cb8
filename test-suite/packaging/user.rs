//! A Rust program with the packed archive in it: two copies of std that must not meet.

unsafe extern "C" {
    fn hexrt_fixture() -> i32;
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    // SAFETY: the fixture takes nothing and unwinds nowhere.
    let step = unsafe { hexrt_fixture() };
    assert!(std::panic::catch_unwind(|| panic!("my own")).is_err());
    println!("{step}");
}
