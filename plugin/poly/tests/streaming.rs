//! Streaming kernels leave the same bytes as the reference, whatever the sizes.

mod support;

use hexpass_poly::device::Device;
use hexpass_poly::kernel::build::is_thin;
use hexpass_poly::kernel::interp::{self, reference};
use hexpass_poly::kernel::ir::{IExpr, Kernel, Node};
use hexpass_poly::problem::Problem;
use hexpass_poly::schedule::{TileSizes, judge};
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
    let runs = [vec![1, 9, 12], vec![5, 31, 5], vec![6, 3, 3], vec![11, 61, 270]];
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
    let runs = [vec![1, 9, 12, 7], vec![2, 3, 3, 3], vec![7, 27, 31, 130]];
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
    let runs: Vec<Vec<i64>> =
        [40, 23, 9, 4].into_iter().map(|planes| vec![6, planes, 31, 130]).collect();
    let tiles: [&[(&str, i64)]; 2] =
        [&[("b", 2), ("v", 2), ("r", 2), ("w", 4)], &[("b", 3), ("v", 2), ("r", 3), ("w", 4)]];
    let mut rounds = 0;
    for (name, problem) in all.iter().filter(|(_, p)| p.dims() == 3) {
        for sizes in tiles {
            for chunk in [64, 12] {
                rounds += usize::from(check(name, problem, &tile(sizes), chunk, &runs));
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
    let runs = [vec![1, 9, 12, 7], vec![5, 23, 31, 130]];
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
    let runs = [vec![1, 9, 12, 7], vec![2, 3, 3, 3], vec![7, 40, 31, 130]];
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
        let ints = [7, 40, 31, 130];
        let mut sizes = support::sizes(&problem.stencil, &ints);
        sizes.tunables = vec![30];
        let mut found = memory_alike(&problem.stencil, &ints, &sizes);
        assert!(interp::run(&program, &problem.stencil, &sizes, &mut found, 7).is_err());
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
