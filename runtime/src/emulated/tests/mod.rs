//! Tests of the emulated grid: kernels that LLVM wrote ([`kernels`]), single operations against what
//! a device answered ([`device`]), PTX by hand ([`semantics`]), and what is refused ([`refusals`]).

mod device;
mod kernels;
mod refusals;
mod semantics;

use super::{Kernel, LaunchError, Limits, Memory, Module, launch_within};

/// A kernel's arguments and the memory that they point to.
#[derive(Default)]
struct Device {
    memory: Memory,
    buffers: Vec<(u64, Vec<u64>)>,
}

/// Plain numbers that may be seen as bytes.
trait Plain: Copy {
    fn bytes(self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! plain {
    ($($t:ty),*) => { $(
        impl Plain for $t {
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn from_bytes(bytes: &[u8]) -> Self {
                <$t>::from_le_bytes(bytes.try_into().unwrap())
            }
        }
    )* };
}
plain!(u8, u16, i16, u32, i32, u64, i64, f32, f64);

impl Device {
    /// Copies `data` to the device; its address.
    fn put<T: Plain>(&mut self, data: &[T]) -> u64 {
        let bytes: Vec<u8> = data.iter().flat_map(|value| value.bytes()).collect();
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            *word = u64::from_le_bytes(eight);
        }
        // A gap between buffers, so that a step too far is seen.
        let base = 0x7000_0000 + ((self.buffers.len() as u64) << 32);
        let pointer = words.as_mut_ptr().cast();
        self.buffers.push((base, words));
        // SAFETY: the words stay where they are in the vector that this device owns, and are read
        // again only after a launch.
        unsafe { self.memory.add_region(base, pointer, bytes.len()) }.unwrap();
        base
    }

    fn get<T: Plain>(&self, address: u64, count: usize) -> Vec<T> {
        let (_, words) = self.buffers.iter().find(|(base, _)| *base == address).unwrap();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.chunks_exact(size_of::<T>()).take(count).map(T::from_bytes).collect()
    }

    fn run(&self, kernel: &Kernel, shape: Shape, args: &[u64]) -> Result<(), LaunchError> {
        let params = params(kernel, args);
        let Shape { grid, block, shared, threads } = shape;
        let limits = Limits { threads, instructions: Some(50_000_000) };
        launch_within(kernel, grid, block, shared, &params, &self.memory, limits)
    }
}

#[derive(Clone, Copy)]
struct Shape {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    threads: usize,
}

fn shape(grid: u32, block: u32) -> Shape {
    Shape { grid: [grid, 1, 1], block: [block, 1, 1], shared: 0, threads: 1 }
}

fn params(kernel: &Kernel, args: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (param, arg) in kernel.params().iter().zip(args) {
        bytes.resize(param.offset as usize, 0);
        bytes.extend_from_slice(&arg.to_le_bytes()[..param.size as usize]);
    }
    bytes
}

fn module(text: &str) -> Module {
    Module::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A module of one kernel `k` with one pointer parameter `p` and a few registers of each size.
fn wrapped(body: &str) -> String {
    format!(
        ".version 7.8\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 p)\n{{\n\
         .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<99>; .reg .b64 %d<29>;\n\
         ld.param.b64 %d28, [p];\n{body}\n}}\n"
    )
}

/// Runs `body` in one warp, which leaves a 32-bit result for each lane in `%r0`.
fn warp_results(body: &str) -> Vec<u32> {
    let text = wrapped(&format!(
        "mov.u32 %r98, %tid.x; mul.wide.u32 %d27, %r98, 4; add.s64 %d28, %d28, %d27;\n\
         mov.b32 %r0, 0;\n{body}\nst.global.b32 [%d28], %r0;\nret;"
    ));
    let module = module(&text);
    let mut device = Device::default();
    let out = device.put(&[0u32; 32]);
    device.run(module.kernel("k").unwrap(), shape(1, 32), &[out]).unwrap();
    device.get(out, 32)
}
