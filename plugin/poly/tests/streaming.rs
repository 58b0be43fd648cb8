//! Streaming kernels leave the same bytes as the reference, whatever the sizes.

mod support;

use hexpass_abi::{ElemType, PlanExpr, PlanOp, Reduces};
use hexpass_poly::body::{BinaryOp, Op};
use hexpass_poly::device::Device;
use hexpass_poly::kernel::build::is_thin;
use hexpass_poly::kernel::interp::memory::Sizes;
use hexpass_poly::kernel::interp::{self, reference};
use hexpass_poly::kernel::ir::{Cond, IExpr, Kernel, Node};
use hexpass_poly::problem::Problem;
use hexpass_poly::schedule::judge::overlapped::enumerate;
use hexpass_poly::schedule::{Overlapped, TileSizes, TiledSchedule, judge};
use hexpass_poly::strategy::Strategy;
use hexpass_poly::strategy::streaming::Streaming;
use support::{memory_alike, problems, sizes};

fn tile(sizes: &[(&str, i64)]) -> TileSizes {
    TileSizes(sizes.iter().map(|&(n, v)| (n.to_owned(), v)).collect())
}

/// Runs with these sizes; false if they are refused.
fn check(name: &str, problem: &Problem, tile: &TileSizes, chunk: i64, runs: &[Vec<i64>]) -> bool {
    let device = Device::default_gpu();
    let schedule = match Streaming.schedule(problem, tile, &device, None) {
        Ok(schedule) => schedule,
        Err(why) => {
            println!("{name} {tile:?}: {why}");
            return false;
        }
    };
    assert_eq!(judge::check(problem, &schedule), Ok(()), "{name} {tile:?}");
    let program = Streaming.kernels(problem, &schedule, &device).unwrap();
    assert_eq!(program.verify(&problem.stencil), Ok(()), "{name} {tile:?}");
    let text = program.to_string();
    assert_eq!(text.parse().as_ref(), Ok(&program), "{name} {tile:?}");
    for ints in runs {
        let label = format!("{name} {ints:?} {tile:?} chunk {chunk}");
        let mut sizes = sizes(&problem.stencil, ints);
        sizes.tunables = vec![chunk];
        let mut expected = memory_alike(&problem.stencil, ints, &sizes);
        let mut found = expected.clone();
        reference::run(&problem.stencil, &sizes, &mut expected).unwrap();
        interp::run(&program, &problem.stencil, &sizes, &mut found, 7)
            .unwrap_or_else(|e| panic!("{label}: {e}"));
        let folded = [&mut found, &mut expected].map(|m| support::folded(&problem.stencil, m));
        assert_eq!(folded[0], folded[1], "{label}: a step is reduced to something else");
        assert!(found == expected, "{label}: memory differs");
    }
    true
}

/// All problems of so many dimensions with each of these sizes; how many are taken.
fn all(dims: usize, tiles: &[&[(&str, i64)]], chunk: i64, runs: &[Vec<i64>]) -> usize {
    let all = problems::all();
    let of = all.iter().filter(|(_, p)| p.dims() == dims);
    of.flat_map(|(name, p)| tiles.iter().map(move |t| (name, p, t)))
        .filter(|(name, problem, t)| check(name, problem, &tile(t), chunk, runs))
        .count()
}

#[test]
fn one_dimension() {
    let runs = [vec![1, 9], vec![5, 31], vec![33, 700], vec![6, 3], vec![40, 1500]];
    let tiles: [&[(&str, i64)]; 3] = [
        &[("b", 1), ("v", 4), ("w", 1)],
        &[("b", 6), ("v", 8), ("w", 2)],
        &[("b", 13), ("v", 4), ("w", 1)],
    ];
    assert_eq!(all(1, &tiles, 1, &runs), 18);
}

#[test]
fn two_dimensions() {
    let runs = [vec![1, 9, 12], vec![5, 31, 5], vec![6, 3, 3], vec![11, 41, 150]];
    let tiles: [&[(&str, i64)]; 4] = [
        &[("b", 1), ("v", 4), ("w", 1)],
        &[("b", 2), ("v", 2), ("w", 1)],
        &[("b", 3), ("v", 2), ("w", 2)],
        &[("b", 5), ("v", 4), ("w", 1)],
    ];
    assert_eq!(all(2, &tiles, 8, &runs), 52);
}

