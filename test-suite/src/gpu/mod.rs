//! The pack: a folder of programs that checks and times hexpass on a GPU machine which has nothing but a driver.
//!
//! ```text
//! run.sh                       calls bin/gpu-driver
//! bin/gpu-driver               [`run`]
//! manifest.json                how and of what the pack was made, and what could not be built
//! corpus/<program>/            stock, hexpass, report
//! bench/<stencil>-<type>       both builds of a kernel in one program
//! lib/libhexrt.so              the runtime of all but Rust's programs, which hold it themselves
//! ```

// What the pack's programs are run on.
pub mod rows;

// What others reach.
pub mod peers;

// Making it.
pub mod make;

// Running it.
pub mod model;
pub mod profile;
pub mod run;

// What its results look like, and what the time model learns of them.
pub mod fit;
pub mod plot;
