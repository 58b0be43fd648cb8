//! The guard as tables: what it takes, and what it refuses for which reason.

use super::*;
use hexpass_abi::*;

const READ: i32 = 0;
const WRITTEN: i32 = 1;

fn int(i: u16) -> Poly {
    Poly::symbol(Sym::Int(i))
}

fn affine(factor: i64, i: u16, constant: i64) -> Poly {
    int(i).scale(factor).unwrap().add(&Poly::constant(constant)).unwrap()
}

fn point(array: u16, rotation: i32, y: i64, x: i64) -> Access {
    let at = |dim, offset| Subscript { dim: Some(dim), offset: Poly::constant(offset) };
    Access { array, rotation, subscripts: vec![at(0, y), at(1, x)] }
}

fn array(name: &str, pointers: &[u16]) -> Array {
    let slot = |&pointer: &u16| Slot { pointer, offset: Poly::zero() };
    Array {
        name: name.into(),
        elem: ElemType::F64,
        slots: pointers.iter().map(slot).collect(),
        rotation: Poly::zero(),
        strides: vec![affine(8, 2, 0), Poly::constant(8)],
    }
}

/// A five-point stencil over `n` by `m` points in rows of `stride` elements. Integers: n, m, stride, steps. Pointers:
/// the buffers of `a`, and two coefficients that are read at the centre.
fn star() -> NestRecord {
    let mut reads: Vec<Access> = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]
        .iter()
        .map(|&(y, x)| point(0, READ, y, x))
        .collect();
    reads.extend([point(1, 0, 0, 0), point(2, 0, 0, 0)]);
    NestRecord {
        function: "star".into(),
        file: None,
        line: None,
        fp: FpMode::Exact,
        steps: int(3).into(),
        dims: 2,
        timeless: true,
        arrays: vec![array("a", &[0, 1]), array("k", &[2]), array("q", &[3])],
        tables: vec![],
        lookups: vec![],
        fences: vec![],
        statements: vec![StatementRecord {
            lo: vec![Poly::constant(1).into(), Poly::constant(1).into()],
            hi: vec![affine(1, 0, -2).into(), affine(1, 1, -2).into()],
            reads,
            writes: vec![point(0, WRITTEN, 0, 0)],
            unsure_reads: vec![],
            unsure_writes: vec![],
            entries: vec![],
            operations: 5,
        }],
        checks: vec![],
        disjoint_pointers: vec![],
        reductions: vec![],
        aside: vec![],
        exchanged: vec![],
        variants: vec![],
    }
}

/// Ten rows of ten: 800 bytes an array.
const INTS: [i64; 4] = [10, 10, 10, 4];
/// Far apart.
const APART: [u64; 4] = [0x10000, 0x20000, 0x30000, 0x40000];

/// The guard's verdict: `None` for an empty nest.
fn guard(record: NestRecord, ints: &[i64], pointers: &[u64]) -> Result<Option<Shape>, Reason> {
    let nest = Nest::new(record).map_err(|r| r.reason)?;
    let Some(extent) = Extent::of(&nest, ints).map_err(|r| r.reason)? else { return Ok(None) };
    check(&nest, extent, ints, pointers).map(Some).map_err(|r| r.reason)
}

/// In one word: `ran`, `empty` or the reason.
fn verdict(record: NestRecord, ints: &[i64], pointers: &[u64]) -> &'static str {
    match guard(record, ints, pointers) {
        Ok(Some(_)) => "runs",
        Ok(None) => "empty",
        Err(reason) => reason.word(),
    }
}

/// A loop over n times m elements does nothing where no row of them has any, unless both sizes are negative.
#[test]
fn an_empty_nest_is_idle() {
    for (ints, expected) in [
        ([10, 10, 10, 4], "runs"),
        ([0, 10, 10, 4], "empty"),
        ([-2, 3, 10, 4], "empty"),
        ([-2, -3, 10, 4], "check-size"),
        // Without steps nothing happens, whatever the sizes.
        ([-2, -3, 10, 0], "empty"),
    ] {
        let mut record = star();
        let value = int(0).mul(&int(1)).unwrap().scale(-1).unwrap();
        record.checks.push(Check { value, statement: None, kind: CheckKind::Idle });
        assert_eq!(verdict(record, &ints, &APART), expected, "{ints:?}");
    }
}

