//! The polyhedral half of hexpass: from facts about a loop nest to a kernel program. No LLVM, no CUDA.
//!
//! The modules follow the pipeline:
//!
//! `NestFacts → Scop → StencilProgram → Dependences → Problem → Choice → TiledSchedule → KernelProgram`
#![deny(unsafe_code)]

// What detection saw: loops, accesses, bodies. Owned data, no LLVM.
pub mod body;
pub mod facts;

// What of a body is hardly ever computed, and what only one arm of a choice needs.
pub mod arms;
pub mod rare;

// The same as text, for the tests of every stage.
pub mod text;

// Refusals, each of a closed list.
pub mod advice;
pub mod rejection;

// isl behind Result and an operation budget.
pub mod isl;

// Subscripts are separated into dimensions, domains and accesses become isl sets and maps.
pub mod scop;

// Time, space and statements are aligned; every statement is a box in the coordinates of what it writes.
pub mod stencil;

// Exact dependences and their cone.
pub mod deps;

// Sweeps whose neighbours go round, as if the grid had no border.
pub mod torus;

// Everything a strategy may ask.
pub mod device;
pub mod problem;
pub mod versions;

// Strategies count; one cost model judges.
pub mod cost;
pub mod strategy;

// The chosen tiling, and the judge that does not know who made it.
pub mod schedule;

// One kernel form for host and device.
pub mod kernel;
