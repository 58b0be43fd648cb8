//! Hand-written plans on every device that needs no GPU, compared with plain loops: all memory, bit for bit.

mod common;

use common::*;
use hexpass_abi::{
    FpMode, KernelCode, KernelParam, NestRecord, PlanExpr, PlanOp, Poly, Tunable, Variant,
};
use hexrt::options::{DeviceChoice, Options};
use hexrt::record::Nest;
use hexrt::run::{self, Call};
use hexrt::tune::Tune;
use std::sync::atomic::AtomicBool;

fn on(device: DeviceChoice, threads: usize) -> Options {
    Options { device, threads: Some(threads), ..Options::default() }
}

/// Runs on arrays `a` and `b`; true if the nest ran.
fn run(nest: &Nest, options: &Options, ints: &[i64], arrays: &mut [Vec<f64>; 2], c: f64) -> bool {
    let [a, b] = arrays;
    let pointers = [a.as_mut_ptr() as u64, b.as_mut_ptr() as u64];
    let host_kernels = [Some(host_kernel(&nest.record.function))];
    let call =
        Call { ints, pointers: &pointers, scalars: &[c.to_bits()], host_kernels: &host_kernels };
    run::run(nest, &call, options, &AtomicBool::new(false))
}

fn bits(arrays: &[Vec<f64>; 2]) -> Vec<u64> {
    arrays.iter().flatten().map(|x| x.to_bits()).collect()
}

/// All that this machine has.
fn devices() -> Vec<Options> {
    let mut devices = vec![
        on(DeviceChoice::Cpu, 1),
        on(DeviceChoice::Cpu, 2),
        on(DeviceChoice::Cpu, 5),
        on(DeviceChoice::Emulated, 2),
    ];
    if hexrt::device::cuda::is_present() {
        devices.push(on(DeviceChoice::Cuda(None), 4));
    }
    devices
}

#[test]
fn one_dimension() {
    let nest = Nest::new(heat1d()).unwrap();
    for options in devices() {
        for n in [-3, 0, 1, 2, 3, 4, 63, 64, 65, 66, 67, 200, 1021] {
            for steps in [-1, 0, 1, 2, 3, 7, 16] {
                let len = n.max(0) as usize;
                let mut arrays = [noise(len, 1), noise(len, 2)];
                let mut expected = arrays.clone();
                heat1d_original(n, steps, 0.3, &mut expected);
                let ran = run(&nest, &options, &[n, steps], &mut arrays, 0.3);
                assert_eq!(ran, n >= 3 && steps >= 1, "n={n} steps={steps} {:?}", options.device);
                assert_eq!(
                    bits(&arrays),
                    bits(&expected),
                    "n={n} steps={steps} {:?}",
                    options.device
                );
            }
        }
    }
}