#[test]
fn masks_hold_back_the_border() {
    let mut wall = vec![3i32; 64];
    for k in (0..8).flat_map(|x| [x, 56 + x, 8 * x, 8 * x + 7]) {
        wall[k] = 4;
    }
    let fences = |wall: &[i32]| {
        let at = wall.as_ptr().expose_provenance() as u64;
        let fence = |first: [i64; 2], last: [i64; 2]| Fence {
            name: "wall".into(),
            pointer: 0,
            offset: Poly::zero(),
            strides: vec![Poly::constant(32), Poly::constant(4)],
            elem: ElemType::I32,
            ranges: (0..2)
                .map(|d| (Poly::constant(first[d]).into(), Poly::constant(last[d]).into()))
                .collect(),
            held: Held::Integers { bits: 6, first: 2, last: 2, within: false },
        };
        let mut record = star();
        record.fences = vec![fence([0, 0], [0, 7]), fence([7, 0], [7, 7])];
        record.fences.extend([fence([0, 0], [7, 0]), fence([0, 7], [7, 7]), fence([3, 3], [2, 3])]);
        let nest = Nest::new(record).unwrap();
        super::fences::check(&nest, &[], &[at], &|_, at| Ok(at))
            .map(|read| read.iter().map(|r| r.end - r.start).sum::<u64>())
            .map_err(|refusal| refusal.reason.word())
    };
    assert_eq!(fences(&wall), Ok(4 * 32));
    wall[27] = 2;
    assert_eq!(fences(&wall), Ok(4 * 32), "inside anything may be");
    wall[24] = 2 | 64;
    assert_eq!(fences(&wall), Err("check-mask"));
}

#[test]
fn sizes() {
    let max = i64::MAX;
    for (ints, expected) in [
        ([10, 10, 10, 4], "runs"),
        ([3, 3, 3, 1], "runs"),
        ([10, 10, 10, 0], "empty"),
        ([10, 10, 10, -1], "empty"),
        ([10, 10, 10, i64::MIN], "empty"),
        ([2, 10, 10, 4], "empty"),
        ([10, 2, 10, 4], "empty"),
        ([-7, 10, 10, 4], "empty"),
        // Nothing is done where the rest is absurd.
        ([2, max, max, 4], "empty"),
        ([10, max, 10, 4], "range"),
        ([max, 10, 10, 4], "range"),
        ([i64::MIN, 10, 10, 4], "range"),
        ([10, 10, max, 4], "range"),
        ([10, 10, 10, max], "range"),
        ([10, 10, 10, 1 << 30], "range"),
        ([1 << 31, 10, 10, 4], "range"),
        ([10, 10, max / 8, 4], "address"),
    ] {
        assert_eq!(verdict(star(), &ints, &APART), expected, "{ints:?}");
    }
}

/// Sizes say nothing where a step is rare: that is looked at first, unless there is no step.
#[test]
fn rare_steps() {
    for (ints, expected) in [
        ([10, 10, 10, 4], "runs"),
        ([2, 10, 10, 4], "empty"),
        ([2, 9, 10, 4], "check-rare"),
        ([i64::MIN, 9, 10, 4], "check-rare"),
        ([2, i64::MAX, -1, 4], "check-rare"),
        ([10, 9, 10, 0], "empty"),
    ] {
        let mut record = star();
        let value = int(1).sub(&int(2)).unwrap();
        record.checks.push(Check { value, statement: None, kind: CheckKind::Rare });
        assert_eq!(verdict(record, &ints, &APART), expected, "{ints:?}");
    }
}