#[test]
fn three_dimensions() {
    let runs = [vec![1, 9, 12, 7], vec![2, 3, 3, 3], vec![7, 27, 19, 70]];
    let tiles: [&[(&str, i64)]; 3] = [
        &[("b", 1), ("v", 1), ("r", 2), ("w", 4)],
        &[("b", 2), ("v", 2), ("r", 2), ("w", 4)],
        &[("b", 3), ("v", 1), ("r", 1), ("w", 8)],
    ];
    assert_eq!(all(3, &tiles, 8, &runs), 15);
}

/// Blocks that touch the border with their first and last planes only, or with one of them, or that hold no planes between.
#[test]
fn planes_between_those_of_the_border() {
    let all = problems::all();
    let runs = |planes: [i64; 2]| planes.map(|planes| vec![6, planes, 19, 70]);
    let tiles: [&[(&str, i64)]; 2] =
        [&[("b", 2), ("v", 2), ("r", 2), ("w", 4)], &[("b", 3), ("v", 2), ("r", 3), ("w", 4)]];
    let mut rounds = 0;
    for (name, problem) in all.iter().filter(|(_, p)| p.dims() == 3) {
        for sizes in tiles {
            for (chunk, planes) in [(64, [40, 4]), (12, [23, 9])] {
                rounds += usize::from(check(name, problem, &tile(sizes), chunk, &runs(planes)));
            }
        }
    }
    // Three rows of a box make too long a loop.
    assert_eq!(rounds, 18);
    let device = Device::default_gpu();
    let schedule = Streaming.schedule(&problems::jacobi3d(), &tile(tiles[0]), &device, None);
    let program = Streaming.kernels(&problems::jacobi3d(), &schedule.unwrap(), &device).unwrap();
    assert!(matches!(program.kernels[0].body.last(), Some(Node::For { .. })));
}

/// Strips begin within vectors, of which two lanes store a part each, one or several elements at once; where that gains no
/// column, it is refused.
#[test]
fn strips_that_share_vectors() {
    let runs = [vec![1, 9, 12], vec![6, 3, 3], vec![11, 40, 270]];
    let tiles: [&[(&str, i64)]; 3] = [
        &[("b", 3), ("v", 2), ("w", 2), ("s", 1)],
        &[("b", 2), ("v", 4), ("w", 1), ("s", 1)],
        &[("b", 5), ("v", 8), ("w", 1), ("s", 1)],
    ];
    assert_eq!(all(2, &tiles, 8, &runs), 19);
    let runs = [vec![1, 9, 12, 7], vec![5, 23, 19, 130]];
    let tiles: [&[(&str, i64)]; 2] = [
        &[("b", 1), ("v", 2), ("r", 2), ("w", 4), ("s", 1)],
        &[("b", 3), ("v", 2), ("r", 2), ("w", 5), ("s", 1)],
    ];
    assert_eq!(all(3, &tiles, 8, &runs), 7);
    let even = tile(&[("b", 2), ("v", 2), ("w", 1), ("s", 1)]);
    let refused = Streaming.schedule(&problems::jacobi2d(), &even, &Device::default_gpu(), None);
    assert!(refused.unwrap_err().to_string().contains("s must be 0"));
}

/// A thread's rows are neighbours of others at planes of their own.
#[test]
fn rows_are_read_at_different_planes() {
    let runs = [vec![2, 9, 12, 17], vec![5, 27, 31, 130]];
    let tiles: [&[(&str, i64)]; 3] = [
        &[("b", 1), ("v", 2), ("r", 2), ("w", 8)],
        &[("b", 1), ("v", 4), ("r", 2), ("w", 4)],
        &[("b", 2), ("v", 2), ("r", 2), ("w", 8)],
    ];
    for sizes in tiles {
        assert!(check("slanted3d", &problems::slanted3d(), &tile(sizes), 8, &runs));
    }
}

