//! Prints how many point updates a second the emulated grid makes: a 2-D Jacobi of 5 points, one step
//! a launch, staged through shared memory, as LLVM compiles it (`tests/emulated/kernels.c`).

use std::time::Instant;

use hexrt::emulated::{Memory, Module, launch};

const SIZE: usize = 2048;
const PTX: &str = include_str!("../tests/emulated/jacobi.sm_90.ptx");

fn main() {
    let module = Module::parse(PTX).unwrap_or_else(|error| panic!("{error}"));
    let kernel = module.kernel("jacobi").expect("the module has this kernel");
    let mut from: Vec<f32> = (0..SIZE * SIZE).map(|i| (i % 1013) as f32).collect();
    let mut to = vec![0f32; SIZE * SIZE];
    let bases = [0x1_0000_0000u64, 0x2_0000_0000];
    let mut memory = Memory::new();
    for (base, buffer) in bases.into_iter().zip([&mut from, &mut to]) {
        // SAFETY: both vectors outlive the memory and are left alone while kernels run.
        unsafe { memory.add_region(base, buffer.as_mut_ptr().cast(), 4 * buffer.len()) }
            .expect("the regions are disjoint");
    }
    let mut params = [bases[0].to_le_bytes(), bases[1].to_le_bytes()].concat();
    params.extend([(SIZE as u32).to_le_bytes(); 2].concat());
    let grid = [SIZE as u32 / 32, SIZE as u32 / 16, 1];
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    for threads in [1, cores] {
        let (mut best, mut best_of_cpu) = (0f64, 0f64);
        for _ in 0..7 {
            let (start, cpu) = (Instant::now(), cpu_seconds());
            launch(kernel, grid, [32, 16, 1], 0, &params, &memory, threads)
                .unwrap_or_else(|error| panic!("{error}"));
            let points = (SIZE * SIZE) as f64 / 1e6;
            best = best.max(points / start.elapsed().as_secs_f64());
            best_of_cpu = best_of_cpu.max(points / (cpu_seconds() - cpu));
        }
        print!("{threads} thread(s): {best:.1} million point updates a second");
        // One thread's blocks run on this one, so that its own time counts on a busy machine.
        match threads {
            1 => println!(", {best_of_cpu:.1} for each second that the thread had a core"),
            _ => println!(),
        }
    }
}

/// Seconds for which this thread had a core, where the kernel says.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse().ok()).map_or(0.0, |ns: f64| ns / 1e9)
}
