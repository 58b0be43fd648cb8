//! Copies between ordinary memory and a GPU through page-locked buffers, at the speed of the bus.
//!
//! Rows are packed into one buffer by several threads while the device reads or fills the other. Small copies and
//! memory that is page-locked already go the plain way. The last of the runtime's doors to unsafe code.

use super::driver::{Direction, Pinned, Stream, is_pinned};
use crate::device::cpu;
use crate::error::Refusal;
use crate::transfer::Rows;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Size of one page-locked buffer.
const CHUNK: u64 = 16 << 20;
/// Below this a plain copy is as good.
const SMALL: u64 = 1 << 20;
/// What one thread packs at a time.
const PORTION: u64 = 512 << 10;
/// Packing needs no more threads than fill the bus.
const MOST_THREADS: usize = 8;

/// Two buffers for each device that has copied.
static BUFFERS: Mutex<Vec<(i32, [Pinned; 2])>> = Mutex::new(Vec::new());

/// Rows with at most one level, as one stretch of packed bytes `from..from + len`.
#[derive(Clone, Copy)]
struct Chunk {
    from: u64,
    len: u64,
}

/// Copies rows of at most one level. To the device: the program's memory has been read at the latest when the stream
/// has been waited for. To the host: it has been written on return.
pub fn copy(
    stream: &Stream,
    ordinal: i32,
    rows: &Rows,
    direction: Direction,
) -> Result<(), Refusal> {
    if rows.total() < SMALL || is_pinned(rows.host) {
        // SAFETY: the guard has found these rows inside the program's arrays, and the device buffer spans them; the
        // stream is waited for before either can go.
        unsafe {
            let pitch = rows.repeat[0].1;
            let (host, device) = ((rows.host as *mut u8, pitch), (rows.device, pitch));
            stream.copy(direction, host, device, rows.bytes, rows.count())?;
        }
        // The program's memory stays as it is until the nest's launches are complete; only the way back must wait.
        return match direction {
            Direction::ToDevice => Ok(()),
            Direction::ToHost => stream.finish("copying from the CUDA device"),
        };
    }
    let mut buffers = BUFFERS.lock().unwrap_or_else(|e| e.into_inner());
    if !buffers.iter().any(|(o, _)| *o == ordinal) {
        let pair = [Pinned::new(CHUNK as usize)?, Pinned::new(CHUNK as usize)?];
        buffers.push((ordinal, pair));
    }
    let Some((_, pair)) = buffers.iter().find(|(o, _)| *o == ordinal) else { return Ok(()) };
    match direction {
        Direction::ToDevice => up(stream, pair, rows),
        Direction::ToHost => down(stream, pair, rows),
    }
}

/// The packed bytes cut so that each piece is whole rows, or part of one.
fn chunks(rows: &Rows) -> impl Iterator<Item = Chunk> + '_ {
    let whole = CHUNK / rows.bytes * rows.bytes;
    let step = if whole > 0 { whole } else { CHUNK };
    let mut from = 0;
    std::iter::from_fn(move || {
        let row_end = (from / rows.bytes + 1) * rows.bytes;
        let end = if whole > 0 { from + step } else { row_end.min(from + step) };
        let len = end.min(rows.total()) - from;
        let chunk = Chunk { from, len };
        from += len;
        (len > 0).then_some(chunk)
    })
}

fn up(stream: &Stream, pair: &[Pinned; 2], rows: &Rows) -> Result<(), Refusal> {
    for (i, chunk) in chunks(rows).enumerate() {
        let buffer = &pair[i % 2];
        buffer.wait()?;
        pack(rows, chunk, buffer, Direction::ToDevice)?;
        queue(stream, rows, chunk, buffer, Direction::ToDevice)?;
        buffer.record(stream)?;
    }
    Ok(())
}

