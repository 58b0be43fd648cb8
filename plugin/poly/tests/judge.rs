//! The judge passes what is legal, and catches what was broken on purpose.

mod support;

use hexpass_abi::ElemType;
use hexpass_poly::device::{Device, Gpu};
use hexpass_poly::isl::{BUDGET, Isl, UnionMap};
use hexpass_poly::kernel::interp::{self, reference};
use hexpass_poly::kernel::ir::Node;
use hexpass_poly::problem::Problem;
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::schedule::{
    Cut, Kept, Phase, Phased, Ratio, Row, StagedArray, Storage, TileSizes, TiledSchedule, judge,
};
use hexpass_poly::strategy::{Request, choose};
use support::{Bound, Program, memory, problems, sizes};

fn gpu() -> Device {
    Device::Gpu(Gpu { shared_bytes: 96 << 10, max_threads: 1024, warp: 32 })
}

fn request(tile: &[(&str, i64)], storage: Option<Storage>) -> Request {
    let tile = TileSizes(tile.iter().map(|&(n, v)| (n.to_owned(), v)).collect());
    Request { strategy: Some("hexagonal".into()), tile: Some(tile), storage }
}

fn schedule(problem: &Problem, device: &Device, tile: &[(&str, i64)]) -> Phased {
    phased(choose(problem, device, &request(tile, None)).unwrap().schedule())
}

#[track_caller]
fn phased(schedule: &TiledSchedule) -> Phased {
    match schedule {
        TiledSchedule::Phased(schedule) => schedule.clone(),
        TiledSchedule::Overlapped(_) => panic!("no phased schedule"),
    }
}

/// The symbolic judge.
fn judged(problem: &Problem, schedule: &Phased) -> Result<(), Rejection> {
    judge::check(problem, &TiledSchedule::Phased(schedule.clone()))
}

/// Both judges, for a few sizes.
fn both(problem: &Problem, schedule: &Phased) -> (Result<(), Rejection>, Result<(), Rejection>) {
    let extents: &[&[i64]] = match problem.dims() {
        1 => &[&[40], &[7]],
        2 => &[&[17, 23], &[9, 40]],
        _ => &[&[9, 7, 11]],
    };
    let mut enumerated = Ok(());
    for extents in extents {
        for steps in [1, 9] {
            let ints = [&[steps], *extents].concat();
            let sizes = sizes(&problem.stencil, &ints);
            enumerated =
                enumerated.and_then(|()| judge::enumerate::check(problem, schedule, &sizes));
        }
    }
    (judged(problem, schedule), enumerated)
}

#[track_caller]
fn passes(label: &str, problem: &Problem, schedule: &Phased) {
    assert_eq!(both(problem, schedule), (Ok(()), Ok(())), "{label} {:?}", schedule.sizes);
}

/// The symbolic judge says so; the other, too, unless the fault is one that these sizes don't show.
#[track_caller]
fn fails(label: &str, problem: &Problem, schedule: &Phased, why: &str) {
    let (symbolic, enumerated) = both(problem, schedule);
    let symbolic = symbolic.expect_err(label);
    assert_eq!(symbolic.reason, Reason::Bug, "{label}: {symbolic}");
    assert!(symbolic.detail.starts_with(why), "{label}: {symbolic}");
    assert!(enumerated.is_err(), "{label} passes enumeration");
}

#[test]
fn everything_chosen_is_legal() {
    for (name, problem) in problems::all() {
        for device in [Device::default_gpu(), Device::default_host()] {
            let schedule =
                choose(&problem, &device, &Request::default()).unwrap().schedule().clone();
            assert_eq!(judge::check(&problem, &schedule), Ok(()), "{name} {:?}", schedule.sizes());
        }
    }
}

#[test]
fn small_tiles_are_legal() {
    for (name, problem) in problems::all() {
        let h = 2 * problem.k() - 1;
        let tile: &[(&str, i64)] = match problem.dims() {
            1 => &[("h", h), ("w0", 5)],
            2 => &[("h", h), ("w0", 4), ("w1", 6)],
            _ => &[("h", h), ("w0", 3), ("w1", 4), ("w2", 5)],
        };
        for device in [gpu(), Device::default_host()] {
            passes(name, &problem, &schedule(&problem, &device, tile));
        }
    }
}