#[test]
fn strides() {
    for (stride, expected) in [
        (10, "runs"),
        (11, "runs"),
        // The right-hand neighbour in the last column is in the next row.
        (9, "strides"),
        (1, "strides"),
        (0, "strides"),
        (-10, "strides"),
    ] {
        assert_eq!(verdict(star(), &[10, 10, stride, 4], &APART), expected, "{stride}");
    }
    let mut bytes = star();
    bytes.arrays[0].strides[0] = Poly::constant(84);
    assert_eq!(verdict(bytes, &INTS, &APART), "strides");
    let mut every_second = star();
    every_second.arrays[0].strides = vec![Poly::constant(160), Poly::constant(16)];
    assert_eq!(verdict(every_second, &INTS, &APART), "strides");
    // Rows of what is only read may run into each other.
    let mut read = star();
    read.arrays[1].strides = vec![Poly::constant(8), Poly::constant(8)];
    assert_eq!(verdict(read, &INTS, &APART), "runs");
    // With one row there is no next one.
    assert_eq!(verdict(star(), &[3, 10, 9, 4], &APART), "strides");
    let mut flat = star();
    flat.statements[0].reads.retain(|r| r.subscripts[0].offset.is_zero());
    assert_eq!(verdict(flat, &[3, 10, 5, 1], &APART), "runs");
}

#[test]
fn addresses() {
    for (first, expected) in [
        (0x10000, "runs"),
        (0, "address"),
        (0x10004, "address"),
        (u64::MAX - 799, "range"),
        (i64::MAX as u64 - 7 - 80, "address"),
    ] {
        assert_eq!(
            verdict(star(), &INTS, &[first, 0x20000, 0x30000, 0x40000]),
            expected,
            "{first:#x}"
        );
    }
    // Subscript zero may lie anywhere as long as what is touched does not.
    let mut based = star();
    for a in &mut based.arrays {
        for s in &mut a.slots {
            s.offset = Poly::constant(-0x1_0000_0000);
        }
    }
    for s in &mut based.statements {
        s.lo[0] = Poly::constant(1 << 22).into();
        s.hi[0] = Poly::constant((1 << 22) + 3).into();
    }
    let far = [1 << 33, 1 << 34, 1 << 35, 1 << 36];
    assert_eq!(verdict(based.clone(), &INTS, &far), "runs");
    assert_eq!(verdict(based, &INTS, &APART), "address");
}

#[test]
fn overlaps() {
    let k = 0x20000;
    for (pointers, expected) in [
        ([k, k + 800, k + 1600, k + 2400], "runs"),
        ([k + 2400, k + 1600, k + 800, k], "runs"),
        // Coefficients may be one array, or run into each other.
        ([k, k + 800, k + 1600, k + 1600], "runs"),
        ([k, k + 800, k + 1600, k + 1608], "runs"),
        // The same buffer twice, or buffers that reach into each other.
        ([k, k, k + 1600, k + 2400], "overlap"),
        ([k, k + 400, k + 1600, k + 2400], "overlap"),
        ([k + 400, k, k + 1600, k + 2400], "overlap"),
        // The last element touched is the 99th, the first one written the twelfth: borders are read, corners are not.
        ([k, k + 792, k + 1600, k + 2400], "runs"),
        ([k, k + 704, k + 1600, k + 2400], "runs"),
        ([k, k + 696, k + 1600, k + 2400], "overlap"),
        ([k + 696, k, k + 1600, k + 2400], "overlap"),
        // A coefficient inside a buffer.
        ([k, k + 800, k, k + 2400], "overlap"),
        ([k, k + 800, k + 1600, k + 1416], "overlap"),
        ([k, k + 800, k + 1600, k + 1496], "runs"),
        ([k, k + 800, k + 712, k + 2400], "overlap"),
    ] {
        assert_eq!(verdict(star(), &INTS, &pointers), expected, "{pointers:x?}");
    }
}

#[test]
fn what_one_step_only_reads_may_be_a_coefficient_too() {
    let pointers = [0x20000, 0x30000, 0x20000, 0x40000];
    assert_eq!(verdict(star(), &[10, 10, 10, 1], &pointers), "runs");
    assert_eq!(verdict(star(), &[10, 10, 10, 2], &pointers), "overlap");
}

#[test]
fn interleaved_rows_do_not_overlap() {
    // One allocation of rows [a0 | a1 | k | q], ten elements each.
    let ints = [10, 10, 40, 4];
    let k = 0x20000;
    assert_eq!(verdict(star(), &ints, &[k, k + 80, k + 160, k + 240]), "runs");
    // Borders of two rows may be one element, which both read; what is written may not.
    assert_eq!(verdict(star(), &ints, &[k, k + 72, k + 160, k + 240]), "runs");
    assert_eq!(verdict(star(), &ints, &[k, k + 64, k + 160, k + 240]), "overlap");
    // Every other row of one, between rows of the other; and rows that drift through those of the other.
    for (stride, expected) in [(640, "runs"), (400, "overlap")] {
        let mut unlike = star();
        unlike.arrays[1].strides[0] = Poly::constant(stride);
        assert_eq!(verdict(unlike, &ints, &[k, k + 80, k + 160, k + 240]), expected, "{stride}");
    }
}

