//! The judge of overlapped tilings passes what is legal, and catches what was broken on purpose.

mod support;

use hexpass_abi::plan::in_a_row;
use hexpass_abi::{ElemType, PlanExpr, PlanOp, Poly, Tunable};
use hexpass_poly::problem::Problem;
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::schedule::overlapped::flow::{Flow, Hold};
use hexpass_poly::schedule::overlapped::plan::{self, Launch, Launches, blocks_over};
use hexpass_poly::schedule::overlapped::short::Short;
use hexpass_poly::schedule::overlapped::{Owned, Start, Width};
use hexpass_poly::schedule::{Overlapped, TileSizes, TiledSchedule, judge};
use support::{Bound, Program, problems, sizes};

/// Where blocks of whole points may begin.
const COLUMNS: Start = Start { align: 3, before: 1 };

/// Tiles of B and B − 1 steps, chunks of 4 planes or more, boxes of a few points.
fn schedule(problem: &Problem, b: i64, streamed: bool) -> Overlapped {
    let dims = problem.dims();
    let flow = Flow::of(problem).unwrap();
    let (carried, scratch) = flow.carried();
    let hold =
        Hold { streamed: streamed.then_some(0), exchanged: (streamed && dims > 2).then_some(1) };
    let width = |d: usize| match streamed && d == 0 {
        true => Owned { width: Width::Tunable(0), from: Start::ANY },
        false => Owned { width: Width::Fixed(5 - d as i64), from: COLUMNS },
    };
    let owned: Vec<Owned> = (0..dims).map(width).collect();
    let tile = |steps| flow.tile(steps, hold, owned.clone(), &carried);
    let mut tiles = vec![tile(b)];
    if b > 1 {
        tiles.push(tile(b - 1));
    }
    let mut blocks = in_a_row(PlanExpr::Const(1));
    for (d, o) in owned.iter().enumerate() {
        let width = match o.width {
            Width::Fixed(w) => PlanExpr::Const(w),
            Width::Tunable(i) => PlanExpr::Tunable(i),
            Width::All => PlanExpr::Const(1),
        };
        blocks[dims - 1 - d] = blocks_over(d as u8, width, o.from);
    }
    let launch = |kernel| Launch { kernel, blocks: blocks.clone(), args: Vec::new() };
    let next = tiles.len() as u16;
    let launches = Launches {
        steps: b,
        tile: launch(0),
        shorter: (b > 1).then(|| launch(1)),
        direct: (0..problem.k() as u16).map(|i| launch(next + i)).collect(),
        begin: 0,
        again: Vec::new(),
        in_place: None,
    };
    let slots: Vec<usize> = problem.stencil.arrays.iter().map(|a| a.slots.len()).collect();
    let plan = plan::plan(&slots, &carried, flow.finish(&carried), &launches);
    let tunables = vec![Tunable { name: "chunk".into(), values: vec![4, 16] }];
    let sizes = TileSizes(Vec::new());
    Overlapped { strategy: "test", sizes, tiles, carried, plan, tunables, scratch, least: None }
}

/// By isl and interval arithmetic, and by enumeration.
fn both(problem: &Problem, s: &Overlapped) -> (Result<(), Rejection>, Result<(), Rejection>) {
    let extents: &[&[i64]] = match problem.dims() {
        1 => &[&[23], &[5]],
        2 => &[&[9, 14], &[13, 4]],
        _ => &[&[7, 6, 9]],
    };
    let mut enumerated = Ok(());
    for extents in extents {
        for steps in [1, 5, 10, 13] {
            let sizes = sizes(&problem.stencil, &[&[steps], *extents].concat());
            enumerated =
                enumerated.and_then(|()| judge::overlapped::enumerate::check(problem, s, &sizes));
        }
    }
    (judge::check(problem, &TiledSchedule::Overlapped(s.clone())), enumerated)
}

