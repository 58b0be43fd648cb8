//! Every problem, device and storage: the kernels leave the same bytes as the reference.

mod support;

use hexpass_poly::device::{Device, Gpu, Host};
use hexpass_poly::kernel::interp::{self, reference};
use hexpass_poly::kernel::ir::Style;
use hexpass_poly::problem::Problem;
use hexpass_poly::schedule::{Storage, TileSizes};
use hexpass_poly::strategy::{Request, choose};
use support::{memory, memory_alike, problems, sizes};

fn gpu() -> Device {
    Device::Gpu(Gpu { shared_bytes: 128 << 10, max_threads: 1024, warp: 32 })
}

fn host() -> Device {
    Device::Host(Host { cache_bytes: 1 << 20 })
}

/// All but registers, whose tiles are of another kind; those that reuse need tiles to follow each other.
fn storages(dims: usize) -> impl Iterator<Item = Storage> {
    let all = Storage::NAMES.into_iter().map(|(_, storage)| storage);
    all.filter(move |s| *s != Storage::Registers && (dims > 1 || s.reuse().is_none()))
}

fn tile(sizes: &[(&str, i64)]) -> TileSizes {
    TileSizes(sizes.iter().map(|&(n, v)| (n.to_owned(), v)).collect())
}

/// Small extents, primes, less than a tile, empty.
fn extents(dims: usize) -> Vec<Vec<i64>> {
    let few: &[&[i64]] = match dims {
        1 => &[&[1], &[3], &[7], &[37], &[64], &[211]],
        2 => &[&[3, 3], &[2, 40], &[31, 5], &[37, 41], &[17, 131]],
        _ => &[&[3, 3, 3], &[4, 13, 35], &[17, 11, 9], &[13, 12, 70]],
    };
    few.iter().map(|e| e.to_vec()).collect()
}

fn check(
    name: &str,
    problem: &Problem,
    device: &Device,
    request: &Request,
    all_extents: &[Vec<i64>],
    steps: &[i64],
) {
    let choice =
        choose(problem, device, request).unwrap_or_else(|e| panic!("{name} {request:?}: {e}"));
    let program = choice.kernels(problem, device).unwrap();
    assert_eq!(program.verify(&problem.stencil), Ok(()), "{name} {:?}", choice.sizes);
    let text = program.to_string();
    assert_eq!(text.parse().as_ref(), Ok(&program), "{name}: {text}");
    for extents in all_extents {
        for &steps in steps {
            let mut ints = vec![steps];
            ints.extend(extents);
            let label = format!("{name} {ints:?} {:?}", choice.schedule());
            let sizes = sizes(&problem.stencil, &ints);
            let mut expected = match program.alike {
                true => memory_alike(&problem.stencil, &ints, &sizes),
                false => memory(&problem.stencil, &ints),
            };
            let mut found = expected.clone();
            let instances = reference::run(&problem.stencil, &sizes, &mut expected).unwrap();
            let ran = interp::run(&program, &problem.stencil, &sizes, &mut found, 7 + steps as u64)
                .unwrap_or_else(|e| panic!("{label}: {e}"));
            let lanes = program.kernels.iter().any(|k| k.style == Style::Thread);
            assert!(ran.instances == instances || lanes && ran.instances > instances, "{label}");
            assert!(found == expected, "{label}: memory differs");
        }
    }
}

/// A few tile sizes for each number of dimensions and statements.
fn tiles(dims: usize, k: i64, host: bool) -> Vec<TileSizes> {
    let few: &[(i64, i64, i64, i64)] = if host {
        &[(1, 3, 7, 5), (2, 5, 0, 0), (1, 9, 16, 0)]
    } else {
        &[(1, 3, 32, 4), (2, 5, 24, 5), (3, 4, 33, 7)]
    };
    few.iter()
        .map(|&(m, w0, w_inner, w_middle)| {
            let h = m * k - 1;
            match dims {
                1 => tile(&[("h", h), ("w0", w0 * 3)]),
                2 => tile(&[("h", h), ("w0", w0), ("w1", w_inner)]),
                _ => tile(&[("h", h), ("w0", w0), ("w1", w_middle), ("w2", w_inner)]),
            }
        })
        .collect()
}

fn request(tile: TileSizes, storage: Option<Storage>) -> Request {
    Request { strategy: Some("hexagonal".into()), tile: Some(tile), storage }
}