#[test]
fn columns_between_each_other_do_not_overlap() {
    // Columns 0 and 4 of one array are made of columns 0 and 4 of another, whose origin lies somewhere in its rows.
    let column = |at: i64| StatementRecord {
        lo: vec![Poly::constant(0).into(), Poly::constant(at).into()],
        hi: vec![affine(1, 0, -1).into(), Poly::constant(at).into()],
        reads: vec![point(1, 0, 0, 0)],
        writes: vec![point(0, 0, 0, 0)],
        ..star().statements.swap_remove(0)
    };
    let columns = NestRecord {
        arrays: vec![array("a", &[0]), array("k", &[1])],
        statements: vec![column(0), column(4)],
        ..star()
    };
    let k = 0x20000i64;
    for (shift, expected) in [
        (8, "runs"),
        (24, "runs"),
        (40, "runs"),
        // Column 0 read is column 4 written, and the other way round.
        (32, "overlap"),
        (-32, "overlap"),
        (0, "overlap"),
        // Into the next row.
        (80, "overlap"),
        (72, "runs"),
        (800, "runs"),
    ] {
        let pointers = [k as u64, (k + shift) as u64];
        assert_eq!(verdict(columns.clone(), &INTS, &pointers), expected, "{shift}");
    }
}

#[test]
fn promises_are_believed_for_unlike_pointers_only() {
    let mut promised = star();
    promised.disjoint_pointers = vec![(1, 0), (0, 2)];
    let same = [0x20000; 4];
    assert_eq!(verdict(promised.clone(), &INTS, &[0x20000, 0x20000, 0x20000, 0x30000]), "overlap");
    promised.disjoint_pointers = vec![(1, 0), (0, 2), (2, 1), (3, 0), (1, 3)];
    assert_eq!(verdict(promised, &INTS, &same), "runs");
    // Two slots at one pointer are compared whatever is promised.
    let mut one = star();
    one.arrays[0].slots[1] = Slot { pointer: 0, offset: affine(80, 0, 0) };
    one.disjoint_pointers = vec![(0, 0)];
    assert_eq!(verdict(one.clone(), &INTS, &APART), "runs");
    one.arrays[0].slots[1].offset = Poly::constant(400);
    assert_eq!(verdict(one, &INTS, &APART), "overlap");
}

/// Words that the steps exchange lie apart from all that is touched, read or written.
#[test]
fn exchanged_words_are_no_elements() {
    let word = |offset| Exchanged { pointer: 4, offset, bytes: 8 };
    for (place, offset, expected) in [
        (0x50000, 0, "runs"),
        // The first element of a buffer is a corner, which nothing touches; the eleventh begins the second row.
        (0x10000, 0, "runs"),
        (0x10000, 80, "overlap"),
        (0x10000, 16, "overlap"),
        (0x20000, 8 * 55 + 4, "overlap"),
        // What is only read.
        (0x30000, 8 * 11, "overlap"),
        (0x30000, 8 * 100, "runs"),
        (0x30100, -0x100 + 8 * 11 - 7, "overlap"),
    ] {
        let mut record = star();
        record.exchanged = vec![word(-64), word(offset)];
        let [a, b, k, q] = APART;
        let found = verdict(record, &INTS, &[a, b, k, q, place]);
        assert_eq!(found, expected, "{place:#x} {offset}");
    }
    // At places that the program names from the same pointer the compiler has looked itself.
    let mut record = star();
    let named = |i| Access {
        array: 3,
        rotation: 0,
        subscripts: vec![Subscript { dim: None, offset: Poly::constant(i) }],
    };
    record.arrays.push(Array { strides: vec![Poly::constant(8)], ..array("s", &[4]) });
    record.statements[0].reads.extend([named(0), named(1)]);
    record.exchanged = vec![word(0), word(8)];
    let [a, b, k, q] = APART;
    assert_eq!(verdict(record.clone(), &INTS, &[a, b, k, q, 0x50000]), "runs");
    // From another one it may be anything.
    record.arrays[3].slots[0].pointer = 3;
    assert_eq!(verdict(record, &INTS, &[a, b, k, q, q]), "overlap");
}