/// Tiles that are split in every further dimension.
fn split(problem: &Problem, levels: i64) -> Vec<(&'static str, i64)> {
    let pitch = |d: usize, more: i64| {
        let (a, b) = problem.deps.cone.delta[d];
        a.ceil_times(levels) + b.ceil_times(levels) + 3 * 2 + more
    };
    match problem.dims() {
        1 => vec![],
        2 => vec![("p1", pitch(1, 1))],
        _ => vec![("p1", pitch(1, 0)), ("p2", pitch(2, 2))],
    }
}

#[test]
fn split_tiles_are_legal() {
    for (name, problem) in problems::all() {
        let h = problem.k() - 1;
        let tile = [vec![("h", h), ("w0", 3)], split(&problem, 2 * h + 2)].concat();
        let request = Request { strategy: Some("hexagonal".into()), ..request(&tile, None) };
        for storage in ["registers", "interleaved"].map(Storage::named).map(Option::unwrap) {
            let request = Request { storage: Some(storage), ..request.clone() };
            let Ok(choice) = choose(&problem, &gpu(), &request) else { continue };
            let start = std::time::Instant::now();
            let schedule = phased(choice.schedule());
            passes(name, &problem, &schedule);
            println!("{name} {storage:?} {:?} {:?}", schedule.sizes, start.elapsed());
        }
    }
}

#[test]
fn growing_tiles_before_shrinking_ones() {
    let problem = problems::jacobi2d();
    let mut broken = schedule(&problem, &gpu(), &[("h", 1), ("w0", 3), ("p1", 16)]);
    broken.phases.swap(0, 1);
    let text = broken.execution.replace("[T, 0,", "[T, 4,").replace("[T, 1,", "[T, 0,");
    broken.execution = text.replace("[T, 4,", "[T, 1,");
    fails("grow first", &problem, &broken, "(b)");
}

#[test]
fn a_trapezoid_too_steep() {
    let problem = problems::jacobi2d();
    let zero = Ratio::whole(0);
    for slopes in [(zero, Ratio::whole(1)), (Ratio::whole(1), zero), (zero, zero)] {
        let wrong = with_cone(&problem, 1, slopes);
        let broken = schedule(&wrong, &gpu(), &[("h", 1), ("w0", 3), ("p1", 16)]);
        fails("slope", &problem, &broken, "(b)");
    }
}

#[test]
fn a_box_that_reaches_the_neighbours_along_a_split_dimension() {
    let problem = problems::jacobi2d();
    for by in [-3, 3] {
        let mut broken = schedule(&problem, &gpu(), &[("h", 1), ("w0", 3), ("p1", 16)]);
        let staged = &mut broken.phases[2].staging[0];
        let end = if by < 0 { &mut staged.lo[1] } else { &mut staged.hi[1] };
        *end += by;
        fails("box", &problem, &broken, "(c)");
    }
}

/// The problem with another cone: what a strategy would do that got the slopes wrong.
fn with_cone(problem: &Problem, dim: usize, slopes: (Ratio, Ratio)) -> Problem {
    let mut out = problem.clone();
    out.deps.cone.delta[dim] = slopes;
    out
}

#[test]
fn wrong_slope() {
    let (zero, one) = (Ratio::whole(0), Ratio::whole(1));
    let problem = problems::jacobi2d();
    for slopes in [(zero, one), (one, zero), (Ratio::new(1, 2).unwrap(), one)] {
        let wrong = with_cone(&problem, 0, slopes);
        let broken = schedule(&wrong, &Device::default_host(), &[("h", 3), ("w0", 3), ("w1", 8)]);
        fails("slope", &problem, &broken, "(b)");
    }
}

#[test]
fn no_skew() {
    let problem = problems::jacobi2d();
    let wrong = with_cone(&problem, 1, (Ratio::whole(1), Ratio::whole(0)));
    for device in [gpu(), Device::default_host()] {
        let broken = schedule(&wrong, &device, &[("h", 3), ("w0", 3), ("w1", 8)]);
        fails("skew", &problem, &broken, "(b)");
    }
}

#[test]
fn phases_swapped() {
    let problem = problems::jacobi1d();
    let mut broken = schedule(&problem, &gpu(), &[("h", 2), ("w0", 4)]);
    broken.phases.swap(0, 1);
    fails("loops swapped, text not", &problem, &broken, "(a)");
    let text = broken.execution.replace("[T, 0,", "[T, 2,").replace("[T, 1,", "[T, 0,");
    broken.execution = text.replace("[T, 2,", "[T, 1,");
    fails("swapped", &problem, &broken, "(b)");
}

