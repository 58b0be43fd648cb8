//! Copies between ordinary memory and a GPU through page-locked buffers, at the speed of the bus.
//!
//! Rows are gathered into one buffer by several threads while the device reads or fills others. Where they lie close
//! together on the device the buffer is an image of its memory, and one plain copy moves it; else they are packed, and
//! a copy with pitches spreads them. Memory that is page-locked already goes the plain way. The last of the runtime's
//! doors to unsafe code.

use super::driver::{Direction, Pinned, Stream, is_pinned};
use crate::device::cpu;
use crate::error::Refusal;
use crate::options::Options;
use crate::transfer::Rows;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Size of one page-locked buffer.
const CHUNK: u64 = 16 << 20;
/// Below this a plain copy of one row is as good.
const SMALL: u64 = 1 << 20;
/// What one thread gathers at a time.
const PORTION: u64 = 256 << 10;
/// Gathering needs no more threads than fill the bus.
const MOST_THREADS: usize = 16;
/// The driver copies rows that lie at most this far apart in one call.
const MOST_PITCH: u64 = i32::MAX as u64;

/// Buffers that take turns: one that threads work on, and others so that the bus never waits for them.
const RING: usize = 4;

/// The buffers of each device that has been opened.
static BUFFERS: Mutex<Vec<(i32, [Pinned; RING])>> = Mutex::new(Vec::new());

/// Bytes `skip..skip + len` of each of `count` rows from row `first` on. More than one row: all of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chunk {
    first: u64,
    count: u64,
    skip: u64,
    len: u64,
}

/// Copies rows. To the device: the program's memory has been read at the latest when the stream has been waited for. To
/// the host: it has been written on return.
pub fn copy(
    stream: &Stream,
    ordinal: i32,
    rows: &Rows,
    direction: Direction,
) -> Result<(), Refusal> {
    if (rows.levels == 0 && rows.bytes < SMALL) || is_pinned(rows.host) {
        return plain(stream, rows, direction);
    }
    prepare(ordinal)?;
    let buffers = BUFFERS.lock().unwrap_or_else(|e| e.into_inner());
    let Some((_, ring)) = buffers.iter().find(|(o, _)| *o == ordinal) else { return Ok(()) };
    Copy { rows, direction, image: is_image(rows, direction) }.run(stream, ring)
}

/// Allocates a device's buffers, unless it has them.
pub fn prepare(ordinal: i32) -> Result<(), Refusal> {
    let mut buffers = BUFFERS.lock().unwrap_or_else(|e| e.into_inner());
    if !buffers.iter().any(|(o, _)| *o == ordinal) {
        let buffer = || Pinned::new(CHUNK as usize);
        buffers.push((ordinal, [buffer()?, buffer()?, buffer()?, buffer()?]));
    }
    Ok(())
}

/// The driver's own copies, straight from and to the program's memory.
fn plain(stream: &Stream, rows: &Rows, direction: Direction) -> Result<(), Refusal> {
    for plane in rows.planes() {
        let pitch = plane.innermost();
        let whole = pitch.host <= MOST_PITCH && pitch.device <= MOST_PITCH;
        for part in 0..if whole { 1 } else { plane.count() } {
            let part = if whole { plane } else { plane.row(part) };
            let host = (part.host as *mut u8, pitch.host);
            // SAFETY: the guard has found these rows inside the program's arrays, and the device buffer spans them;
            // the stream is waited for before either can go.
            unsafe {
                stream.copy(
                    direction,
                    host,
                    (part.device, pitch.device),
                    part.bytes,
                    part.count(),
                )?;
            }
        }
    }
    // The program's memory stays as it is until the nest's launches are complete; only the way back must wait.
    match direction {
        Direction::ToDevice => Ok(()),
        Direction::ToHost => stream.finish("copying from the CUDA device"),
    }
}

/// True if the buffers may be images of device memory: what lies between rows is little, and may be overwritten.
fn is_image(rows: &Rows, direction: Direction) -> bool {
    let allowed = rows.loose || direction == Direction::ToHost;
    allowed && rows.device_span(0, rows.count() - 1) <= 2 * rows.total()
}

