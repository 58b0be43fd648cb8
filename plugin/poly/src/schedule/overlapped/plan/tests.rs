//! Plans against a simulation of slots and buffers that hold, instead of values, who wrote them.

use super::*;
use hexpass_abi::plan::{PlanValues, in_a_row};
use std::collections::HashMap;

/// An array of the simulated nest: one statement writes slot `t + written`, after it has read slots `t + carried`.
struct Array {
    slots: usize,
    written: i32,
    carried: Vec<i32>,
}

impl Array {
    fn slot(&self, time: i64, rotation: i32) -> u16 {
        (time + i64::from(rotation)).rem_euclid(self.slots as i64) as u16
    }

    /// Steps until every slot that is not carried has been written.
    fn finish(&self) -> i64 {
        let dead = (0..self.slots as i32).filter(|r| !self.carried.contains(r));
        let wait = |r: i32| i64::from((r - self.written).rem_euclid(self.slots as i32)) + 1;
        dead.map(wait).max().unwrap_or(0)
    }
}

/// The step that wrote a value, −1 − slot before the first.
type Value = i64;

/// What slot `slot` holds before step `time`.
fn right(a: &Array, time: i64, slot: u16) -> Value {
    let writes = |t: &i64| a.slot(*t, a.written) == slot;
    (0..time).rev().take(a.slots).find(writes).unwrap_or(-1 - i64::from(slot))
}

struct Run<'a> {
    arrays: &'a [Array],
    carried: &'a [Carried],
    long: i64,
    steps: i64,
    memory: HashMap<(u16, u16), Value>,
    /// Steps taken, time tiles run, steps of direct launches.
    time: i64,
    tiles: i64,
    direct: i64,
}

impl PlanValues for Run<'_> {
    fn steps(&self) -> i64 {
        self.steps
    }

    fn space(&self, _: u8) -> (i64, i64) {
        (0, 9)
    }

    fn tunable(&self, _: u8) -> i64 {
        1
    }
}

impl Run<'_> {
    fn ops(&mut self, ops: &[PlanOp], vars: &mut Vec<i64>) {
        for op in ops {
            match op {
                PlanOp::Loop { var, lo, hi, body } => {
                    for value in lo.eval(self, vars)..=hi.eval(self, vars) {
                        vars[usize::from(*var)] = value;
                        self.ops(body, vars);
                    }
                }
                PlanOp::Launch { kernel, time, args, .. } => {
                    let args: Vec<i64> = args.iter().map(|a| a.eval(self, vars)).collect();
                    assert_eq!(time.eval(self, vars), args[usize::from(TIME)]);
                    assert_eq!(
                        args[usize::from(TIME)],
                        self.time,
                        "a step is left out or repeated"
                    );
                    match kernel {
                        0 | 1 => {
                            self.tile(self.long - i64::from(*kernel), args[usize::from(INDEX)])
                        }
                        k => self.step(usize::from(*k) - 2),
                    }
                }
            }
        }
    }

    fn tile(&mut self, steps: i64, index: i64) {
        assert_eq!(index, self.tiles);
        let (from, to) = (index as usize % 2, (index as usize + 1) % 2);
        for c in self.carried {
            let a = &self.arrays[usize::from(c.array)];
            let expected = right(a, self.time, a.slot(self.time, c.rotation));
            assert_eq!(self.memory[&(c.array, c.buffers[from])], expected, "{c:?} before {index}");
        }
        self.tiles += 1;
        self.time += steps;
        for c in self.carried {
            let a = &self.arrays[usize::from(c.array)];
            let value = right(a, self.time, a.slot(self.time, c.rotation));
            self.memory.insert((c.array, c.buffers[to]), value);
        }
    }

    fn step(&mut self, array: usize) {
        let a = &self.arrays[array];
        for &rotation in &a.carried {
            let slot = a.slot(self.time, rotation);
            let found = self.memory[&(array as u16, slot)];
            assert_eq!(found, right(a, self.time, slot), "step {} of slot {slot}", self.time);
        }
        self.memory.insert((array as u16, a.slot(self.time, a.written)), self.time);
        if array + 1 == self.arrays.len() {
            self.time += 1;
            self.direct += 1;
        }
    }
}

fn carried(arrays: &[Array]) -> Vec<Carried> {
    let of = |(i, a): (usize, &Array)| {
        let (buffers, scratch) = buffers(a.slots, &a.carried);
        assert_eq!(scratch, (2 * a.carried.len()).saturating_sub(a.slots));
        let one = move |(&rotation, buffers)| Carried { array: i as u16, rotation, buffers };
        a.carried.iter().zip(buffers).map(one).collect::<Vec<_>>()
    };
    arrays.iter().enumerate().flat_map(of).collect()
}