#[test]
fn two_levels_without_a_barrier() {
    let problem = problems::jacobi1d();
    let mut broken = schedule(&problem, &gpu(), &[("h", 1), ("w0", 4)]);
    let isl = Isl::new(BUDGET).unwrap();
    let merge =
        UnionMap::parse(&isl, "{ [T, p, X0, l] -> [T, p, X0, m] : m = l - (l mod 2) }").unwrap();
    let execution = UnionMap::parse(&isl, &broken.execution).unwrap();
    broken.execution = execution.apply_range(merge).unwrap().text().unwrap();
    let verdict = judged(&problem, &broken).unwrap_err();
    assert!(verdict.detail.starts_with("(a)"), "{verdict}");
}

#[track_caller]
fn row(phase: &mut Phase, dim: usize) -> &mut Row {
    match &mut phase.cuts[dim] {
        Cut::Blocks(row) => row,
        Cut::Tiles(_) => panic!("dimension {dim} is not cut into blocks"),
    }
}

#[test]
fn rows_too_short_or_too_long() {
    let problem = problems::jacobi1d();
    let legal = schedule(&problem, &gpu(), &[("h", 2), ("w0", 4)]);
    for (at, by) in [(0, 1), (1, -1), (0, -1), (1, 1)] {
        let mut broken = legal.clone();
        for phase in &mut broken.phases {
            let interval = &mut row(phase, 0).interval;
            let end = if at == 0 { &mut interval.0 } else { &mut interval.1 };
            *end = end.clone().plus(hexpass_poly::kernel::ir::IExpr::Const(by));
        }
        fails("row", &problem, &broken, "(a)");
    }
}

#[test]
fn a_box_too_small() {
    let problem = problems::jacobi2d();
    let legal = schedule(&problem, &gpu(), &[("h", 2), ("w0", 4), ("w1", 8)]);
    for d in 0..2 {
        let mut broken = legal.clone();
        broken.storage = Storage::named("interleaved").unwrap();
        broken.phases[0].staging[0].hi[d] -= 1;
        fails("box", &problem, &broken, "(b)");
        let mut broken = legal.clone();
        broken.phases[1].staging[0].lo[0] += 1;
        fails("box", &problem, &broken, "(b)");
    }
}

#[test]
fn a_box_that_reaches_the_neighbours() {
    let problem = problems::jacobi2d();
    let mut broken = schedule(&problem, &gpu(), &[("h", 2), ("w0", 4), ("w1", 8)]);
    broken.phases[0].staging[0].hi[0] += 6;
    fails("box", &problem, &broken, "(c)");
}

/// Tiles that reuse what the one before has, in that way.
fn reusing(problem: &Problem, storage: &str) -> Phased {
    let tile: &[(&str, i64)] = match problem.dims() {
        2 => &[("h", 2), ("w0", 4), ("w1", 8)],
        _ => &[("h", 1), ("w0", 3), ("w1", 4), ("w2", 3)],
    };
    let request = request(tile, Storage::named(storage));
    phased(choose(problem, &gpu(), &request).unwrap().schedule())
}

#[test]
fn reuse_that_is_legal() {
    for (name, problem) in problems::all().into_iter().filter(|(_, p)| p.k() == 1 && p.dims() > 1) {
        for storage in ["static", "dynamic"] {
            passes(&format!("{name} {storage}"), &problem, &reusing(&problem, storage));
        }
    }
}

#[test]
fn tiles_of_a_block_move_what_they_share_unasked() {
    let tile = [("h", 2), ("w0", 4), ("w1", 8)];
    for (problem, tile, storage) in [
        (problems::jacobi2d(), &tile[..], "dynamic"),
        (problems::jacobi1d(), &tile[..2], "aligned"),
    ] {
        assert_eq!(schedule(&problem, &gpu(), tile).storage.name(), storage);
    }
}

#[test]
fn reuse_of_what_is_not_there() {
    for problem in [problems::jacobi2d(), problems::jacobi3d()] {
        let walked = problem.dims() - 1;
        for storage in ["static", "dynamic"] {
            let legal = reusing(&problem, storage);
            let broken_by = |wrong: &dyn Fn(&mut StagedArray)| {
                let mut broken = legal.clone();
                broken.phases.iter_mut().flat_map(|p| &mut p.staging).for_each(wrong);
                broken
            };
            let more = broken_by(&|s| s.kept.as_mut().unwrap().count += 1);
            fails("one more", &problem, &more, "(b) a tile keeps elements that the tile before");
            let other = broken_by(&|s| s.kept.as_mut().unwrap().dim = walked - 1);
            fails("along another dimension", &problem, &other, "(b) a tile keeps what no tile");
            let shorter = broken_by(&|s| s.hi[walked] -= 1);
            fails("of a smaller box", &problem, &shorter, "(b)");
        }
        let mut broken = reusing(&problem, "static");
        for staged in broken.phases.iter_mut().flat_map(|p| &mut p.staging) {
            let extent = staged.hi[walked] - staged.lo[walked] + 1;
            staged.kept.as_mut().unwrap().round = Some(extent - 1);
        }
        fails("too small a ring", &problem, &broken, "(b) two elements of a staged box");
    }
}