fn down(stream: &Stream, pair: &[Pinned; 2], rows: &Rows) -> Result<(), Refusal> {
    let mut before: Option<(Chunk, &Pinned)> = None;
    for (i, chunk) in chunks(rows).enumerate() {
        let buffer = &pair[i % 2];
        buffer.wait()?;
        queue(stream, rows, chunk, buffer, Direction::ToHost)?;
        buffer.record(stream)?;
        if let Some((chunk, buffer)) = before.replace((chunk, buffer)) {
            buffer.wait()?;
            pack(rows, chunk, buffer, Direction::ToHost)?;
        }
    }
    if let Some((chunk, buffer)) = before {
        buffer.wait()?;
        pack(rows, chunk, buffer, Direction::ToHost)?;
    }
    Ok(())
}

/// Queues the copy between a packed buffer and the device.
fn queue(
    stream: &Stream,
    rows: &Rows,
    chunk: Chunk,
    buffer: &Pinned,
    direction: Direction,
) -> Result<(), Refusal> {
    let (row, within) = (chunk.from / rows.bytes, chunk.from % rows.bytes);
    let device = rows.device + rows.offset(row) + within;
    let bytes = chunk.len.min(rows.bytes);
    // SAFETY: the chunk fits the buffer, which is kept for good, and lies in rows that the device buffer spans.
    unsafe {
        let host = (buffer.start as *mut u8, rows.bytes);
        stream.copy(direction, host, (device, rows.repeat[0].1), bytes, chunk.len / bytes)
    }
}

/// Copies a chunk's rows into the packed buffer, or out of it, on several threads.
fn pack(rows: &Rows, chunk: Chunk, buffer: &Pinned, direction: Direction) -> Result<(), Refusal> {
    let all = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = all.min(MOST_THREADS).min(chunk.len.div_ceil(PORTION) as usize);
    let next = AtomicU64::new(0);
    let work = || {
        loop {
            let start = next.fetch_add(PORTION, Ordering::Relaxed);
            if start >= chunk.len {
                break;
            }
            pack_portion(rows, chunk, start, (start + PORTION).min(chunk.len), buffer, direction);
        }
    };
    if threads <= 1 {
        work();
        return Ok(());
    }
    cpu::within(crate::options::Options::of_process().thread_count(), || {
        rayon::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|_| work());
            }
            work();
        });
    })
}

/// Copies packed bytes `start..end` of a chunk.
fn pack_portion(
    rows: &Rows,
    chunk: Chunk,
    start: u64,
    end: u64,
    buffer: &Pinned,
    direction: Direction,
) {
    let mut at = start;
    while at < end {
        let (row, within) = ((chunk.from + at) / rows.bytes, (chunk.from + at) % rows.bytes);
        let len = (rows.bytes - within).min(end - at);
        let host = (rows.host + rows.offset(row) + within) as *mut u8;
        let packed = (buffer.start as u64 + at) as *mut u8;
        // SAFETY: the guard has found the row inside one of the program's arrays, the chunk fits the buffer, and no
        // two portions share a byte.
        unsafe {
            match direction {
                Direction::ToDevice => std::ptr::copy_nonoverlapping(host, packed, len as usize),
                Direction::ToHost => std::ptr::copy_nonoverlapping(packed, host, len as usize),
            }
        }
        at += len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::footprint::MAX_DIMS;

    fn cut(bytes: u64, count: u64) -> Vec<(u64, u64)> {
        let mut repeat = [(1, 0); MAX_DIMS];
        repeat[0] = (count, 2 * bytes);
        let rows = Rows { host: 0, device: 0, bytes, repeat, levels: 1 };
        chunks(&rows).map(|c| (c.from, c.len)).collect()
    }

    #[test]
    fn chunks_are_whole_rows_or_parts_of_one() {
        assert_eq!(cut(100, 3), [(0, 300)]);
        let mega = 1 << 20;
        assert_eq!(cut(5 * mega, 4), [(0, 15 * mega), (15 * mega, 5 * mega)]);
        assert_eq!(
            cut(20 * mega, 2),
            [(0, 16 * mega), (16 * mega, 4 * mega), (20 * mega, 16 * mega), (36 * mega, 4 * mega)]
        );
    }
}