#[test]
fn checks() {
    let iv = |d| Poly::symbol(Sym::Iv(d));
    let minus = |a: Poly, b: Poly| a.sub(&b).unwrap();
    let times = |a: Poly, b: Poly| a.mul(&b).unwrap();
    // i·stride + j with i, j from 1 to 8.
    let flat = times(iv(0), int(2)).add(&iv(1)).unwrap();
    // i·n − i: the interval of each term alone would be too wide.
    let twice = minus(times(iv(0), int(0)), iv(0));
    for (value, kind, statement, expected) in [
        (minus(Poly::constant(88), flat.clone()), CheckKind::Bounds, Some(0), "runs"),
        (minus(Poly::constant(87), flat.clone()), CheckKind::Bounds, Some(0), "check-bounds"),
        (minus(flat.clone(), Poly::constant(11)), CheckKind::Wrap, Some(0), "runs"),
        (minus(flat, Poly::constant(12)), CheckKind::Wrap, Some(0), "check-wrap"),
        (minus(twice.clone(), Poly::constant(9)), CheckKind::Wrap, Some(0), "runs"),
        (minus(twice, Poly::constant(10)), CheckKind::Wrap, Some(0), "check-wrap"),
        (minus(Poly::constant(3), Poly::symbol(Sym::Time)), CheckKind::Wrap, None, "runs"),
        (minus(Poly::constant(2), Poly::symbol(Sym::Time)), CheckKind::Wrap, None, "check-wrap"),
        (affine(1, 0, -10), CheckKind::Size, None, "runs"),
        (affine(1, 0, -11), CheckKind::Size, None, "check-size"),
        (times(affine(i64::MAX, 0, 0), int(0)), CheckKind::Size, None, "check-size"),
    ] {
        let mut record = star();
        record.checks = vec![Check { value: value.clone(), statement, kind }];
        assert_eq!(verdict(record, &INTS, &APART), expected, "{value:?}");
    }
    let mut record = star();
    let value = Poly::constant(-1);
    record.checks = vec![Check { value, statement: Some(1), kind: CheckKind::Bounds }];
    let mut idle = record.statements[0].clone();
    idle.lo[0] = int(0).into();
    record.statements.push(idle);
    assert_eq!(verdict(record, &INTS, &APART), "runs", "an empty statement passes");
}

#[test]
fn only_what_is_touched_goes_in_and_comes_back() {
    let volume = |r: &Region| r.iter().map(Cuboid::volume).sum::<f64>();
    for (steps, expected) in [
        // Slot 0: in, out; slot 1: in, out. One step overwrites all it touches of slot 1.
        (1, [96.0, 0.0, 0.0, 64.0]),
        // From the second step on slot 1 is read: its border must be there.
        (2, [96.0, 64.0, 32.0, 64.0]),
        (7, [96.0, 64.0, 32.0, 64.0]),
    ] {
        let shape = guard(star(), &[10, 10, 10, steps], &APART).unwrap().unwrap();
        let a = &shape.arrays[0].slots;
        let found = [
            volume(&a[0].inputs),
            volume(&a[0].outputs),
            volume(&a[1].inputs),
            volume(&a[1].outputs),
        ];
        assert_eq!(found, expected, "{steps} steps");
        let k = &shape.arrays[1].slots[0];
        assert_eq!((volume(&k.inputs), volume(&k.outputs)), (64.0, 0.0));
    }
}

#[test]
fn rotation_decides_which_slots_are_touched() {
    let touched = |rotation: i64, steps: i64| -> Vec<bool> {
        let mut record = star();
        record.arrays[0] = array("a", &[0, 1, 4]);
        record.arrays[0].rotation = int(4);
        let pointers = [0x10000, 0x20000, 0x30000, 0x40000, 0x50000];
        let shape = guard(record, &[10, 10, 10, steps, rotation], &pointers).unwrap().unwrap();
        shape.arrays[0].slots.iter().map(|s| s.hull.is_some()).collect()
    };
    assert_eq!(touched(0, 1), [true, true, false]);
    assert_eq!(touched(1, 1), [false, true, true]);
    assert_eq!(touched(-1, 1), [true, false, true]);
    assert_eq!(touched(i64::MIN, 1), touched(i64::MIN.rem_euclid(3), 1));
    assert_eq!(touched(0, 2), [true, true, true]);
}

