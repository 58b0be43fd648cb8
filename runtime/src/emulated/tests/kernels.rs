//! Kernels that clang and llc wrote (`tests/emulated/kernels.c`), against the same loops in Rust, for
//! both targets and several numbers of threads.

use super::{Device, Plain, Shape, module, shape};

macro_rules! both {
    ($name:literal) => {
        [
            include_str!(concat!("../../../tests/emulated/", $name, ".sm_75.ptx")),
            include_str!(concat!("../../../tests/emulated/", $name, ".sm_90.ptx")),
        ]
    };
}

/// Reproducible numbers.
fn noise(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    })
}

fn floats(seed: u64, count: usize) -> Vec<f32> {
    noise(seed).take(count).map(|n| (n >> 40) as f32 / 65536.0 - 100.0).collect()
}

fn doubles(seed: u64, count: usize) -> Vec<f64> {
    noise(seed).take(count).map(|n| (n >> 20) as f64 / (1u64 << 40) as f64 - 3.0).collect()
}

fn ints(seed: u64, count: usize) -> Vec<i32> {
    noise(seed).take(count).map(|n| (n as i32) >> (n >> 59)).collect()
}

fn same<T: Plain>(found: &[T], expected: &[T]) {
    assert_eq!(found.len(), expected.len());
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.bytes(), expected.bytes(), "element {index}");
    }
}

#[test]
fn jacobi_in_shared_memory() {
    for (text, threads, n, m) in [(0, 1, 96, 64), (1, 2, 100, 37), (1, 3, 33, 17), (0, 2, 1, 1)] {
        let module = module(both!("jacobi")[text]);
        let kernel = module.kernel("jacobi").unwrap();
        assert_eq!(kernel.static_shared_bytes(), 18 * 34 * 4);
        let mut device = Device::default();
        let a = floats(7, n * m);
        let (from, to) = (device.put(&a), device.put(&vec![0f32; n * m]));
        let grid = [n.div_ceil(32) as u32, m.div_ceil(16) as u32, 1];
        let shape = Shape { grid, block: [32, 16, 1], shared: 0, threads };
        device.run(kernel, shape, &[from, to, n as u64, m as u64]).unwrap();
        let mut expected = vec![0f32; n * m];
        for y in 1..m.max(1) - 1 {
            for x in 1..n - 1 {
                let c = y * n + x;
                expected[c] = 0.2 * (a[c] + a[c - 1] + a[c + 1] + a[c - n] + a[c + n]);
            }
        }
        same(&device.get::<f32>(to, n * m), &expected);
    }
}

#[test]
fn heat_in_dynamic_shared_memory() {
    for (text, n) in both!("jacobi").into_iter().zip([100usize, 256]) {
        let module = module(text);
        let mut device = Device::default();
        let mut a = doubles(3, n);
        let address = device.put(&a);
        let shape = Shape { shared: 16 * n as u32, ..shape(1, n as u32) };
        device.run(module.kernel("heat").unwrap(), shape, &[address, n as u64]).unwrap();
        for _ in 0..8 {
            let old = a.clone();
            for t in 1..n - 1 {
                a[t] = old[t] + 0.25 * (old[t - 1] - 2.0 * old[t] + old[t + 1]);
            }
        }
        same(&device.get::<f64>(address, n), &a);
    }
}

#[test]
fn sums_by_shuffles() {
    for text in both!("warp") {
        let module = module(text);
        let mut device = Device::default();
        let a = floats(5, 128);
        let args = [device.put(&a), device.put(&[0f32; 4]), device.put(&[0u32; 4])];
        device.run(module.kernel("sum").unwrap(), shape(2, 64), &args).unwrap();
        for (warp, values) in a.chunks(32).enumerate() {
            let mut sums = values.to_vec();
            for d in [16, 8, 4, 2, 1] {
                let old = sums.clone();
                (0..32).for_each(|i| sums[i] += if i + d < 32 { old[i + d] } else { old[i] });
            }
            assert_eq!(device.get::<f32>(args[1], 4)[warp].to_bits(), sums[0].to_bits());
            let above = (0..32).filter(|&i| values[i] > sums[0] / 32.0);
            let ballot = above.fold(0u32, |bits, i| bits | 1 << i);
            assert_eq!(device.get::<u32>(args[2], 4)[warp], ballot);
        }
    }
}

#[test]
fn neighbours_in_a_warp() {
    let module = module(both!("warp")[1]);
    let mut device = Device::default();
    let a = ints(1, 64);
    let args = [device.put(&a), device.put(&[0i32; 192])];
    device.run(module.kernel("neighbours").unwrap(), shape(1, 64), &args).unwrap();
    let mut expected = Vec::new();
    for (index, &mine) in a.iter().enumerate() {
        let lane = index % 32;
        expected.push(if lane > 0 { a[index - 1] } else { mine });
        expected.push(a[index ^ 5]);
        expected.push(if lane < 30 { a[index + 2] } else { mine });
    }
    same(&device.get::<i32>(args[1], 192), &expected);
}