#[test]
fn what_the_analysis_makes_is_legal() {
    for (name, problem) in problems::all() {
        for b in [1, 2, 3, 4] {
            for streamed in [false, true] {
                let s = schedule(&problem, b, streamed);
                assert_eq!(both(&problem, &s), (Ok(()), Ok(())), "{name} {b} {streamed}");
            }
        }
    }
}

/// A streaming schedule whose blocks near the border own less.
fn with_short_ends(problem: &Problem, b: i64, short: Short) -> Overlapped {
    let mut s = schedule(problem, b, true);
    s.tiles.iter_mut().for_each(|t| t.short = Some(short));
    let outermost = problem.dims() - 1;
    plan_ops(&mut s, &mut |op| {
        if let PlanOp::Launch { blocks, .. } = op {
            blocks[0] = short.blocks(&blocks[0]);
            blocks[outermost] = short.parts(0, &PlanExpr::Tunable(0));
        }
    });
    s
}

#[test]
fn blocks_near_the_border_may_own_less() {
    for (name, problem) in problems::all() {
        if problem.dims() > 1 {
            for (ends, pieces) in [(1, 2), (2, 5), (9, 2), (3, 1)] {
                let short = Short { ends, pieces };
                let s = with_short_ends(&problem, 3, short);
                assert_eq!(both(&problem, &s), (Ok(()), Ok(())), "{name} {short:?}");
            }
        }
    }
    let problem = problems::jacobi2d();
    let legal = with_short_ends(&problem, 3, Short { ends: 1, pieces: 3 });
    let fails = |name: &str, shows: bool, b: Break| {
        fails(name, &problem, &legal, "(a)", shows, b);
    };
    fails("one block for the outermost strips", true, |s| {
        plan_ops(s, &mut |op| {
            if let PlanOp::Launch { kernel: 0, blocks, .. } = op {
                blocks[0] = blocks_over(1, PlanExpr::Const(4), COLUMNS);
            }
        });
    });
    fails("a part too few", true, |s| {
        plan_ops(s, &mut |op| {
            if let PlanOp::Launch { kernel: 0, blocks, .. } = op {
                blocks[1] = blocks_over(0, PlanExpr::Tunable(0), Start::ANY);
            }
        });
    });
    fails("less of what is not streamed", false, |s| s.tiles[0].streamed = None);
}

type Break = fn(&mut Overlapped);

/// Each fault with the letter that the judge gives it, and whether runs of small sizes show it.
#[track_caller]
fn fails(name: &str, problem: &Problem, legal: &Overlapped, letter: &str, shows: bool, b: Break) {
    let mut broken = legal.clone();
    b(&mut broken);
    assert_ne!(broken, *legal, "{name}: nothing is broken");
    let (judged, enumerated) = both(problem, &broken);
    let why = judged.expect_err(name);
    assert_eq!(why.reason, Reason::Bug, "{name}: {why}");
    assert!(why.detail.starts_with(letter), "{name}: {why}");
    assert_eq!(enumerated.is_err(), shows, "{name} by enumeration: {enumerated:?}");
}

fn plan_ops(s: &mut Overlapped, change: &mut dyn FnMut(&mut PlanOp)) {
    fn visit(ops: &mut [PlanOp], change: &mut dyn FnMut(&mut PlanOp)) {
        for op in ops {
            change(op);
            if let PlanOp::Loop { body, .. } = op {
                visit(body, change);
            }
        }
    }
    visit(&mut s.plan.ops, change);
}