#[test]
fn a_diagonal_write_keeps_what_lies_beside_it() {
    let mut record = star();
    record.statements[0].reads.clear();
    record.statements[0].writes[0].subscripts[1].dim = Some(0);
    let shape = guard(record, &[10, 10, 10, 1], &APART).unwrap().unwrap();
    let slot = &shape.arrays[0].slots[1];
    assert_eq!(slot.inputs, slot.outputs);
}

#[test]
fn empty_statements_have_empty_boxes_in_reach() {
    let mut record = star();
    let mut idle = record.statements[0].clone();
    idle.lo[1] = Poly::constant(1 << 40).into();
    record.statements.push(idle);
    let shape = guard(record, &INTS, &APART).unwrap().unwrap();
    assert_eq!(shape.extent.statements[1], None);
    for dim in 0..2 {
        assert_eq!(shape.extent.bounds(1, dim), (9, 0));
        assert_eq!(shape.extent.bounds(0, dim), (1, 8));
    }
}

#[test]
fn damaged_records_are_refused() {
    let damage: [fn(&mut NestRecord); 8] = [
        |r| r.dims = 0,
        |r| r.statements.clear(),
        |r| r.arrays[0].slots.clear(),
        |r| r.statements[0].reads[0].array = 9,
        |r| r.statements[0].reads[0].subscripts.truncate(1),
        |r| r.statements[0].lo.truncate(1),
        |r| r.steps = Poly::symbol(Sym::Time).into(),
        |r| {
            let (value, kind) = (Poly::symbol(Sym::Iv(0)), CheckKind::Size);
            r.checks.push(Check { value, statement: None, kind });
        },
    ];
    for (i, damage) in damage.iter().enumerate() {
        let mut record = star();
        damage(&mut record);
        assert_eq!(verdict(record, &INTS, &APART), "bad-record", "{i}");
    }
}

#[test]
fn subscripts_by_the_time_step() {
    // A source term k[t], 8 bytes a step, read along one edge.
    let mut source = star();
    source.arrays[1].strides = vec![Poly::constant(8)];
    let at_time = Subscript { dim: None, offset: Poly::symbol(Sym::Time) };
    source.statements[0].reads[5] =
        Access { array: 1, rotation: 0, subscripts: vec![at_time.clone()] };
    let shape = guard(source.clone(), &INTS, &APART).unwrap().unwrap();
    let hull = shape.arrays[1].hull.as_ref().unwrap();
    assert_eq!((hull.lo[0], hull.hi[0]), (0, INTS[3] - 1));
    // Its last step touches the first element that the nest writes.
    let near = [0x10000, 0x20000, 0x10000 + 8 * 11 - 8 * 3, 0x40000];
    assert_eq!(verdict(source.clone(), &INTS, &near), "overlap");
    // Such an array may only be read.
    source.statements[0].writes[0].subscripts[0] = at_time;
    assert_eq!(verdict(source, &INTS, &APART), "bad-record");
}

#[test]
fn a_point_counts_once_a_step_and_an_instance_every_time() {
    let mut record = star();
    // A copy of the whole back, and a boundary row.
    let mut whole = record.statements[0].clone();
    whole.lo = vec![Poly::constant(0).into(), Poly::constant(0).into()];
    whole.hi = vec![affine(1, 0, -1).into(), affine(1, 1, -1).into()];
    let mut row = whole.clone();
    row.hi[0] = Poly::constant(0).into();
    // Empty where there are fewer than a hundred rows.
    let mut none = row.clone();
    none.lo[0] = Poly::constant(99).into();
    record.statements.extend([whole, row, none]);
    let nest = Nest::new(record).unwrap();
    let extent = Extent::of(&nest, &[10, 20, 20, 4]).unwrap().unwrap();
    assert_eq!(extent.instances(), 4.0 * (8.0 * 18.0 + 200.0 + 20.0));
    assert_eq!(extent.points(), 4.0 * 200.0);
}
