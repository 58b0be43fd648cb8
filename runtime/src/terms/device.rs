//! Sums on a device, where their terms are: what comes home are a few words for each chunk.
//!
//! Sums of several steps go on together: kernels tell what their chunks are about, guesses are made of that here, kernels tell
//! what the chunks do to sums like these, and copy together the terms of those that a sum can't go through at once
//! ([`super::chunks`]).

use super::chunks::{NONE, TERMS, Walk};
use super::in_order::abreast;
use super::real::{Numbers, Real};
use crate::device::Device;
use crate::device::tools::sums::{self, PLACES, Sums, WORDS};
use crate::error::Refusal;
use crate::footprint::Cuboid;
use crate::transfer::{Rows, Side};

/// Chunks whose terms are copied together for each sum, and one more for so many of its chunks: a sum of terms of both
/// signs changes its exponent often.
const LONE: u64 = 24;
const LONE_OF: u64 = 3;

/// The terms of several steps, an array each.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    pub sums: Sums,
    pub terms: sums::Terms,
    pub arrays: u64,
}

impl Steps {
    fn chunks(&self) -> u64 {
        self.terms.chunks() * self.arrays
    }

    fn places(&self) -> u64 {
        let chunks = self.terms.chunks();
        let each = (LONE + chunks / LONE_OF).min(chunks);
        (each * self.arrays).min(PLACES - 1)
    }

    /// Bytes of terms that a place has room for.
    fn place(&self) -> u64 {
        TERMS as u64 * self.sums.elem.size()
    }

    /// Bytes that [`Steps::add_up`] works in.
    pub fn room(&self) -> u64 {
        (2 + WORDS as u64) * 8 * self.chunks() + 2 * self.places() * self.place()
    }

    /// The sums from `initial` on, with so many bytes at `room`; `None` where guesses would not do. Bytes that came home.
    pub fn add_up(
        &self,
        device: &mut dyn Device,
        initial: u64,
        room: u64,
    ) -> Result<(Option<Vec<u64>>, u64), Refusal> {
        let bytes = 8 * self.chunks();
        let (starts, words) = (room + bytes, room + 2 * bytes);
        let copies = words + WORDS as u64 * bytes;
        let (blocks, wide) = (self.terms.blocks(self.arrays), self.sums.elem.size() == 8);
        let params = self.terms.params(room, 0, [0; 2]);
        device.tool(&self.sums.about(), blocks, &params)?;
        let about = fetch(device, room, self.chunks())?;
        let of_step = about.chunks(self.terms.chunks().max(1) as usize);
        let new = |about: &[u64]| {
            Walk::new(wide, initial, about.iter().map(|&word| f64::from_bits(word)).collect())
        };
        let mut walks: Vec<Walk> = of_step.map(new).collect();
        walks.resize_with(self.arrays as usize, || new(&[]));
        let mut home = bytes;
        while !walks.iter().all(Walk::is_done) {
            if walks.iter().any(Walk::is_lost) {
                return Ok((None, home));
            }
            let (asked, places) = self.ask(&mut walks);
            send(device, starts, &asked)?;
            let copied = places * self.place();
            let params = self.terms.params(words, starts, [copies, copies + copied]);
            device.tool(&self.sums.passages(), blocks, &params)?;
            // What chunks do, and the terms and factors behind it.
            let lists = if self.sums.fused { 2 } else { 1 };
            let told = fetch(device, words, WORDS as u64 * self.chunks() + lists * copied / 8)?;
            home += 8 * told.len() as u64;
            let (told, terms) = told.split_at(WORDS * self.chunks() as usize);
            let (terms, factors) = terms.split_at(copied as usize / 8);
            let at_hand = AtHand { terms, factors: self.sums.fused.then_some(factors) };
            match wide {
                true => self.go::<f64>(&mut walks, &asked, told, at_hand),
                false => self.go::<f32>(&mut walks, &asked, told, at_hand),
            }
        }
        Ok((Some(walks.iter().map(Walk::sum).collect()), home))
    }

    /// What each chunk is to be asked, and how many terms' places are taken.
    fn ask(&self, walks: &mut [Walk]) -> (Vec<u64>, u64) {
        let mut places = 0;
        let mut asked = Vec::with_capacity(self.chunks() as usize);
        for walk in walks {
            let first = asked.len();
            if walk.is_done() {
                asked.resize(first + self.terms.chunks() as usize, NONE);
                continue;
            }
            asked.extend_from_slice(walk.starts());
            for chunk in walk.lone().take((self.places() - places) as usize) {
                places += 1;
                asked[first + chunk] = places;
            }
        }
        (asked, places)
    }

    fn go<R: Real>(&self, walks: &mut [Walk], asked: &[u64], told: &[u64], at_hand: AtHand) {
        let (chunks, count) = (self.terms.chunks() as usize, self.terms.total as usize);
        for (step, walk) in walks.iter_mut().enumerate() {
            let first = step * chunks;
            let passage = |chunk: usize| {
                let word = (first + chunk) * WORDS;
                self.sums.passage([told[word], told[word + 1]])
            };
            walk.go(passage, |chunk, sum| {
                let place = asked[first + chunk];
                if place == NONE || place >= PLACES {
                    return None;
                }
                let from = (place - 1) as usize * TERMS;
                let part = from..from + TERMS.min(count - chunk * TERMS);
                let terms = at_hand.numbers::<R>().part(part);
                Some(abreast::<R, 1>([terms], [R::from_bits(sum)])[0].to_bits())
            });
        }
    }
}

/// Terms that were copied together.
#[derive(Clone, Copy)]
struct AtHand<'a> {
    terms: &'a [u64],
    factors: Option<&'a [u64]>,
}

impl<'a> AtHand<'a> {
    fn numbers<R: Real>(self) -> Numbers<'a, R> {
        Numbers { terms: R::of(self.terms), factors: self.factors.map(R::of) }
    }
}

/// Words side by side, here and on the device.
fn rows(here: u64, there: u64, words: usize) -> Option<Rows> {
    let all = Cuboid::new(&[(0, words as i64 - 1)])?;
    let side = |origin| Side { origin, strides: &[8] };
    Some(Rows::of(&all, 8, side(here), side(there)))
}

fn fetch(device: &mut dyn Device, at: u64, words: u64) -> Result<Vec<u64>, Refusal> {
    let mut found = vec![0u64; words as usize];
    if let Some(rows) = rows(found.as_mut_ptr() as u64, at, found.len()) {
        device.download(&rows)?;
    }
    Ok(found)
}

fn send(device: &mut dyn Device, at: u64, words: &[u64]) -> Result<(), Refusal> {
    match rows(words.as_ptr() as u64, at, words.len()) {
        Some(rows) => device.upload(&rows),
        None => Ok(()),
    }
}