/// Blocks that touch no border run the body made for them: without it, results differ.
#[test]
fn inner_blocks_have_their_own_body() {
    let runs: [&[i64]; 3] = [&[6, 900], &[6, 61, 270], &[6, 40, 31, 130]];
    for (name, problem) in [
        ("jacobi1d", problems::jacobi1d()),
        ("box2d_f64", problems::box2d_f64()),
        ("jacobi3d", problems::jacobi3d()),
    ] {
        let device = Device::default_gpu();
        let tile = tile(&[("b", 2), ("v", 2), ("r", 4), ("w", 2)]);
        let tile = TileSizes(
            tile.0.into_iter().filter(|(n, _)| problem.dims() == 3 || n != "r").collect(),
        );
        let schedule = Streaming.schedule(&problem, &tile, &device, None).unwrap();
        let mut program = Streaming.kernels(&problem, &schedule, &device).unwrap();
        for kernel in &mut program.kernels {
            let last = match kernel.body.last_mut() {
                Some(Node::For { body, .. }) => body.last_mut(),
                last => last,
            };
            if let Some(Node::If { then, .. }) = last {
                then.clear();
            }
        }
        let ints = runs[problem.dims() - 1];
        let mut sizes = sizes(&problem.stencil, ints);
        sizes.tunables = vec![8];
        let mut expected = memory_alike(&problem.stencil, ints, &sizes);
        let mut found = expected.clone();
        reference::run(&problem.stencil, &sizes, &mut expected).unwrap();
        let ran = interp::run(&program, &problem.stencil, &sizes, &mut found, 7);
        assert!(ran.is_err() || found != expected, "{name}");
    }
}

/// Near the border of two dimensions, planes near rows are gone through on their own; only there rows have instances. Without
/// either part, something is missing.
#[test]
fn rows_have_planes_of_their_own() {
    fn statements(nodes: &[Node], found: &mut Vec<u16>) {
        for node in nodes {
            match node {
                Node::Instance { statement, .. } => found.push(*statement),
                Node::For { body, .. } => statements(body, found),
                Node::If { then, otherwise, .. } => {
                    statements(then, found);
                    statements(otherwise, found);
                }
                _ => (),
            }
        }
    }
    fn part(node: &mut Node) -> &mut Vec<Node> {
        match node {
            Node::If { then, .. } => then,
            Node::For { body, .. } => part(body.last_mut().unwrap()),
            _ => panic!("no part"),
        }
    }
    let (problem, device) = (problems::receivers2d(), Device::default_gpu());
    let row = |s: &u16| is_thin(&problem.stencil.statements[usize::from(*s)], 0);
    let tile = tile(&[("b", 2), ("v", 2), ("w", 1)]);
    let schedule = Streaming.schedule(&problem, &tile, &device, None).unwrap();
    for (place, has_rows) in [(2, true), (1, false)] {
        let mut program = Streaming.kernels(&problem, &schedule, &device).unwrap();
        for kernel in &mut program.kernels[..2] {
            let Some(Node::If { otherwise, .. }) = kernel.body.last_mut() else {
                panic!("no choice")
            };
            let at = otherwise.len() - place;
            let (nodes, mut found) = (part(&mut otherwise[at]), Vec::new());
            statements(nodes, &mut found);
            assert_eq!(found.iter().any(row), has_rows);
            assert!(found.iter().any(|s| !row(s)));
            nodes.clear();
        }
        let ints = [6, 61, 270];
        let mut sizes = sizes(&problem.stencil, &ints);
        sizes.tunables = vec![16];
        let mut expected = memory_alike(&problem.stencil, &ints, &sizes);
        let mut found = expected.clone();
        reference::run(&problem.stencil, &sizes, &mut expected).unwrap();
        let ran = interp::run(&program, &problem.stencil, &sizes, &mut found, 7);
        assert!(ran.is_err() || found != expected, "{place}");
    }
}

