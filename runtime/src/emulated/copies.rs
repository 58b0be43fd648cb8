//! Copies from global to shared memory that go on by themselves (`cp.async`).
//!
//! What a lane asks for is read at once, since nothing may write it meanwhile, and lies in shared memory from the moment
//! the lane waits for its group on: a kernel that doesn't wait finds what was there before.

/// The copies of a warp.
#[derive(Default)]
pub struct Copies {
    /// Groups that each lane has asked for.
    groups: [u32; 32],
    on_the_way: Vec<Copy>,
}

/// What one lane copies.
pub struct Copy {
    pub lane: u32,
    /// Groups that the lane had asked for before.
    group: u32,
    /// Offset in shared memory.
    pub to: u64,
    pub words: [u32; 4],
    pub count: usize,
}

impl Copies {
    /// A lane asks for some words.
    pub fn ask(&mut self, lane: u32, to: u64, words: [u32; 4], count: usize) {
        let group = self.groups[lane as usize & 31];
        self.on_the_way.push(Copy { lane, group, to, words, count });
    }

    /// What these lanes have asked for since their last group is one.
    pub fn group(&mut self, mask: u32) {
        let of_mask = (0..32).filter(|lane| mask >> lane & 1 == 1);
        of_mask.for_each(|lane: usize| self.groups[lane] += 1);
    }

    /// What these lanes wait for, in the order in which it was asked for: all groups but the last ones.
    pub fn arrive(&mut self, mask: u32, but: u32) -> Vec<Copy> {
        let groups = self.groups;
        let is_there = |c: &Copy| {
            mask >> c.lane & 1 == 1 && c.group.saturating_add(but) < groups[c.lane as usize & 31]
        };
        let all = std::mem::take(&mut self.on_the_way);
        let (there, rest) = all.into_iter().partition(is_there);
        self.on_the_way = rest;
        there
    }
}
