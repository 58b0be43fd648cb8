//! Who touched an element last, and whether another may.

/// Block, number of barriers passed, thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    pub block: i64,
    pub epoch: u64,
    pub thread: u64,
}

impl Who {
    fn may_follow(self, other: Who) -> bool {
        self.block == other.block && (self.epoch != other.epoch || self.thread == other.thread)
    }
}

/// The history of one element during a launch, as far as it matters.
#[derive(Clone, Copy, Debug, Default)]
pub struct History {
    writer: Option<Who>,
    reader: Option<Who>,
    /// Several threads have read since the last barrier.
    many_threads: bool,
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
        self.reader = Some(who);
        fine
    }

    /// Notes a write; false if it races with a read or another write.
    pub fn write(&mut self, who: Who) -> bool {
        let after_write = self.writer.is_none_or(|w| who.may_follow(w));
        let after_read = match self.reader {
            Some(r) => {
                !self.many_blocks
                    && who.may_follow(r)
                    && !(self.many_threads && r.epoch == who.epoch)
            }
            None => true,
        };
        self.writer = Some(who);
        after_write && after_read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(block: i64, epoch: u64, thread: u64) -> Who {
        Who { block, epoch, thread }
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
    fn blocks_never_speak() {
        let mut h = History::default();
        assert!(h.read(who(0, 0, 0)) && h.read(who(1, 5, 0)));
        assert!(!h.write(who(1, 6, 0)));
    }
}