/// Threads with registers to spare load several planes together, in two dimensions; others don't, nor do steps of several
/// statements.
#[test]
fn planes_loaded_together() {
    fn prefetches(nodes: &[Node]) -> usize {
        let inside = |node: &Node| match node {
            Node::For { body, .. } => prefetches(body),
            Node::If { then, otherwise, .. } => prefetches(then) + prefetches(otherwise),
            Node::Prefetch { .. } => 1,
            _ => 0,
        };
        nodes.iter().map(inside).sum()
    }
    let device = Device::default_gpu();
    let strip = |steps, columns| tile(&[("b", steps), ("v", columns), ("w", 1)]);
    let tiles = tile(&[("b", 2), ("v", 2), ("r", 2), ("w", 4)]);
    for (name, problem, sizes, expected) in [
        ("few steps", problems::jacobi2d(), strip(4, 4), true),
        ("doubles", problems::star2d_f64(), strip(4, 4), true),
        ("no room", problems::box2d_f64(), strip(5, 4), false),
        ("statements", problems::fdtd2d(), strip(2, 2), false),
        ("three dimensions", problems::jacobi3d(), tiles, false),
    ] {
        let schedule = Streaming.schedule(&problem, &sizes, &device, None).unwrap();
        let program = Streaming.kernels(&problem, &schedule, &device).unwrap();
        let found = prefetches(&program.kernels[0].body);
        assert_eq!(found > 0, expected, "{name}: {found}");
    }
}

/// Blocks inside leave levels out at their first planes, in stages; without the last of these, results differ.
#[test]
fn first_planes() {
    /// The loops over the first planes, in the body of blocks inside.
    fn stages(kernel: &mut Kernel) -> Vec<&mut Vec<Node>> {
        let Some(Node::If { then, .. }) = kernel.body.last_mut() else { return Vec::new() };
        let stage = |node| match node {
            &mut Node::For { lo: IExpr::Const(_), hi: IExpr::Const(_), ref mut body, .. } => {
                Some(body)
            }
            _ => None,
        };
        then.iter_mut().filter_map(stage).collect()
    }
    fn instances(nodes: &[Node]) -> usize {
        nodes.iter().filter(|n| matches!(n, Node::Instance { .. })).count()
    }
    let device = Device::default_gpu();
    let strip = |steps, columns| tile(&[("b", steps), ("v", columns), ("w", 1)]);
    // Instances of a thread in all planes that are written out; a box's are in pieces.
    for (name, problem, sizes, expected) in [
        ("star", problems::jacobi2d(), strip(6, 4), vec![24, 48, 60]),
        ("doubles", problems::star2d_f64(), strip(4, 4), vec![12, 24]),
        ("box", problems::box2d_f64(), strip(4, 2), vec![36, 54]),
        ("statements", problems::fdtd2d(), strip(3, 2), vec![8, 20, 32]),
        ("one step", problems::jacobi2d(), strip(1, 4), vec![]),
    ] {
        let schedule = Streaming.schedule(&problem, &sizes, &device, None).unwrap();
        let mut program = Streaming.kernels(&problem, &schedule, &device).unwrap();
        let found: Vec<usize> =
            stages(&mut program.kernels[0]).iter().map(|body| instances(body)).collect();
        assert_eq!(found, expected, "{name}");
        if found.is_empty() {
            continue;
        }
        program.kernels.iter_mut().filter_map(|k| stages(k).pop()).for_each(Vec::clear);
        let ints = [12, 110, 700];
        let mut sizes = support::sizes(&problem.stencil, &ints);
        sizes.tunables = vec![40];
        let mut expected = memory_alike(&problem.stencil, &ints, &sizes);
        let mut found = expected.clone();
        reference::run(&problem.stencil, &sizes, &mut expected).unwrap();
        let ran = interp::run(&program, &problem.stencil, &sizes, &mut found, 7);
        assert!(ran.is_err() || found != expected, "{name}");
    }
}