/// Rows in pieces that fit a buffer: as many whole rows as do, or parts of one.
fn chunks(rows: &Rows, image: bool) -> impl Iterator<Item = Chunk> + '_ {
    let (mut first, mut skip) = (0, 0);
    std::iter::from_fn(move || {
        if first == rows.count() {
            return None;
        }
        if rows.bytes > CHUNK {
            let chunk = Chunk { first, count: 1, skip, len: CHUNK.min(rows.bytes - skip) };
            skip += chunk.len;
            if skip == rows.bytes {
                (first, skip) = (first + 1, 0);
            }
            return Some(chunk);
        }
        let chunk = Chunk { first, count: fitting(rows, first, image), skip: 0, len: rows.bytes };
        first += chunk.count;
        Some(chunk)
    })
}

/// How many rows from `first` on fit a buffer.
fn fitting(rows: &Rows, first: u64, image: bool) -> u64 {
    let left = rows.count() - first;
    if !image {
        return (CHUNK / rows.bytes).min(left);
    }
    // Distances grow with the row.
    let (mut fits, mut exceeds) = (1, left + 1);
    while exceeds - fits > 1 {
        let middle = fits + (exceeds - fits) / 2;
        if rows.device_span(first, first + middle - 1) <= CHUNK {
            fits = middle;
        } else {
            exceeds = middle;
        }
    }
    fits
}

/// Gathers bytes of the chunk of this index, from the first number up to the second.
type Work<'a> = dyn Fn(usize, u64, u64) + Sync + 'a;

/// The portions of all chunks in order. Several threads take them, as far as chunks are open: their buffers are free to
/// be filled, or full.
struct Line {
    chunks: Vec<Chunk>,
    /// Number of portions up to the end of each chunk.
    ends: Vec<u64>,
    open: AtomicUsize,
    next: AtomicU64,
    /// Portions of each chunk that are finished.
    done: Vec<AtomicU64>,
    closed: AtomicBool,
}

impl Line {
    fn new(chunks: Vec<Chunk>) -> Line {
        let portions = |c: &Chunk| (c.count * c.len).div_ceil(PORTION);
        let ends = chunks.iter().scan(0, |end, c| {
            *end += portions(c);
            Some(*end)
        });
        Line {
            ends: ends.collect(),
            open: AtomicUsize::new(0),
            next: AtomicU64::new(0),
            done: chunks.iter().map(|_| AtomicU64::new(0)).collect(),
            closed: AtomicBool::new(false),
            chunks,
        }
    }

    fn portions(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Lets the first `chunks` chunks be worked on.
    fn open(&self, chunks: usize) {
        self.open.store(chunks, Ordering::Release);
    }

    /// Sends all away who wait for more.
    fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Works on a portion; false if none is open.
    fn take(&self, work: &Work) -> bool {
        let next = self.next.load(Ordering::Relaxed);
        let chunk = self.ends.partition_point(|&end| end <= next);
        if chunk >= self.open.load(Ordering::Acquire) {
            return false;
        }
        let ours = self.next.compare_exchange(next, next + 1, Ordering::Relaxed, Ordering::Relaxed);
        if ours.is_ok() {
            let start = (next - self.before(chunk)) * PORTION;
            let total = self.chunks[chunk].count * self.chunks[chunk].len;
            work(chunk, start, (start + PORTION).min(total));
            self.done[chunk].fetch_add(1, Ordering::Release);
        }
        true
    }

    /// Number of portions before a chunk.
    fn before(&self, chunk: usize) -> u64 {
        chunk.checked_sub(1).map_or(0, |c| self.ends[c])
    }

    /// Takes portions until there are no more.
    fn work(&self, work: &Work) {
        while self.next.load(Ordering::Relaxed) < self.portions()
            && !self.closed.load(Ordering::Acquire)
        {
            if !self.take(work) {
                std::thread::yield_now();
            }
        }
    }

    /// Takes portions until a chunk, which is open, is finished.
    fn help(&self, chunk: usize, work: &Work) {
        let all = self.ends[chunk] - self.before(chunk);
        while self.done[chunk].load(Ordering::Acquire) < all {
            if !self.take(work) {
                std::hint::spin_loop();
            }
        }
    }
}

/// One copy through the buffers.
struct Copy<'a> {
    rows: &'a Rows,
    direction: Direction,
    image: bool,
}