/// A block of one tile keeps nothing.
#[test]
fn reuse_without_a_tile_before() {
    let problem = problems::jacobi2d();
    let mut broken = schedule(&problem, &gpu(), &[("h", 1), ("w0", 3), ("p1", 16)]);
    broken.storage = Storage::named("dynamic").unwrap();
    for staged in broken.phases.iter_mut().flat_map(|p| &mut p.staging) {
        staged.kept = Some(Kept { dim: 1, count: 2, round: None });
    }
    let verdict = judged(&problem, &broken).unwrap_err();
    assert!(verdict.detail.starts_with("(b) a tile keeps what no tile before it has"), "{verdict}");
}

/// Tiles that are shifted in the loops alone.
#[test]
fn shifted_tiles() {
    let problem = problems::jacobi2d();
    let mut broken = schedule(&problem, &gpu(), &[("h", 2), ("w0", 4), ("w1", 8)]);
    for phase in &mut broken.phases {
        let Cut::Tiles(classical) = &mut phase.cuts[1] else { panic!() };
        classical.shift = 1;
    }
    fails("shift", &problem, &broken, "(a)");
}

#[test]
fn last_time_tile_forgotten() {
    let problem = problems::jacobi1d();
    let mut broken = schedule(&problem, &gpu(), &[("h", 2), ("w0", 4)]);
    broken.last = broken.last + hexpass_abi::PlanExpr::Const(-1);
    fails("last tile", &problem, &broken, "(a)");
}

#[test]
fn one_tile_for_two() {
    let problem = problems::jacobi2d();
    let mut broken = schedule(&problem, &gpu(), &[("h", 2), ("w0", 4), ("w1", 8)]);
    for phase in &mut broken.phases {
        let Cut::Tiles(classical) = &mut phase.cuts[1] else { panic!() };
        classical.width = Some(9);
    }
    fails("width", &problem, &broken, "(a)");
}

/// A barrier left out of a kernel is a race.
#[test]
fn missing_barrier() {
    for storage in ["global", "aligned", "static", "dynamic"] {
        let storage = Storage::named(storage).unwrap();
        let problem = problems::jacobi2d();
        let request = request(&[("h", 2), ("w0", 4), ("w1", 32)], Some(storage));
        let choice = choose(&problem, &gpu(), &request).unwrap();
        let whole = choice.kernels(&problem, &gpu()).unwrap();
        let barriers = count_barriers(&whole.kernels[0].body);
        assert!(barriers >= 2);
        for left_out in 0..barriers {
            let mut broken = whole.clone();
            let mut at = 0;
            broken.kernels[0].body = without_barrier(&whole.kernels[0].body, left_out, &mut at);
            let sizes = sizes(&problem.stencil, &[12, 60, 150]);
            let mut memory = memory(&problem.stencil, &[12, 60, 150]);
            assert!(reference::run(&problem.stencil, &sizes, &mut memory.clone()).is_ok());
            let ran = interp::run(&broken, &problem.stencil, &sizes, &mut memory, 1);
            assert!(
                ran.is_err(),
                "barrier {left_out} of {barriers} is not missed with {storage:?}"
            );
        }
    }
}

fn count_barriers(nodes: &[Node]) -> usize {
    nodes
        .iter()
        .map(|n| match n {
            Node::Barrier => 1,
            Node::For { body, .. } => count_barriers(body),
            Node::If { then, otherwise, .. } => count_barriers(then) + count_barriers(otherwise),
            _ => 0,
        })
        .sum()
}

fn without_barrier(nodes: &[Node], left_out: usize, at: &mut usize) -> Vec<Node> {
    let mut out = Vec::new();
    for node in nodes {
        match node.clone() {
            Node::Barrier => {
                *at += 1;
                if *at - 1 != left_out {
                    out.push(Node::Barrier);
                }
            }
            Node::For { var, lo, hi, step, kind, body } => {
                let body = without_barrier(&body, left_out, at);
                out.push(Node::For { var, lo, hi, step, kind, body });
            }
            Node::If { cond, then, otherwise } => {
                let then = without_barrier(&then, left_out, at);
                let otherwise = without_barrier(&otherwise, left_out, at);
                out.push(Node::If { cond, then, otherwise });
            }
            other => out.push(other),
        }
    }
    out
}