#[test]
fn broken_values() {
    let problem = problems::jacobi2d();
    for streamed in [false, true] {
        let legal = schedule(&problem, 3, streamed);
        let fails = |name: &str, letter: &str, shows: bool, b: Break| {
            fails(name, &problem, &legal, letter, shows, b);
        };
        fails("a level's margin", "(b)", true, |s| s.tiles[0].levels[0].margin[1].0 -= 1);
        fails("a version's margin", "(b)", true, |s| s.tiles[0].versions[0].margin[0].1 -= 1);
        fails("an initial margin", "(b)", true, |s| s.tiles[1].versions[0].margin[1].1 -= 1);
        fails("a read of another version", "(b)", true, |s| {
            let initial = s.tiles[0].levels[0].reads[0];
            s.tiles[0].levels[2].reads[3] = initial;
        });
        fails("a read of nothing", "(b)", false, |s| s.tiles[0].levels[1].reads[0] = None);
        fails("another version is replaced", "(b)", true, |s| {
            let made = usize::from(s.tiles[0].levels[1].writes[0]);
            s.tiles[0].versions[made].before = Some(s.tiles[0].levels[0].writes[0]);
        });
        fails("nothing is replaced", "(b)", true, |s| {
            let made = usize::from(s.tiles[0].levels[1].writes[0]);
            s.tiles[0].versions[made].before = None;
        });
        fails("a level too many", "(a)", true, |s| {
            let more = s.tiles[0].levels[2].clone();
            s.tiles[0].levels.push(more);
        });
        fails("a step of the tile", "(a)", true, |s| s.tiles[0].steps += 1);
        fails("an earlier version is left", "(e)", true, |s| {
            s.tiles[0].left[0] = s.tiles[0].levels[1].writes[0];
        });
        fails("nothing is left", "(e)", true, |s| s.tiles[0].left.clear());
    }
}

#[test]
fn broken_streams() {
    for problem in [problems::jacobi2d(), problems::jacobi3d(), problems::wave2d()] {
        let legal = schedule(&problem, 3, true);
        let fails = |name: &str, letter: &str, b: Break| {
            fails(name, &problem, &legal, letter, true, b);
        };
        fails("a delay too short", "(b)", |s| s.tiles[0].levels[1].delay -= 1);
        fails("a delay too long", "(b)", |s| s.tiles[0].levels[1].delay += 1);
        fails("a plane too few", "(b)", |s| {
            let made = usize::from(s.tiles[0].levels[0].writes[0]);
            s.tiles[0].versions[made].kept -= 1;
        });
        fails("an input plane too few", "(b)", |s| {
            let seen = usize::from(s.tiles[0].levels[0].reads[0].unwrap());
            s.tiles[0].versions[seen].kept -= 1;
        });
    }
}

/// What each step keeps is stored at once only if nothing reads it and nobody writes the same element.
#[test]
fn broken_records() {
    let problem = problems::receivers2d();
    for streamed in [false, true] {
        let legal = schedule(&problem, 3, streamed);
        let fails = |name: &str, shows: bool, b: Break| {
            fails(name, &problem, &legal, "(b)", shows, b);
        };
        fails("what a step keeps is another's", true, |s| {
            s.tiles[0].levels[2].reads[0] = s.tiles[0].levels[1].reads[0];
        });
        fails("a record has a version", false, |s| {
            let some = s.tiles[0].levels[1].writes[0];
            s.tiles[0].levels[0].writes.push(some);
        });
        fails("a sweep has none", true, |s| s.tiles[0].levels[1].writes.clear());
        let wrong = |change: fn(&mut Problem), letter: &str| {
            let mut other = problem.clone();
            change(&mut other);
            assert!(Flow::of(&other).is_err());
            let why = both(&other, &legal).0.unwrap_err();
            assert!(why.detail.starts_with(letter), "{why}");
        };
        // Two rows in one, and steps that keep the value of the same place.
        wrong(
            |p| {
                let s = &mut p.stencil.statements;
                s[5].writes[0].access = s[0].writes[0].access.clone();
            },
            "(e)",
        );
        wrong(
            |p| p.stencil.statements[3].writes[0].access.subscripts[0].offset = Poly::zero(),
            "(e)",
        );
        wrong(
            |p| {
                let s = &mut p.stencil.statements;
                s[5].reads[0] = s[0].writes[0].access.clone();
            },
            "(b)",
        );
    }
}