#[test]
fn host_tiles() {
    for (name, problem) in problems::all() {
        let dims = problem.dims();
        for tile in tiles(dims, problem.k(), true) {
            check(name, &problem, &host(), &request(tile, None), &extents(dims), &[0, 1, 2, 7, 20]);
        }
    }
}

#[test]
fn gpu_tiles() {
    for (name, problem) in problems::all() {
        let dims = problem.dims();
        for tile in tiles(dims, problem.k(), false) {
            for storage in storages(dims) {
                let request = request(tile.clone(), Some(storage));
                check(name, &problem, &gpu(), &request, &extents(dims), &[0, 1, 7]);
            }
        }
    }
}

/// Tiles that keep more of the one before than they are apart, and tiles that follow each other along the middle dimension.
#[test]
fn narrow_gpu_tiles_that_reuse() {
    for (name, problem) in problems::all().into_iter().filter(|(_, p)| p.dims() > 1) {
        let dims = problem.dims();
        let h = 2 * problem.k() - 1;
        let narrow = match dims {
            2 => vec![tile(&[("h", h), ("w0", 4), ("w1", 3)])],
            _ => vec![
                tile(&[("h", h), ("w0", 3), ("w1", 3), ("w2", 2)]),
                tile(&[("h", problem.k() - 1), ("w0", 3), ("w1", 2), ("p2", 24)]),
            ],
        };
        for tile in narrow {
            for storage in storages(dims).filter(|s| s.reuse().is_some()) {
                let request = request(tile.clone(), Some(storage));
                check(name, &problem, &gpu(), &request, &extents(dims), &[1, 7]);
            }
        }
    }
}

#[test]
fn what_can_reuse_nothing_says_why() {
    let reason = |problem: &Problem, sizes: &[(&str, i64)], storage| {
        let request = request(tile(sizes), Storage::named(storage));
        choose(problem, &gpu(), &request).map(|c| c.sizes).unwrap_err().detail
    };
    for storage in ["static", "dynamic"] {
        let one = reason(&problems::jacobi1d(), &[("h", 1), ("w0", 9)], storage);
        assert!(one.contains("no dimension is left for tiles of a block to follow"), "{one}");
        let two = reason(&problems::jacobi2d(), &[("h", 1), ("w0", 3), ("p1", 16)], storage);
        assert!(two.contains("every dimension is split"), "{two}");
    }
}

/// Tiles that are split in every further dimension.
fn split_tiles(problem: &Problem, registers: bool) -> Vec<TileSizes> {
    let k = problem.k();
    let pitches: &[i64] = if registers { &[32, 64, 128] } else { &[24, 36] };
    let of = |(m, &pitch): (i64, &i64)| {
        let h = m * k - 1;
        let (delta0, delta1) = problem.deps.cone.delta[problem.dims() - 2];
        let outer = 4 + delta0.ceil_times(2 * h + 2) + delta1.ceil_times(2 * h + 2);
        match problem.dims() {
            2 => tile(&[("h", h), ("w0", 3), ("p1", pitch)]),
            _ => tile(&[("h", h), ("w0", 2), ("p1", outer), ("p2", pitch)]),
        }
    };
    [1, 2].into_iter().flat_map(|m| pitches.iter().map(move |p| (m, p))).map(of).collect()
}

#[test]
fn split_gpu_tiles() {
    let mut held = 0;
    for (name, problem) in problems::all().into_iter().filter(|(_, p)| p.dims() > 1) {
        for storage in ["interleaved", "registers"].map(Storage::named).map(Option::unwrap) {
            for tile in split_tiles(&problem, storage == Storage::Registers) {
                let request = request(tile, Some(storage));
                if let Err(why) = choose(&problem, &gpu(), &request) {
                    println!("{name} {request:?}: {why}");
                    continue;
                }
                held += 1;
                check(name, &problem, &gpu(), &request, &extents(problem.dims()), &[1, 7]);
            }
        }
    }
    assert!(held > 50, "{held}");
}

#[test]
fn default_tiles() {
    for (name, problem) in problems::all() {
        for device in [Device::default_gpu(), Device::default_host()] {
            let start = std::time::Instant::now();
            let choice = choose(&problem, &device, &Request::default()).unwrap();
            println!(
                "{name} {:?} {:?} {:.3e} {:?}",
                choice.sizes.0,
                choice.counts,
                choice.estimate,
                start.elapsed()
            );
            let extents = [vec![23, 61, 67][..problem.dims()].to_vec()];
            check(name, &problem, &device, &Request::default(), &extents, &[5]);
        }
    }
}