#[test]
fn sizes_that_are_not_legal_say_why() {
    let problem = problems::radius2_2d();
    let refusal = |tile: &[(&str, i64)]| {
        choose(&problem, &gpu(), &request(tile, None)).map(|c| c.sizes).unwrap_err().detail
    };
    assert!(refusal(&[("h", 2), ("w0", 0), ("w1", 8)]).contains("w0 = 0 must be at least 1"));
    assert!(refusal(&[("h", 2), ("w5", 0)]).contains("there is no tile size w5"));
    assert!(refusal(&[("h", -2)]).contains("h = -2"));
    assert!(refusal(&[("w0", 4000), ("h", 3), ("w1", 4000)]).contains("bytes of shared memory"));
    let fdtd = problems::fdtd2d();
    let why =
        choose(&fdtd, &gpu(), &request(&[("h", 2)], None)).map(|c| c.sizes).unwrap_err().detail;
    assert!(why.contains("multiple of the 4 statements"), "{why}");
    let unknown = Request { strategy: Some("diamond".into()), ..Request::default() };
    assert!(choose(&fdtd, &gpu(), &unknown).unwrap_err().detail.contains("hexagonal"));
}

/// A small deterministic source of choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, lo: i64, hi: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        lo + (self.0 % (hi - lo + 1) as u64) as i64
    }
}

/// Up to three statements and arrays with random reach; slots 1 to 3.
fn random_problem(dice: &mut Dice) -> Problem {
    let dims = dice.roll(1, 2) as usize;
    let k = dice.roll(1, 3);
    let mut p = Program::new(dims, ElemType::I32);
    let slots: Vec<i64> = (0..k).map(|_| dice.roll(1, 3)).collect();
    let arrays: Vec<u16> = slots.iter().map(|&n| p.array(n as usize)).collect();
    for i in 0..k as usize {
        let mut reads: Vec<(u16, i32, Vec<i64>)> = Vec::new();
        for _ in 0..dice.roll(1, 4) {
            let from = dice.roll(0, k - 1) as usize;
            let rotation = if slots[from] == 1 { 0 } else { dice.roll(0, slots[from] - 1) as i32 };
            let same_place = from == i && (slots[i] == 1 || rotation == 1);
            let offset = |dice: &mut Dice| if same_place { 0 } else { dice.roll(-3, 3) };
            let offsets = (0..dims).map(|_| offset(dice)).collect();
            reads.push((arrays[from], rotation, offsets));
        }
        let reads: Vec<_> = reads.iter().map(|(a, r, o)| (*a, *r, o.as_slice())).collect();
        let written = i32::from(slots[i] > 1);
        let bounds = vec![Bound::Inside(3, 4); dims];
        p.statement(&bounds, &reads, &[(arrays[i], written, &vec![0; dims])]);
    }
    p.problem()
}

/// Random problems with random sizes: legal for both judges, and the kernels leave the reference's bytes.
#[test]
fn random_problems() {
    let mut dice = Dice(0x5eed_1234_abcd);
    for round in 0..60 {
        let problem = random_problem(&mut dice);
        let h = problem.k() * dice.roll(1, 3) - 1;
        let mut tile = vec![("h", h), ("w0", dice.roll(4, 12))];
        if problem.dims() == 2 {
            tile.push(("w1", dice.roll(3, 20)));
        }
        for device in [gpu(), Device::default_host()] {
            let Ok(choice) = choose(&problem, &device, &request(&tile, None)) else {
                panic!("{round}: {tile:?} {:?}", problem.deps.cone);
            };
            passes(&format!("{round}"), &problem, &phased(choice.schedule()));
            let program = choice.kernels(&problem, &device).unwrap();
            let ints = [dice.roll(1, 14), dice.roll(6, 50), dice.roll(6, 50)];
            let sizes = sizes(&problem.stencil, &ints);
            let mut expected = memory(&problem.stencil, &ints);
            let mut found = expected.clone();
            reference::run(&problem.stencil, &sizes, &mut expected).unwrap();
            interp::run(&program, &problem.stencil, &sizes, &mut found, 3)
                .unwrap_or_else(|e| panic!("{round}: {e}"));
            assert!(found == expected, "{round} {tile:?}");
        }
    }
}