#[test]
fn loops_that_lanes_leave_one_by_one() {
    for text in both!("flow") {
        let module = module(text);
        let mut device = Device::default();
        let a: Vec<u32> = (1..=200).collect();
        let args = [device.put(&a), device.put(&[0i32; 200])];
        device.run(module.kernel("collatz").unwrap(), shape(2, 100), &args).unwrap();
        let steps = a.iter().map(|&start| {
            let (mut u, mut count) = (u64::from(start), 0);
            while u != 1 && count < 400 {
                u = if u % 2 == 1 { 3 * u + 1 } else { u / 2 };
                count += 1;
            }
            count
        });
        same(&device.get::<i32>(args[1], 200), &steps.collect::<Vec<i32>>());
    }
}

fn branches(v: i32, neighbour: i32) -> i32 {
    let mut s = 0i32;
    'done: for i in 0..v & 15 {
        for j in i..8 {
            if (j ^ v) % 3 == 0 {
                continue;
            }
            if s > 1000 {
                break 'done;
            }
            s = s.wrapping_add(j * i + 1);
        }
        s = match v.wrapping_add(i) % 7 {
            0 => s.wrapping_add(17),
            1 => s.wrapping_mul(3),
            2 => s.wrapping_sub(v),
            3 => s ^ 0x55,
            4 => s.wrapping_neg(),
            _ => s.wrapping_add(i),
        };
    }
    s.wrapping_add(neighbour)
}

#[test]
fn branches_of_every_kind() {
    for text in both!("flow") {
        let module = module(text);
        let mut device = Device::default();
        let n = 150;
        let a: Vec<i32> = ints(9, n).iter().map(|v| v & 0xffff).collect();
        let args = [device.put(&a), device.put(&vec![0i32; n]), n as u64];
        device.run(module.kernel("branches").unwrap(), shape(3, 64), &args).unwrap();
        let expected: Vec<i32> =
            (0..n).map(|i| branches(a[i], a[i / 64 * 64 + (i % 64 + 1) % 4])).collect();
        same(&device.get::<i32>(args[1], n), &expected);
    }
}

#[test]
fn arrays_in_local_memory() {
    for text in both!("flow") {
        let module = module(text);
        let mut device = Device::default();
        let a = ints(2, 96);
        let args = [device.put(&a), device.put(&[0i32; 96])];
        device.run(module.kernel("local").unwrap(), shape(3, 32), &args).unwrap();
        let expected = a.iter().map(|&start| {
            let mut h: [i32; 16] = std::array::from_fn(|i| i as i32);
            let mut k = start as u32;
            for _ in 0..40 {
                k = k.wrapping_mul(1664525).wrapping_add(1013904223);
                h[(k >> 20) as usize & 15] += (k & 255) as i32;
            }
            h[(k >> 28) as usize] + h[(k >> 24) as usize & 15] * 3
        });
        same(&device.get::<i32>(args[1], 96), &expected.collect::<Vec<i32>>());
    }
}

#[test]
fn vector_loads_and_stores() {
    for text in both!("numbers") {
        let module = module(text);
        let mut device = Device::default();
        let (a, c) = (floats(4, 256), doubles(6, 128));
        let args =
            [device.put(&a), device.put(&[0f32; 256]), device.put(&c), device.put(&[0f64; 128])];
        device.run(module.kernel("vectors").unwrap(), shape(2, 32), &args).unwrap();
        let b: Vec<f32> = (0..256).map(|i| a[i / 4 * 4 + 3 - i % 4] * 0.5 + a[i]).collect();
        let d: Vec<f64> = (0..128).map(|i| c[i ^ 1] - c[i] * 3.0).collect();
        same(&device.get::<f32>(args[1], 256), &b);
        same(&device.get::<f64>(args[3], 128), &d);
    }
}

#[test]
fn double_precision() {
    for text in both!("numbers") {
        let module = module(text);
        let mut device = Device::default();
        let (a, b) = (doubles(11, 96), doubles(12, 96));
        let args = [device.put(&a), device.put(&b), device.put(&[0f64; 96])];
        device.run(module.kernel("doubles").unwrap(), shape(1, 96), &args).unwrap();
        let expected = a.iter().zip(&b).map(|(&x, &y)| {
            let r = x.abs().sqrt() / (y * y + 1.5);
            let r = x.mul_add(y, r);
            let r = if r > 10.0 { r.min(x) } else { r.max(y) };
            r + 0.25f64.copysign(x - y) + if y < x { 1.0 } else { -x }
        });
        same(&device.get::<f64>(args[2], 96), &expected.collect::<Vec<f64>>());
    }
}