/// Doubles on their way in three dimensions lie in shared memory; who doesn't wait for them has nothing.
#[test]
fn planes_fetched() {
    fn waits(nodes: &mut [Node]) -> Vec<&mut u32> {
        let inside = |node| match node {
            &mut Node::For { ref mut body, .. } => waits(body),
            Node::If { then, otherwise, .. } => {
                waits(then).into_iter().chain(waits(otherwise)).collect()
            }
            Node::Await { but } => vec![but],
            _ => Vec::new(),
        };
        nodes.iter_mut().flat_map(inside).collect()
    }
    let (problem, device) = (problems::star3d_f64(), Device::default_gpu());
    let runs = [vec![1, 9, 12, 7], vec![2, 3, 3, 3], vec![7, 40, 19, 70]];
    let tiles: [&[(&str, i64)]; 3] = [
        &[("b", 1), ("v", 1), ("r", 2), ("w", 4)],
        &[("b", 2), ("v", 2), ("r", 2), ("w", 4)],
        &[("b", 3), ("v", 2), ("r", 2), ("w", 8)],
    ];
    for sizes in tiles {
        for chunk in [8, 30] {
            assert!(check("star3d_f64", &problem, &tile(sizes), chunk, &runs));
        }
        let schedule = Streaming.schedule(&problem, &tile(sizes), &device, None).unwrap();
        let mut program = Streaming.kernels(&problem, &schedule, &device).unwrap();
        let all: Vec<_> = program.kernels.iter_mut().flat_map(|k| waits(&mut k.body)).collect();
        assert!(!all.is_empty());
        all.into_iter().for_each(|but| *but += 1);
        let ints = [7, 40, 19, 70];
        let mut sizes = support::sizes(&problem.stencil, &ints);
        sizes.tunables = vec![30];
        let mut found = memory_alike(&problem.stencil, &ints, &sizes);
        assert!(interp::run(&program, &problem.stencil, &sizes, &mut found, 7).is_err());
    }
}

/// What a step is reduced from lies in few elements; those of each thread, which count once.
#[test]
fn steps_are_reduced_in_registers() {
    let runs =
        [vec![1, 12, 9], vec![5, 31, 12], vec![11, 41, 150], vec![16, 40, 70], vec![12, 24, 5]];
    let tiles: [&[(&str, i64)]; 4] = [
        &[("b", 1), ("v", 4), ("w", 1)],
        &[("b", 2), ("v", 2), ("w", 2)],
        &[("b", 5), ("v", 4), ("w", 1)],
        &[("b", 3), ("v", 2), ("w", 2), ("s", 1)],
    ];
    let wide = [ElemType::F32, ElemType::F64, ElemType::I64];
    for sizes in tiles {
        for elem in wide {
            let problem = problems::changes(2, elem);
            assert!(check("changes2d", &problem, &tile(sizes), 16, &runs));
        }
        let apart = check("changes_apart", &problems::changes_apart(), &tile(sizes), 16, &runs);
        assert_eq!(apart, !sizes.contains(&("s", 1)));
    }
    let runs = [vec![1, 9], vec![16, 700], vec![7, 3]];
    for elem in wide {
        let tile = tile(&[("b", 6), ("v", 8), ("w", 2)]);
        assert!(check("changes1d", &problems::changes(1, elem), &tile, 1, &runs));
    }
    let runs = [vec![1, 9, 12, 7], vec![7, 40, 19, 70], vec![5, 9, 4, 3]];
    let tiles: [&[(&str, i64)]; 2] = [
        &[("b", 2), ("v", 2), ("r", 2), ("w", 4)],
        &[("b", 3), ("v", 2), ("r", 3), ("w", 4), ("s", 1)],
    ];
    for sizes in tiles {
        for elem in wide {
            assert!(check("changes3d", &problems::changes(3, elem), &tile(sizes), 8, &runs));
        }
    }
}

/// Divisions of a thread's points stand together, before anything is kept.
#[test]
fn steps_that_divide_are_reduced_in_registers() {
    let divided = |dims| {
        let mut problem = problems::changes(dims, ElemType::F32);
        for value in &mut problem.stencil.statements[0].body.values {
            if let Op::Binary(op @ BinaryOp::FMul, ..) = &mut value.op {
                *op = BinaryOp::FDiv;
            }
        }
        problem
    };
    let runs = [vec![1, 12, 9], vec![11, 41, 150]];
    let plane = tile(&[("b", 3), ("v", 4), ("w", 1)]);
    assert!(check("divided2d", &divided(2), &plane, 16, &runs));
    let runs = [vec![7, 40, 19, 70], vec![5, 9, 4, 3]];
    let block = tile(&[("b", 2), ("v", 2), ("r", 2), ("w", 4)]);
    assert!(check("divided3d", &divided(3), &block, 8, &runs));
    let device = Device::default_gpu();
    let schedule = Streaming.schedule(&divided(3), &block, &device, None).unwrap();
    let program = Streaming.kernels(&divided(3), &schedule, &device).unwrap();
    assert!(program.kernels.iter().all(|k| k.pieces.len() == 2));
}