/// Steps that direct launches take of T, for each T from 1 to 300.
fn direct_steps(arrays: &[Array], b: i64) -> Vec<i64> {
    let kernel = |kernel| Launch { kernel, blocks: in_a_row(constant(1)), args: Vec::new() };
    let launches = Launches {
        steps: b,
        tile: kernel(0),
        shorter: (b > 1).then(|| kernel(1)),
        direct: (0..arrays.len()).map(|i| kernel(i as u16 + 2)).collect(),
        begin: 0,
        again: Vec::new(),
        in_place: None,
    };
    let slots: Vec<usize> = arrays.iter().map(|a| a.slots).collect();
    let carried = carried(arrays);
    let finish = arrays.iter().map(Array::finish).max().unwrap_or(0);
    let plan = plan(&slots, &carried, finish, &launches);
    let one = |steps: i64| {
        let home = |(i, a): (usize, &Array)| {
            (0..a.slots as u16).map(move |s| ((i as u16, s), -1 - i64::from(s))).collect::<Vec<_>>()
        };
        let memory = arrays.iter().enumerate().flat_map(home).collect();
        let (time, tiles, direct) = (0, 0, 0);
        let mut run =
            Run { arrays, carried: &carried, long: b, steps, memory, time, tiles, direct };
        run.ops(&plan.ops, &mut vec![0; usize::from(plan.vars)]);
        assert_eq!(run.time, steps);
        for (i, a) in arrays.iter().enumerate() {
            for slot in 0..a.slots as u16 {
                assert_eq!(run.memory[&(i as u16, slot)], right(a, steps, slot), "slot {slot}");
            }
        }
        run.direct
    };
    (1..=300).map(one).collect()
}

fn array(slots: usize, written: i32, carried: &[i32]) -> Array {
    Array { slots, written, carried: carried.to_vec() }
}

/// Nests as they occur, and combinations of periods.
fn nests() -> Vec<Vec<Array>> {
    vec![
        vec![array(2, 1, &[0])],
        vec![array(1, 0, &[0])],
        vec![array(1, 0, &[0]), array(1, 0, &[0]), array(1, 0, &[0])],
        vec![array(1, 0, &[]), array(1, 0, &[0])],
        vec![array(3, 1, &[0, 2])],
        vec![array(3, 1, &[0])],
        vec![array(3, 1, &[0, 1, 2])],
        vec![array(2, 1, &[0, 1])],
        vec![array(2, 1, &[0]), array(1, 0, &[0])],
        vec![array(2, 1, &[0]), array(3, 1, &[0, 2])],
        vec![array(2, 1, &[0]), array(4, 2, &[0, 1])],
        vec![array(3, 1, &[0]), array(4, 1, &[0])],
        vec![array(4, 1, &[0, 3])],
        vec![array(6, 1, &[0, 4, 5])],
        vec![array(5, 1, &[0, 4]), array(7, 1, &[0])],
    ]
}

#[test]
fn every_number_of_steps() {
    for (i, nest) in nests().iter().enumerate() {
        for b in [1, 2, 3, 4, 5, 6, 7, 8, 12, 16] {
            println!("nest {i}, {b} steps");
            direct_steps(nest, b);
        }
    }
}

/// Long runs are left to the time tiles: only the steps that must be, and what the period leaves.
#[test]
fn few_steps_are_left() {
    for b in [4, 8, 12] {
        let long_runs = |nest: Array| direct_steps(&[nest], b).split_off(2 * (b * b) as usize + 3);
        assert!(long_runs(array(2, 1, &[0])).iter().all(|&d| d == 1), "two slots, {b}");
        assert!(long_runs(array(1, 0, &[0])).iter().all(|&d| d == 0), "in place, {b}");
        let three = long_runs(array(3, 1, &[0, 2]));
        assert!(three.iter().all(|d| (1..=3).contains(d)), "three slots, {b}");
    }
}

#[test]
fn buffers_of_common_nests() {
    assert_eq!(buffers(2, &[0]), (vec![[0, 1]], 0));
    assert_eq!(buffers(1, &[0]), (vec![[0, 1]], 1));
    assert_eq!(buffers(3, &[0, 2]), (vec![[0, 1], [2, 3]], 1));
    assert_eq!(buffers(2, &[0, 1]), (vec![[0, 2], [1, 3]], 2));
    assert_eq!(buffers(4, &[0, 1]), (vec![[0, 2], [1, 3]], 0));
    assert_eq!(buffers(6, &[0, 1, 3]), (vec![[0, 2], [1, 4], [3, 5]], 0));
}