/// As many steps in a launch as there is room for.
#[test]
fn records_that_go_round() {
    let mut problem = problems::receivers1d();
    let legal = schedule(&problem, 4, false);
    for slots in [16, 4, 2] {
        problem.stencil.arrays[3].slots.truncate(slots);
        problem.deps = support::dependences(&problem.stencil);
        let judged = both(&problem, &legal);
        assert_eq!(judged.0.is_ok(), slots >= 4, "{slots}: {judged:?}");
        assert_eq!(judged.1.is_ok(), slots >= 4, "{slots}: {judged:?}");
    }
    assert!(Flow::of(&problems::receivers1d()).unwrap().admit_steps(17).is_err());
}

#[test]
fn broken_buffers() {
    let problem = problems::wave2d();
    let legal = schedule(&problem, 3, false);
    let fails = |name: &str, letter: &str, shows: bool, b: Break| {
        fails(name, &problem, &legal, letter, shows, b);
    };
    fails("stores where it loads", "(c)", true, |s| {
        s.carried[0].buffers[1] = s.carried[1].buffers[0]
    });
    fails("one buffer for both sides", "(c)", true, |s| {
        s.carried[0].buffers[1] = s.carried[0].buffers[0];
    });
    fails("two slots in a buffer", "(c)", true, |s| {
        s.carried[0].buffers[1] = s.carried[1].buffers[1]
    });
    fails("no such buffer", "(c)", false, |s| s.scratch.clear());
    fails("not at home before the first", "(e)", true, |s| {
        let first = s.carried[0].buffers[0];
        s.carried[0].buffers[0] = s.carried[1].buffers[0];
        s.carried[1].buffers[0] = first;
    });
    fails("not carried", "(b)", true, |s| {
        s.carried.remove(0);
        for tile in &mut s.tiles {
            tile.left.remove(0);
        }
    });
    let problem = problems::jacobi2d();
    let legal = schedule(&problem, 3, false);
    let name = "no home after an odd number of tiles";
    self::fails(name, &problem, &legal, "(e)", true, |s| {
        s.scratch.push(0);
        s.carried[0].buffers[1] = 2;
    });
}

#[test]
fn broken_plans() {
    let problem = problems::jacobi2d();
    let legal = schedule(&problem, 3, true);
    let fails = |name: &str, letter: &str, shows: bool, b: Break| {
        fails(name, &problem, &legal, letter, shows, b);
    };
    fails("no shorter tiles", "(a)", true, |s| {
        plan_ops(s, &mut |op| {
            if let PlanOp::Launch { kernel, .. } = op {
                *kernel = if *kernel == 1 { 0 } else { *kernel };
            }
        });
    });
    fails("a kernel at another time", "(a)", true, |s| {
        plan_ops(s, &mut |op| {
            if let PlanOp::Launch { kernel: 0, args, .. } = op {
                args[0] = args[0].clone() + PlanExpr::Const(1);
            }
        });
    });
    fails("always the same side", "(e)", true, |s| {
        plan_ops(s, &mut |op| {
            if let PlanOp::Launch { kernel: 0 | 1, args, .. } = op {
                args[1] = PlanExpr::Const(0);
            }
        });
    });
    fails("too few blocks of columns", "(a)", true, |s| {
        plan_ops(s, &mut |op| {
            if let PlanOp::Launch { kernel: 0, blocks, .. } = op {
                blocks[0] = blocks_over(1, PlanExpr::Const(8), COLUMNS);
            }
        });
    });
    fails("blocks from another start", "(a)", true, |s| {
        plan_ops(s, &mut |op| {
            if let PlanOp::Launch { kernel: 0, blocks, .. } = op {
                blocks[0] = blocks_over(1, PlanExpr::Const(4), Start::ANY);
            }
        });
    });
    fails("too few chunks", "(a)", true, |s| {
        plan_ops(s, &mut |op| {
            if let PlanOp::Launch { kernel: 0, blocks, .. } = op {
                blocks[1] = blocks_over(0, PlanExpr::Tunable(0) * 2, Start::ANY);
            }
        });
    });
    fails("a width of nothing", "(a)", true, |s| s.tunables[0].values[1] = 0);
    fails("the last step by a time tile", "(e)", true, |s| *s = ending(0));
    fails("direct launches forget the last step", "(a)", true, |s| {
        plan_ops(s, &mut |op| {
            if let PlanOp::Loop { hi, body, .. } = op
                && matches!(body[0], PlanOp::Launch { kernel: 2, .. })
            {
                *hi = hi.clone() + PlanExpr::Const(-1);
            }
        });
    });
}