/// A statement makes versions and keeps records.
#[test]
fn records_beside_versions() {
    let runs = [vec![1, 9, 12], vec![5, 31, 5], vec![16, 41, 150]];
    let tiles: [&[(&str, i64)]; 3] = [
        &[("b", 1), ("v", 4), ("w", 1)],
        &[("b", 4), ("v", 2), ("w", 2)],
        &[("b", 5), ("v", 4), ("w", 1)],
    ];
    for sizes in tiles {
        assert!(check("kept2d", &problems::kept(2, ElemType::F64), &tile(sizes), 16, &runs));
    }
    let tile = tile(&[("b", 3), ("v", 2), ("r", 3), ("w", 4)]);
    let runs = [vec![1, 9, 12, 7], vec![7, 40, 19, 70]];
    assert!(check("kept3d", &problems::kept(3, ElemType::F32), &tile, 8, &runs));
}

/// Where they swap two slots, time tiles of one step take the place of direct launches, and no kernel knows of more elements;
/// where they don't, these keep one of each instance.
#[test]
fn steps_are_reduced_in_few_elements() {
    let device = Device::default_gpu();
    for (problem, always) in
        [(problems::changes(2, ElemType::F32), true), (problems::changes_apart(), false)]
    {
        for b in [1, 2, 4] {
            let tile = tile(&[("b", b), ("v", 4), ("w", 1)]);
            let schedule = Streaming.schedule(&problem, &tile, &device, None).unwrap();
            let program = Streaming.kernels(&problem, &schedule, &device).unwrap();
            let steps: Vec<u32> =
                program.kernels.iter().filter_map(|k| Some(k.folds.as_ref()?.steps)).collect();
            let expected = match (b, always) {
                (1, _) => vec![1],
                (2, _) => vec![2, 1],
                (_, true) => vec![4, 3, 1],
                (_, false) => vec![4, 3],
            };
            assert_eq!(steps, expected);
            assert_eq!(program.kernels.len() == steps.len(), always);
        }
    }
    // More steps than slots.
    let tile = tile(&[("b", 17), ("v", 8), ("w", 1)]);
    let refused = Streaming.schedule(&problems::changes(1, ElemType::F32), &tile, &device, None);
    assert!(refused.unwrap_err().to_string().contains("room for 16"));
}