fn integers(x: i32, y: i32, z: i64) -> i64 {
    let (u, w) = (x as u32, y as u32);
    let (wide_u, wide_z) = (u64::from(u), z as u64);
    let mut s = 0i64;
    let mut add = |value: i64| s = s.wrapping_add(value);
    add(x.wrapping_div(y | 1).wrapping_add(x.wrapping_rem(y | 1)).into());
    s ^= (i64::from(u / (w | 1)) << 7) ^ i64::from(u % (w | 1));
    s = s.wrapping_add(z.wrapping_div((y | 1).into())).wrapping_sub(z % 1000003);
    // `w | 3ul` widens the unsigned w.
    s ^= (wide_z / (wide_u | 1)).wrapping_add(wide_z % (u64::from(w) | 3)) as i64;
    s = s.wrapping_add(i64::from(x) * i64::from(y));
    s = s.wrapping_add((x >> (y & 31)).into()).wrapping_add((u << (w & 31)).into());
    s = s.wrapping_add(((u128::from(wide_z) * u128::from(u)) >> 64) as i64);
    let bits = x.count_ones() * 3 + (u | 1).leading_zeros() * 5 + (z | 16).trailing_zeros();
    s = s.wrapping_add(u64::from(bits.wrapping_add(u.swap_bytes())) as i64);
    let low = (x.min(y) as u32 ^ u.max(w)).into();
    s = s.wrapping_add(low);
    s ^ (i64::from(u.rotate_left(5)).wrapping_add(wide_z.rotate_right(11) as i64))
}

#[test]
fn integer_arithmetic() {
    for text in both!("numbers") {
        let module = module(text);
        let mut device = Device::default();
        let (a, b) = (ints(21, 640), ints(22, 640));
        let l: Vec<i64> = noise(23).take(640).map(|n| (n as i64) >> (n >> 59)).collect();
        let args = [device.put(&a), device.put(&b), device.put(&[0i64; 640]), device.put(&l)];
        device.run(module.kernel("integers").unwrap(), shape(5, 128), &args).unwrap();
        let expected: Vec<i64> = (0..640).map(|i| integers(a[i], b[i], l[i])).collect();
        same(&device.get::<i64>(args[2], 640), &expected);
    }
}

fn conversions(f: f32, d: f64) -> i64 {
    let mut s = i64::from(f as i32) + 3 * (d as i64) + i64::from(f.abs() as u32);
    s += i64::from(d as i32 as i16) + i64::from(f as i32 as u8);
    s += (f.round_ties_even() * 8.0) as i64 + d.floor() as i64 - f.ceil() as i64;
    s += d.trunc() as i64;
    let g = d as f32 + s as f32 + s as u32 as f32 + s as u64 as f32;
    let h = f64::from(f) - s as f64 + f64::from(s as u32);
    s ^ i64::from(g.to_bits() as i32) ^ h.to_bits() as i64
}

#[test]
fn conversions_between_all_types() {
    for text in both!("numbers") {
        let module = module(text);
        let mut device = Device::default();
        let (a, b) = (floats(31, 320), doubles(32, 320));
        let args = [device.put(&a), device.put(&b), device.put(&[0i64; 320])];
        device.run(module.kernel("conversions").unwrap(), shape(10, 32), &args).unwrap();
        let expected: Vec<i64> = (0..320).map(|i| conversions(a[i], b[i])).collect();
        same(&device.get::<i64>(args[2], 320), &expected);
    }
}

#[test]
fn bytes_and_shorts() {
    for text in both!("numbers") {
        let module = module(text);
        let mut device = Device::default();
        let a: Vec<u8> = noise(41).take(64).map(|n| n as u8).collect();
        let b: Vec<i16> = noise(42).take(64).map(|n| n as i16).collect();
        let b_bits: Vec<u16> = b.iter().map(|&v| v as u16).collect();
        let args =
            [device.put(&a), device.put(&b_bits), device.put(&[0u8; 64]), device.put(&[0u16; 64])];
        device.run(module.kernel("bytes").unwrap(), shape(1, 64), &args).unwrap();
        let pairs = || a.iter().zip(&b).map(|(&x, &y)| (i32::from(x), i32::from(y)));
        let c: Vec<u8> = pairs().map(|(x, y)| (x * 3 + y) as u8).collect();
        let d: Vec<u16> = pairs().map(|(x, y)| (y / 3 - i32::from(x as i8)) as u16).collect();
        same(&device.get::<u8>(args[2], 64), &c);
        same(&device.get::<u16>(args[3], 64), &d);
    }
}
