//! The runtime of hexpass: runs transformed loop nests on GPUs, CPU cores or the emulated grid.
//!
//! Generated code calls [`entry::hexrt_run`] with a nest's record and arguments. The modules follow one execution:

#![deny(unsafe_op_in_unsafe_fn)]

// A nest arrives; its record is decoded once.
pub mod entry;
pub mod options;
pub mod record;

// How large is it, is it worth it, and is it safe? From here on nothing about the sizes changes.
pub mod footprint;
pub mod gate;
pub mod guard;
pub mod paired;
mod pause;
mod probe;
mod purse;

// One execution, told in one function; and several steps of a loop that looks at each.
pub mod ahead;
mod aside;
mod bounds;
mod fresh;
mod gather;
pub mod run;
mod terms;

// Which variant, with which sizes, and what has been learnt of them.
pub mod borders;
mod choice;
pub mod store;
pub mod tune;

// Where everything lies on the device, and the launches.
pub mod layout;
pub mod plan;
pub mod resident;
mod rest;
pub mod transfer;

// The places to run on.
pub mod device;
pub mod emulated;
pub mod fp;

// What is said of it, to people and to profilers.
pub mod error;
pub mod report;
pub mod trace;

mod dynamic;