/// The judge looks itself at what a step is reduced from, and whether time tiles of one step may end a run.
#[test]
fn wrong_reductions_are_refused() {
    type Break<'a> = &'a dyn Fn(&mut Problem, &mut Overlapped);
    let device = Device::default_gpu();
    let overlapped = |problem: &Problem, b| {
        let tile = tile(&[("b", b), ("v", 2), ("w", 1)]);
        match Streaming.schedule(problem, &tile, &device, None) {
            Ok(TiledSchedule::Overlapped(schedule)) => schedule,
            other => panic!("{other:?}"),
        }
    };
    let fails = |problem: &Problem, schedule: &Overlapped, letter: &str, change: Break| {
        let (mut problem, mut schedule) = (problem.clone(), schedule.clone());
        let judge = |p: &Problem, s: &Overlapped| {
            judge::check(p, &TiledSchedule::Overlapped(s.clone())).map_err(|why| why.detail)
        };
        assert_eq!(judge(&problem, &schedule), Ok(()));
        change(&mut problem, &mut schedule);
        let why = judge(&problem, &schedule).unwrap_err();
        assert!(why.starts_with(letter), "{why}");
    };
    let problem = problems::changes(2, ElemType::I64);
    let schedule = overlapped(&problem, 4);
    fails(&problem, &schedule, "(b)", &|p, _| p.stencil.reductions.clear());
    fails(&problem, &schedule, "(b)", &|p, _| p.stencil.reductions[0].kind = Reduces::Terms);
    // The grid gets what is kept.
    fails(&problem, &schedule, "(b)", &|p, _| {
        let writes = &mut p.stencil.statements[0].writes;
        writes[0].value = writes[1].value;
    });
    fails(&problem, &schedule, "(b)", &|p, _| {
        p.stencil.statements[0].reads.last_mut().unwrap().rotation += 1;
    });
    fails(&problem, &schedule, "(b)", &|_, s| s.tiles[0].levels[1].folds.clear());
    fails(&problem, &schedule, "(e)", &|p, _| p.stencil.arrays[1].slots.truncate(3));
    let sizes = Sizes::new(&problem.stencil, &[9, 9, 12], &[]).unwrap().with_tunables(&[3]);
    assert_eq!(enumerate::check(&problem, &schedule, &sizes), Ok(()));
    let mut elsewhere = schedule.clone();
    elsewhere.tiles[0].in_place = true;
    assert!(enumerate::check(&problem, &elsewhere, &sizes).is_err());
    // A time tile of several steps is not in place, nor is one that begins elsewhere.
    fails(&problem, &schedule, "(e)", &|_, s| s.tiles[0].in_place = true);
    fails(&problem, &schedule, "(e)", &|_, s| s.tiles[2].in_place = false);
    fails(&problem, &schedule, "(e)", &|_, s| s.carried[0].buffers.reverse());
    // A grid that is copied back isn't where it belongs after a time tile of one step.
    fn innermost(op: &mut PlanOp) -> &mut Vec<PlanOp> {
        let PlanOp::Loop { body, .. } = op else { panic!("no loop") };
        match &body[..] {
            [PlanOp::Loop { .. }] => innermost(&mut body[0]),
            _ => body,
        }
    }
    let problem = problems::changes_apart();
    fails(&problem, &overlapped(&problem, 2), "(e)", &|_, s| {
        let ops = innermost(&mut s.plan.ops[0]);
        let [_, PlanOp::Loop { var, body: one, .. }, PlanOp::Loop { body, .. }] = &mut ops[..]
        else {
            panic!("no three loops")
        };
        body.clone_from(one);
        let PlanOp::Launch { time, args, .. } = &mut body[0] else { panic!("no launch") };
        (*time, args[0]) = (PlanExpr::Var(*var), PlanExpr::Var(*var));
    });
}

/// Of what threads that own nothing compute nothing counts.
#[test]
fn each_instance_counts_once() {
    fn selects(nodes: &mut [Node]) -> Vec<&mut Cond> {
        let inside = |node| match node {
            &mut Node::For { ref mut body, .. } => selects(body),
            Node::If { then, otherwise, .. } => {
                selects(then).into_iter().chain(selects(otherwise)).collect()
            }
            Node::Select { to, cond, otherwise, .. } if to == otherwise => vec![cond],
            _ => Vec::new(),
        };
        nodes.iter_mut().flat_map(inside).collect()
    }
    let (problem, device) = (problems::changes(2, ElemType::I64), Device::default_gpu());
    let tile = tile(&[("b", 3), ("v", 2), ("w", 1)]);
    let schedule = Streaming.schedule(&problem, &tile, &device, None).unwrap();
    let ints = [7, 61, 130];
    let mut sizes = sizes(&problem.stencil, &ints);
    sizes.tunables = vec![16];
    let mut expected = memory_alike(&problem.stencil, &ints, &sizes);
    let start = expected.clone();
    reference::run(&problem.stencil, &sizes, &mut expected).unwrap();
    let expected = support::folded(&problem.stencil, &mut expected);
    for always in [false, true] {
        let mut program = Streaming.kernels(&problem, &schedule, &device).unwrap();
        let all: Vec<_> = program.kernels.iter_mut().flat_map(|k| selects(&mut k.body)).collect();
        assert!(!all.is_empty());
        all.into_iter().filter(|_| always).for_each(|cond| *cond = Cond::All(Vec::new()));
        let mut found = start.clone();
        let ran = interp::run(&program, &problem.stencil, &sizes, &mut found, 7);
        let right = ran.is_ok() && support::folded(&problem.stencil, &mut found) == expected;
        assert_eq!(right, !always);
    }
}

/// A statement that has no instances, and one whose columns are the same.
#[test]
fn statements_without_instances() {
    let runs = [vec![5, 31, 5], vec![6, 3, 3], vec![11, 61, 70]];
    for b in [1, 2, 5] {
        let tile = tile(&[("b", b), ("v", 4), ("w", 1)]);
        assert!(check("empty_column", &problems::empty_column(), &tile, 8, &runs));
    }
}
