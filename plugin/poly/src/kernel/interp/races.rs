//! Who touched an element last, and whether another may.

/// Block, number of barriers passed, thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    pub block: i64,
    pub epoch: u64,
    pub thread: u64,
    /// The thread's warp, and how many there are.
    pub warp: (u64, u64),
    /// How many barriers had been passed when all threads of the block met last.
    pub together: u64,
}

impl Who {
    /// True if what the other did is known here: since then all have met, or there were as many barriers of neighbouring warps as
    /// the two warps are apart.
    fn may_follow(self, other: Who) -> bool {
        let apart = self.warp.0.abs_diff(other.warp.0);
        let apart = apart.min(self.warp.1.saturating_sub(apart)).max(1);
        let met = other.epoch < self.together || other.epoch + apart <= self.epoch;
        self.block == other.block && (met || self.thread == other.thread)
    }
}

/// The history of one element during a launch, as far as it matters.
#[derive(Clone, Copy, Debug, Default)]
pub struct History {
    writer: Option<Who>,
    reader: Option<Who>,
    /// Several threads have read since the last barrier.
    many_threads: bool,
    /// The first and the last warp that have read since the last write, or since all threads met.
    warps: Option<(u64, u64)>,
    /// Several blocks have read.
    many_blocks: bool,
}

impl History {
    /// Notes a read; false if it races with a write.
    pub fn read(&mut self, who: Who) -> bool {
        let fine = self.writer.is_none_or(|w| who.may_follow(w));
        match self.reader {
            Some(r) if r.block != who.block => self.many_blocks = true,
            Some(r) if r.epoch == who.epoch => self.many_threads |= r.thread != who.thread,
            _ => self.many_threads = false,
        }
        let known = self.reader.is_some_and(|r| r.block == who.block && r.epoch >= who.together);
        let (first, last) = self.warps.filter(|_| known).unwrap_or((who.warp.0, who.warp.0));
        self.warps = Some((first.min(who.warp.0), last.max(who.warp.0)));
        self.reader = Some(who);
        fine
    }

    /// Notes a write; false if it races with a read or another write.
    pub fn write(&mut self, who: Who) -> bool {
        let after_write = self.writer.is_none_or(|w| who.may_follow(w));
        let after_read = match self.reader {
            Some(r) => {
                let of_warp = |warp: u64| Who { warp: (warp, r.warp.1), thread: u64::MAX, ..r };
                let all = self.warps.map_or([r.warp.0; 2], |(first, last)| [first, last]);
                let mut others = all.into_iter().filter(|&warp| warp != r.warp.0);
                !self.many_blocks
                    && who.may_follow(r)
                    && !(self.many_threads && r.epoch == who.epoch)
                    && others.all(|warp| who.may_follow(of_warp(warp)))
            }
            None => true,
        };
        self.warps = None;
        self.writer = Some(who);
        after_write && after_read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(block: i64, epoch: u64, thread: u64) -> Who {
        Who { block, epoch, thread, warp: (0, 1), together: epoch }
    }

    /// The first thread of one of eight warps, which have not met all together.
    fn of_warp(epoch: u64, warp: u64) -> Who {
        Who { block: 0, epoch, thread: 32 * warp, warp: (warp, 8), together: 0 }
    }

    #[test]
    fn threads_need_a_barrier() {
        let mut h = History::default();
        assert!(h.write(who(0, 0, 1)));
        assert!(h.read(who(0, 0, 1)));
        assert!(!h.read(who(0, 0, 2)));
        let mut h = History::default();
        assert!(h.read(who(0, 0, 1)) && h.read(who(0, 0, 2)));
        assert!(!h.write(who(0, 0, 2)));
        assert!(h.write(who(0, 1, 2)));
    }

    #[test]
    fn warps_know_of_others_after_as_many_barriers_as_they_are_apart() {
        for (apart, epoch, known) in
            [(1, 0, false), (1, 1, true), (2, 1, false), (2, 2, true), (7, 1, true)]
        {
            let mut h = History::default();
            assert!(h.write(of_warp(0, 0)));
            assert_eq!(h.read(of_warp(epoch, apart)), known, "{apart} {epoch}");
            let mut h = History::default();
            assert!(h.read(of_warp(0, 0)));
            assert_eq!(h.write(of_warp(epoch, apart)), known, "{apart} {epoch}");
        }
        let mut h = History::default();
        assert!(h.write(of_warp(0, 0)));
        assert!(h.read(Who { together: 1, ..of_warp(1, 4) }));
    }

    #[test]
    fn a_write_comes_after_all_that_have_read() {
        let mut h = History::default();
        assert!(h.read(of_warp(0, 5)) && h.read(of_warp(1, 2)));
        assert!(!h.write(of_warp(2, 2)));
        let mut h = History::default();
        assert!(h.read(of_warp(0, 1)) && h.read(of_warp(0, 3)));
        assert!(h.write(of_warp(1, 2)));
        // What was read before the write is none of the next one's business.
        assert!(h.write(of_warp(2, 3)));
    }

    #[test]
    fn blocks_never_speak() {
        let mut h = History::default();
        assert!(h.read(who(0, 0, 0)) && h.read(who(1, 5, 0)));
        assert!(!h.write(who(1, 6, 0)));
    }
}