#[test]
fn two_dimensions_with_room_between_rows() {
    let nest = Nest::new(jacobi2d()).unwrap();
    for options in devices() {
        for (n, m, stride) in
            [(3, 3, 3), (3, 9, 9), (9, 3, 3), (17, 70, 70), (17, 70, 75), (40, 129, 131)]
        {
            for steps in [1, 2, 3, 5, 8] {
                let len = (n * stride) as usize;
                let mut arrays = [noise(len, 3), noise(len, 4)];
                let mut expected = arrays.clone();
                jacobi2d_original(n, m, steps, stride, 0.2, &mut expected);
                assert!(run(&nest, &options, &[n, m, steps, stride], &mut arrays, 0.2));
                assert_eq!(
                    bits(&arrays),
                    bits(&expected),
                    "{n} {m} {stride} {steps} {:?}",
                    options.device
                );
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn flushed_denormals_are_kept_on_devices_where_the_source_allows_it() {
    let (n, steps, c) = (150, 5, 0.3);
    let denormal = |seed| noise(150, seed).iter().map(|x| x * 1e-308).collect::<Vec<f64>>();
    let first = [denormal(1), denormal(2)];
    let (mut kept, mut flushed) = (first.clone(), first.clone());
    heat1d_original(n, steps, c, &mut kept);
    flushing(|| heat1d_original(n, steps, c, &mut flushed));
    assert!(bits(&kept) != bits(&flushed) && bits(&kept) != bits(&first));
    for fp in [FpMode::Exact, FpMode::Contract, FpMode::Fast] {
        let nest = Nest::new(NestRecord { fp, ..heat1d() }).unwrap();
        let mut devices = devices();
        devices.push(on(DeviceChoice::Emulated, 1));
        for options in devices {
            let mut arrays = first.clone();
            let ran = flushing(|| run(&nest, &options, &[n, steps], &mut arrays, c));
            let on_cpu = options.device == DeviceChoice::Cpu;
            assert_eq!(ran, on_cpu || fp == FpMode::Fast, "{fp:?} {:?}", options.device);
            let expected = match ran {
                true if on_cpu => &flushed,
                true => &kept,
                false => &first,
            };
            assert_eq!(bits(&arrays), bits(expected), "{fp:?} {options:?}");
        }
    }
}

#[test]
fn what_the_nest_does_not_write_keeps_every_bit() {
    let nest = Nest::new(jacobi2d()).unwrap();
    for options in devices() {
        let (n, m, stride) = (6, 7, 9);
        let mut arrays = [noise(54, 3), noise(54, 4)];
        // Signalling NaNs outside of what is read survive no arithmetic, only leaving alone.
        let canary = f64::from_bits(0x7ff0_0000_dead_beef);
        for array in &mut arrays {
            for row in array.chunks_mut(9) {
                row[7..].fill(canary);
            }
        }
        let mut expected = arrays.clone();
        jacobi2d_original(n, m, 4, stride, 0.2, &mut expected);
        assert!(run(&nest, &options, &[n, m, 4, stride], &mut arrays, 0.2));
        assert_eq!(bits(&arrays), bits(&expected));
    }
}

#[test]
fn three_buffers_turn_from_any_start() {
    let mut record = jacobi2d();
    record.arrays[0].slots = slots(&[0, 1, 2]);
    record.arrays[0].rotation = int(4);
    let nest = Nest::new(record).unwrap();
    let n = 12;
    for options in devices() {
        for start in [-4, 0, 1, 2, 7] {
            for steps in [1, 2, 3, 4, 7] {
                let mut buffers = [noise(144, 1), noise(144, 2), noise(144, 3)];
                let mut expected = buffers.clone();
                for t in 0..steps {
                    let slot = |t: i64| (start + t).rem_euclid(3) as usize;
                    let (from, to) = (slot(t), slot(t + 1));
                    let mut pair = [expected[from].clone(), expected[to].clone()];
                    jacobi2d_original(n, n, 1, n, 0.2, &mut pair);
                    [expected[from], expected[to]] = pair;
                }
                let pointers = buffers.each_mut().map(|b| b.as_mut_ptr() as u64);
                let ints = [n, n, steps, n, start];
                let host_kernels = [Some(host_kernel(&nest.record.function))];
                let scalars = [0.2f64.to_bits()];
                let call = Call {
                    ints: &ints,
                    pointers: &pointers,
                    scalars: &scalars,
                    host_kernels: &host_kernels,
                };
                assert!(run::run(&nest, &call, &options, &AtomicBool::new(false)));
                assert!(buffers == expected, "start={start} steps={steps} {:?}", options.device);
            }
        }
    }
}

/// The device variant of [`jacobi2d`] as strategies with buffers have it: rows are aligned, a launch's argument says
/// which way it goes, and one launch more in front fills a scratch buffer.
fn with_buffers() -> NestRecord {
    let mut record = jacobi2d();
    let variant = &mut record.variants[1];
    variant.aligned = true;
    variant.scratch = vec![0];
    let buffer = |even, odd| KernelParam::Buffer { array: 0, even, odd, arg: 0 };
    let mut more = variant.kernels[0].clone();
    (more.params[0], more.params[1]) = (buffer(1, 0), buffer(1, 2));
    variant.kernels[0].params[0] = buffer(0, 1);
    variant.kernels[0].params[1] = buffer(1, 0);
    variant.kernels.push(more);
    let [PlanOp::Loop { body, .. }] = variant.plan.ops.as_mut_slice() else { panic!() };
    let [PlanOp::Launch { args, blocks, .. }] = body.as_mut_slice() else { panic!() };
    *args = vec![PlanExpr::Var(0)];
    let (blocks, time) = (blocks.clone(), PlanExpr::Const(0));
    let args = vec![PlanExpr::Const(-1)];
    variant.plan.ops.insert(0, PlanOp::Launch { kernel: 1, blocks, time, args });
    record
}

#[test]
fn buffers_by_parity_in_aligned_rows() {
    let nest = Nest::new(with_buffers()).unwrap();
    for options in devices().into_iter().filter(|o| o.device != DeviceChoice::Cpu) {
        for (n, m, stride) in [(3, 3, 3), (17, 70, 75), (40, 129, 131)] {
            for steps in [1, 2, 3, 8] {
                let len = (n * stride) as usize;
                let mut arrays = [noise(len, 3), noise(len, 4)];
                let mut expected = arrays.clone();
                jacobi2d_original(n, m, steps, stride, 0.2, &mut expected);
                assert!(run(&nest, &options, &[n, m, steps, stride], &mut arrays, 0.2));
                assert_eq!(bits(&arrays), bits(&expected), "{n} {m} {stride} {steps}");
            }
        }
    }
}

#[test]
fn stretches_of_steps_on_different_variants_make_one_nest() {
    let mut record = with_buffers();
    let naive = jacobi2d().variants.remove(1);
    record.variants.extend([Variant { strategy: "second".into(), ..naive.clone() }, naive]);
    let host = record.variants[0].clone();
    record.variants.push(Variant { strategy: "third".into(), ..host });
    let nest = Nest::new(record.clone()).unwrap();
    for options in devices() {
        for steps in [31, 64, 97, 150, 161] {
            for tune in [Tune::Off, Tune::Online, Tune::Full] {
                let (n, m, stride) = (9, 40, 41);
                let mut arrays = [noise(369, 3), noise(369, 4)];
                let mut expected = arrays.clone();
                jacobi2d_original(n, m, steps, stride, 0.2, &mut expected);
                let options = Options { tune: Some(tune), ..options.clone() };
                assert!(run(&nest, &options, &[n, m, steps, stride], &mut arrays, 0.2));
                assert!(bits(&arrays) == bits(&expected), "{steps} {options:?}");
            }
        }
    }
    // Where bodies speak of the time step, there are no stretches.
    let timed = Nest::new(NestRecord { timeless: false, ..record }).unwrap();
    let mut arrays = [noise(369, 3), noise(369, 4)];
    let options = Options { tune: Some(Tune::Full), ..on(DeviceChoice::Cpu, 2) };
    assert!(run(&timed, &options, &[9, 40, 150, 41], &mut arrays, 0.2));
}

#[test]
fn damaged_variants_are_refused() {
    let damage: [fn(&mut Variant); 10] = [
        |v| v.kernels[0].params[0] = KernelParam::Buffer { array: 0, even: 0, odd: 3, arg: 0 },
        |v| v.kernels[0].params[0] = KernelParam::Buffer { array: 1, even: 0, odd: 0, arg: 0 },
        |v| v.kernels[0].params[0] = KernelParam::Buffer { array: 0, even: 0, odd: 1, arg: 1 },
        |v| v.scratch[0] = 1,
        |v| v.scratch.clear(),
        |v| v.tunables.push(Tunable { name: "c".into(), values: vec![] }),
        |v| v.tunables.push(Tunable { name: "c".into(), values: vec![4, 0] }),
        |v| v.kernels[0].cost.turns = Some(PlanExpr::Tunable(0)),
        |v| v.kernels[0].cost.turns = Some(PlanExpr::Var(1)),
        |v| v.plan.vars = 0,
    ];
    assert!(Nest::new(with_buffers()).is_ok());
    for (i, damage) in damage.iter().enumerate() {
        let mut record = with_buffers();
        damage(&mut record.variants[1]);
        let refusal = Nest::new(record).err().map(|r| r.reason);
        assert_eq!(refusal, Some(hexrt::error::Reason::BadRecord), "{i}");
    }
    // The host knows one axis.
    let mut record = jacobi2d();
    let [PlanOp::Loop { body, .. }] = record.variants[0].plan.ops.as_mut_slice() else { panic!() };
    let [PlanOp::Launch { blocks, .. }] = body.as_mut_slice() else { panic!() };
    blocks[1] = PlanExpr::Const(2);
    assert!(Nest::new(record).is_err());
}

#[test]
fn a_device_that_fails_leaves_the_programs_memory_alone() {
    let damage: [fn(&mut NestRecord); 5] = [
        // Rows so far apart that the kernel leaves its buffers.
        |r| r.variants[1].kernels[0].params[2] = KernelParam::Int(Poly::constant(1 << 30)),
        |r| r.variants[1].kernels[0].code = KernelCode::Ptx("missing".into()),
        |r| r.variants[1].kernels[0].threads = [4096, 1, 1],
        |r| spoil(&mut r.variants[1].ptx[0]),
        |r| r.variants[1].ptx.clear(),
    ];
    for (i, damage) in damage.iter().enumerate() {
        let mut record = jacobi2d();
        damage(&mut record);
        let nest = Nest::new(record).unwrap();
        let mut arrays = [noise(400, 1), noise(400, 2)];
        let before = arrays.clone();
        let options = on(DeviceChoice::Emulated, 2);
        assert!(!run(&nest, &options, &[20, 20, 5, 20], &mut arrays, 0.2), "{i}");
        assert_eq!(bits(&arrays), bits(&before), "{i}");
    }
}

/// Large enough for copies to go through page-locked buffers; with `HEXPASS_INFO=1` it tells how fast.
#[test]
fn large_arrays() {
    let nest = Nest::new(jacobi2d()).unwrap();
    let info = std::env::var_os("HEXPASS_INFO").is_some();
    let mut sizes = vec![(2000, 1400, 1400), (2000, 1400, 1500), (3, 2_500_000, 2_500_000)];
    if info {
        sizes.extend([(10_000, 8000, 8000), (10_000, 8000, 8200)]);
    }
    for (n, m, stride) in sizes {
        let len = (n * stride) as usize;
        let first = [noise(len, 3), noise(len, 4)];
        let mut expected = first.clone();
        jacobi2d_original(n, m, 3, stride, 0.2, &mut expected);
        for options in devices() {
            for _ in 0..if info { 3 } else { 1 } {
                let mut arrays = first.clone();
                let options = Options { info, ..options.clone() };
                assert!(run(&nest, &options, &[n, m, 3, stride], &mut arrays, 0.2));
                assert!(bits(&arrays) == bits(&expected), "{n} {m} {stride} {:?}", options.device);
            }
        }
    }
}

#[test]
fn many_threads_of_a_program_may_run_nests_at_once() {
    let nest = Nest::new(jacobi2d()).unwrap();
    std::thread::scope(|scope| {
        for seed in 0..8 {
            let nest = &nest;
            scope.spawn(move || {
                let mut arrays = [noise(400, seed), noise(400, seed + 1)];
                let mut expected = arrays.clone();
                jacobi2d_original(20, 20, 50, 20, 0.2, &mut expected);
                assert!(run(nest, &on(DeviceChoice::Cpu, 2), &[20, 20, 50, 20], &mut arrays, 0.2));
                assert_eq!(bits(&arrays), bits(&expected));
            });
        }
    });
}