/// Direct launches take one step where a slot is not carried: the others are what the last time tile has left.
#[test]
fn direct_launches_at_the_end() {
    let all = [
        ("jacobi2d", problems::jacobi2d(), 1),
        ("wave2d", problems::wave2d(), 1),
        ("fdtd2d", problems::fdtd2d(), 0),
        ("in_place", problems::in_place(), 0),
        ("copy_back", problems::copy_back(), 1),
    ];
    for (name, problem, steps) in all {
        let flow = Flow::of(&problem).unwrap();
        assert_eq!(flow.finish(&flow.carried().0), steps, "{name}");
    }
}

/// Jacobi's schedule with so many steps at the end for direct launches.
fn ending(finish: i64) -> Overlapped {
    let problem = problems::jacobi2d();
    let mut s = schedule(&problem, 3, true);
    let mut found = Vec::new();
    plan_ops(&mut s, &mut |op| {
        if let PlanOp::Launch { kernel, blocks, args, .. } = op {
            let further = if *kernel < 2 { 2 } else { 1 };
            let launch =
                Launch { kernel: *kernel, blocks: blocks.clone(), args: args.split_off(further) };
            found.push(launch);
        }
    });
    let [tile, shorter, direct] = found.try_into().unwrap();
    let launches = Launches {
        steps: 3,
        tile,
        shorter: Some(shorter),
        direct: vec![direct],
        begin: 0,
        again: Vec::new(),
        in_place: None,
    };
    s.plan = plan::plan(&[2], &s.carried, finish, &launches);
    s
}

#[test]
fn broken_order_of_statements() {
    let problem = problems::fdtd2d();
    let legal = schedule(&problem, 2, true);
    fails("two direct launches swapped", &problem, &legal, "(a)", true, |s| {
        plan_ops(s, &mut |op| {
            if let PlanOp::Launch { kernel, .. } = op {
                *kernel = match *kernel {
                    2 => 3,
                    3 => 2,
                    other => other,
                };
            }
        });
    });
    fails("two levels swapped", &problem, &legal, "(a)", true, |s| s.tiles[0].levels.swap(2, 3));
}

/// A direct launch of a statement that reads what other instances of the same step write.
#[test]
fn statements_that_are_not_parallel() {
    let mut p = Program::new(1, ElemType::F32);
    let a = p.array(1);
    p.statement(&[Bound::Inside(1, 2)], &[(a, 0, &[-1]), (a, 0, &[0])], &[(a, 0, &[0])]);
    let problem = p.problem();
    let s = schedule(&problem, 2, false);
    let why = judge::check(&problem, &TiledSchedule::Overlapped(s)).unwrap_err();
    assert!(why.detail.starts_with("(c)"), "{why}");
}

/// A slot that is read before the nest writes it, but only where nothing writes it, need not be carried.
#[test]
fn values_at_the_border_are_always_there() {
    let mut p = Program::new(1, ElemType::F32);
    let (a, b) = (p.array(1), p.array(1));
    let inner = Bound::Inside(2, 3);
    p.statement(&[inner], &[(a, 0, &[-1]), (a, 0, &[1])], &[(b, 0, &[0])]);
    p.statement(&[inner], &[(b, 0, &[-1]), (b, 0, &[0]), (b, 0, &[1])], &[(a, 0, &[0])]);
    let problem = p.problem();
    let s = schedule(&problem, 2, false);
    assert_eq!(s.carried.len(), 1);
    assert_eq!(both(&problem, &s), (Ok(()), Ok(())));
}