impl Copy<'_> {
    /// Moves everything through the ring: this thread talks to the driver and helps where it can, others gather.
    fn run(&self, stream: &Stream, ring: &[Pinned; RING]) -> Result<(), Refusal> {
        let line = Line::new(chunks(self.rows, self.image).collect());
        let work = |chunk: usize, start: u64, end: u64| {
            self.gather(line.chunks[chunk], start, end, &ring[chunk % RING]);
        };
        let talk = || match self.direction {
            Direction::ToDevice => self.up(stream, ring, &line, &work),
            Direction::ToHost => self.down(stream, ring, &line, &work),
        };
        let all = Options::of_process().thread_count();
        let threads = all.min(MOST_THREADS).min(usize::try_from(line.portions()).unwrap_or(1));
        if threads <= 1 {
            return talk();
        }
        cpu::beside(all, |scope| {
            for _ in 1..threads {
                scope.spawn(|_| line.work(&work));
            }
            let result = talk();
            line.close();
            result
        })?
    }

    fn up(
        &self,
        stream: &Stream,
        ring: &[Pinned; RING],
        line: &Line,
        work: &Work,
    ) -> Result<(), Refusal> {
        let mut open = 0;
        for (i, chunk) in line.chunks.iter().enumerate() {
            // The next one too, so that nobody waits while this one is queued.
            while open < line.chunks.len().min(i + 2) {
                ring[open % RING].wait()?;
                open += 1;
                line.open(open);
            }
            line.help(i, work);
            self.queue(stream, *chunk, &ring[i % RING])?;
            ring[i % RING].record(stream)?;
        }
        Ok(())
    }

    fn down(
        &self,
        stream: &Stream,
        ring: &[Pinned; RING],
        line: &Line,
        work: &Work,
    ) -> Result<(), Refusal> {
        let ask = |i: usize| match line.chunks.get(i) {
            Some(chunk) => {
                self.queue(stream, *chunk, &ring[i % RING])?;
                ring[i % RING].record(stream)
            }
            None => Ok(()),
        };
        (0..RING).try_for_each(ask)?;
        for i in 0..line.chunks.len() {
            ring[i % RING].wait()?;
            line.open(i + 1);
            line.help(i, work);
            ask(i + RING)?;
        }
        Ok(())
    }

    /// Where a row of a chunk lies in its buffer.
    fn within(&self, chunk: Chunk, row: u64) -> u64 {
        if self.image {
            self.rows.offsets(row).1 - self.rows.offsets(chunk.first).1
        } else {
            (row - chunk.first) * chunk.len
        }
    }

    /// Queues the copies between a buffer and the device.
    fn queue(&self, stream: &Stream, chunk: Chunk, buffer: &Pinned) -> Result<(), Refusal> {
        let last = chunk.first + chunk.count - 1;
        let device = |row: u64| self.rows.device + self.rows.offsets(row).1 + chunk.skip;
        let copy = |row: u64, rows: u64, pitch: u64, bytes: u64| {
            let host = (buffer.start + self.within(chunk, row) as usize) as *mut u8;
            // SAFETY: the chunk fits the buffer, which is kept for good, and lies between rows that the device buffer
            // spans.
            unsafe {
                stream.copy(self.direction, (host, chunk.len), (device(row), pitch), bytes, rows)
            }
        };
        if self.image || chunk.count == 1 {
            let bytes = self.within(chunk, last) + chunk.len;
            return copy(chunk.first, 1, 0, bytes);
        }
        let group = self.rows.innermost();
        let mut row = chunk.first;
        while row <= last {
            let inside = (group.count - row % group.count).min(last + 1 - row);
            let rows = if group.device <= MOST_PITCH { inside } else { 1 };
            copy(row, rows, group.device, chunk.len)?;
            row += rows;
        }
        Ok(())
    }

    /// Copies the bytes `start..end` of a chunk, counted over its rows without gaps.
    fn gather(&self, chunk: Chunk, start: u64, end: u64, buffer: &Pinned) {
        let mut at = start;
        while at < end {
            let (row, within) = (chunk.first + at / chunk.len, at % chunk.len);
            let len = (chunk.len - within).min(end - at) as usize;
            let host = self.rows.host + self.rows.offsets(row).0 + chunk.skip + within;
            let staged = buffer.start as u64 + self.within(chunk, row) + within;
            let (host, staged) = (host as *mut u8, staged as *mut u8);
            // SAFETY: the guard has found the row inside one of the program's arrays, the chunk fits the buffer, and
            // no two portions share a byte.
            unsafe {
                match self.direction {
                    Direction::ToDevice => std::ptr::copy_nonoverlapping(host, staged, len),
                    Direction::ToHost => std::ptr::copy_nonoverlapping(staged, host, len),
                }
            }
            at += len as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::footprint::MAX_DIMS;
    use crate::transfer::Repeat;

    fn rows(bytes: u64, levels: &[(u64, u64)]) -> Rows {
        let mut repeat = [Repeat::default(); MAX_DIMS];
        for (r, &(count, device)) in repeat.iter_mut().zip(levels) {
            *r = Repeat { count, host: 2 * device, device };
        }
        Rows { host: 0, device: 0, bytes, repeat, levels: levels.len(), loose: true }
    }

    fn cut(rows: &Rows, image: bool) -> Vec<(u64, u64, u64, u64)> {
        chunks(rows, image).map(|c| (c.first, c.count, c.skip, c.len)).collect()
    }

    const MEGA: u64 = 1 << 20;

    #[test]
    fn packed_chunks_are_whole_rows_or_parts_of_one() {
        assert_eq!(cut(&rows(100, &[(3, 200)]), false), [(0, 3, 0, 100)]);
        let five = 5 * MEGA;
        assert_eq!(cut(&rows(five, &[(4, 2 * five)]), false), [(0, 3, 0, five), (3, 1, 0, five)]);
        let (twenty, sixteen, four) = (20 * MEGA, 16 * MEGA, 4 * MEGA);
        assert_eq!(
            cut(&rows(twenty, &[(2, 2 * twenty)]), false),
            [(0, 1, 0, sixteen), (0, 1, sixteen, four), (1, 1, 0, sixteen), (1, 1, sixteen, four)]
        );
    }

    #[test]
    fn every_byte_is_gathered_once_and_not_before_its_chunk_is_open() {
        let (twenty, two) = (20 * MEGA, 2 * MEGA);
        let line = Line::new(chunks(&rows(twenty + 1, &[(2, twenty + two)]), false).collect());
        let (open, bytes) = (AtomicUsize::new(0), AtomicU64::new(0));
        let work = |chunk: usize, start: u64, end: u64| {
            assert!(chunk < open.load(Ordering::SeqCst) && start < end);
            bytes.fetch_add(end - start, Ordering::SeqCst);
        };
        assert!(!line.take(&work));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| line.work(&work));
            }
            for i in 0..line.chunks.len() {
                open.store(i + 1, Ordering::SeqCst);
                line.open(i + 1);
                line.help(i, &work);
            }
        });
        assert_eq!(bytes.into_inner(), 2 * (twenty + 1));
        // Closed, nobody waits for what is not open.
        let line = Line::new(chunks(&rows(twenty, &[]), false).collect());
        line.close();
        line.work(&|_, _, _| panic!("not open"));
    }

    #[test]
    fn images_fit_a_buffer_with_what_lies_between_rows() {
        let five = rows(5 * MEGA, &[(4, 6 * MEGA)]);
        assert_eq!(cut(&five, true), [(0, 2, 0, 5 * MEGA), (2, 2, 0, 5 * MEGA)]);
        // Two planes of three rows: 2 MiB apart, 7 MiB from plane to plane; a chunk goes on in the next plane.
        let planes = rows(MEGA, &[(3, 7 * MEGA), (3, 2 * MEGA)]);
        assert_eq!(cut(&planes, true), [(0, 7, 0, MEGA), (7, 2, 0, MEGA)]);
    }

    #[test]
    fn only_close_rows_become_images_and_uploads_only_where_gaps_are_free() {
        let (close, far) = (rows(100, &[(50, 128)]), rows(8, &[(50, 128)]));
        let exact = Rows { loose: false, ..close };
        for (rows, direction, image) in [
            (close, Direction::ToDevice, true),
            (exact, Direction::ToDevice, false),
            (exact, Direction::ToHost, true),
            (far, Direction::ToDevice, false),
            (far, Direction::ToHost, false),
        ] {
            assert_eq!(is_image(&rows, direction), image, "{rows:?} {direction:?}");
        }
    }
}
