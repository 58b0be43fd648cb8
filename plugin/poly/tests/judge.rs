//! The judge passes what is legal, and catches what was broken on purpose.

mod support;

use hexpass_poly::device::{Device, Gpu};
use hexpass_poly::problem::Problem;
use hexpass_poly::schedule::{TileSizes, TiledSchedule, judge};
use hexpass_poly::strategy::{Request, choose};
use support::{problems, sizes};

fn gpu() -> Device {
    Device::Gpu(Gpu { shared_bytes: 96 << 10, max_threads: 1024, warp: 32 })
}

fn schedule(problem: &Problem, device: &Device, tile: &[(&str, i64)]) -> TiledSchedule {
    let tile = TileSizes(tile.iter().map(|&(n, v)| (n.to_owned(), v)).collect());
    let request = Request { tile: Some(tile), ..Request::default() };
    choose(problem, device, &request).unwrap().schedule().clone()
}

#[test]
fn everything_chosen_is_legal() {
    for (name, problem) in problems::all() {
        for device in [Device::default_gpu(), Device::default_host()] {
            let schedule =
                choose(&problem, &device, &Request::default()).unwrap().schedule().clone();
            let start = std::time::Instant::now();
            let verdict = judge::check(&problem, &schedule);
            println!("{name}: {verdict:?} {:?} {:?}", schedule.sizes.0, start.elapsed());
            assert_eq!(verdict, Ok(()), "{name} {:?}", schedule.sizes);
        }
    }
}
