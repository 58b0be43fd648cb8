//! A sum that goes through chunks of terms at once, and is to the last bit what adding them up one after the other gives.
//!
//! Consumes what each chunk does to a sum that comes to it with a guessed sign and exponent ([`Passage`]), whoever has
//! found it; produces the sum, and the guesses for what is left ([`Walk`]). Refuses nothing: chunks in which the exponent
//! changes, or in which a guess was wrong, are added up term by term.
//!
//! Why that is exact. Between 2^k and 2^(k+1) numbers lie at equal distances u. An addition there rounds to a multiple of
//! u, to the even one of two that are equally near; so of two sums that differ by a multiple of 2u, and neither of which
//! leaves that range, the same term makes two that differ by as much. A chunk that two sums have gone through, one that
//! began with an even mantissa and one with an odd, tells of every sum of that exponent where it goes, as long as it stays
//! between the two powers: how far below and above its start it has been on the way is told too. Bits of numbers of one
//! sign and exponent count in u: all of this is done with whole numbers.
//!
//! The same holds of one product rounded together with its addition.

/// Terms of a chunk; the last one of a sum may have fewer.
pub const TERMS: usize = 1024;

/// Rounds of guesses for one sum, at most.
const ROUNDS: usize = 12;

/// Chunks in which the first terms of a sum change its exponent over and over.
const FEW: usize = 16;

/// How many times as much a chunk adds as a guess is off.
const NEAR: f64 = 64.0;

/// A start of which nothing is asked.
pub const NONE: u64 = 0;

/// What a chunk does to a sum of a sign and exponent, in bits of its magnitude.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passage {
    /// How far a sum moves that begins with an even mantissa.
    pub even: i64,
    /// And with an odd one.
    pub odd: i64,
    /// How far down a sum has been, or further: zero or less.
    pub lowest: i64,
    /// How far up, or further: zero or more.
    pub highest: i64,
}

/// Further than any sum of one exponent moves.
const FAR: i64 = 1 << 62;

impl Passage {
    /// To there from an even and from an odd mantissa, and from the even one along these places. On the way two such sums
    /// differ by none, one or two units: a sum from an odd mantissa has moved one further at most.
    pub fn along(even: i64, odd: i64, ways: [i64; 2]) -> Passage {
        let lowest = even.min(ways[0]).min(ways[1]).min(0) - 1;
        let highest = even.max(ways[0]).max(ways[1]).max(0) + 1;
        Passage { even, odd, lowest, highest }
    }

    /// One part of a chunk after another. Either has been gone through from the middle of the range: where it left that, so
    /// must both together.
    pub fn then(self, next: Passage) -> Passage {
        let through = |moved: i64, odd: i64| {
            let further = if (moved + odd) & 1 == 0 { next.even } else { next.odd };
            moved.saturating_add(further)
        };
        let (even, odd) = (through(self.even, 0), through(self.odd, 1));
        let (least, most) = (self.even.min(self.odd), self.even.max(self.odd));
        Passage {
            even,
            odd,
            lowest: self.lowest.min(next.lowest).min(least.saturating_add(next.lowest)),
            highest: self.highest.max(next.highest).max(most.saturating_add(next.highest)),
        }
    }
}

/// How numbers are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bits of a mantissa.
    mantissa: u32,
    sign: u64,
    /// Exponents (as they are stored) between which chunks are gone through at once.
    exponents: (u64, u64),
}

impl Layout {
    pub fn of(wide: bool) -> Layout {
        match wide {
            true => Layout { mantissa: 52, sign: 1 << 63, exponents: (100, 2000) },
            false => Layout { mantissa: 23, sign: 1 << 31, exponents: (20, 250) },
        }
    }

    /// How far from one number to the other, in bits of their magnitudes; very far if the sign has changed, or into a NaN.
    pub fn moved(self, from: u64, to: u64) -> i64 {
        if (from ^ to) & self.sign != 0 {
            return -FAR;
        }
        (to & !self.sign) as i64 - (from & !self.sign) as i64
    }

    fn value(self, bits: u64) -> f64 {
        match self.mantissa {
            52 => f64::from_bits(bits),
            _ => f64::from(f32::from_bits(bits as u32)),
        }
    }

    /// As a number of this layout, near enough.
    fn bits(self, value: f64) -> u64 {
        match self.mantissa {
            52 => value.to_bits(),
            _ => u64::from((value as f32).to_bits()),
        }
    }

    /// Sign and exponent.
    fn binade(self, bits: u64) -> u64 {
        bits >> self.mantissa
    }

    /// The number half-way up that has this one's sign and exponent; [`NONE`] near the ends of what exponents can say.
    fn middle(self, bits: u64) -> u64 {
        let exponent = self.binade(bits & !self.sign);
        if exponent < self.exponents.0 || exponent > self.exponents.1 {
            return NONE;
        }
        self.binade(bits) << self.mantissa | 1 << (self.mantissa - 1)
    }

    /// The distance between numbers of this sign and exponent.
    fn unit(self, start: u64) -> f64 {
        let bits = start & !self.sign;
        self.value(bits + 1) - self.value(bits)
    }

    /// Where a sum comes to, from a number of the exponent and sign of `start`, with which the chunk was gone through.
    /// `None` where it might leave that range on the way.
    fn follow(self, sum: u64, start: u64, passage: Passage) -> Option<u64> {
        if start == NONE || self.binade(sum) != self.binade(start) || !self.is_sound(passage) {
            return None;
        }
        let magnitude = (sum & !self.sign) as i64;
        let below = magnitude >> self.mantissa << self.mantissa;
        let above = below + (1 << self.mantissa);
        if magnitude + passage.lowest <= below || magnitude + passage.highest >= above {
            return None;
        }
        let moved = if sum & 1 == 0 { passage.even } else { passage.odd };
        Some(sum & self.sign | (magnitude + moved) as u64)
    }

    /// The sums that the passage was found with have not left their range either.
    fn is_sound(self, passage: Passage) -> bool {
        let half = 1i64 << (self.mantissa - 1);
        passage.lowest > 2 - half && passage.highest < half - 2
    }
}

/// Why a sum could not go on.
enum Stop {
    /// It has another exponent, or sign, than was guessed.
    Guess,
    /// Its terms have to be added up one after the other, and are not at hand.
    Terms,
}

/// One sum on its way.
#[derive(Debug)]
pub struct Walk {
    layout: Layout,
    sum: u64,
    /// Chunks behind it.
    done: usize,
    /// About how much each chunk adds, and how far down and up a sum goes there.
    about: Vec<f64>,
    reach: Vec<[f64; 2]>,
    /// Of each chunk that is still to come, where it is gone through from; empty before the first guess.
    starts: Vec<u64>,
    /// Chunks that are to be added up term by term whatever is guessed.
    alone: Vec<bool>,
    /// How many have been.
    lone: usize,
    rounds: usize,
}

impl Walk {
    /// From `sum` through chunks whose terms add up to about `about`.
    pub fn new(wide: bool, sum: u64, about: Vec<f64>) -> Walk {
        let alone = vec![false; about.len()];
        let layout = Layout::of(wide);
        // What ends near the end of a range is taken to leave it.
        let reach = |a: &f64| [a.min(0.0) - a.abs() / NEAR, a.max(0.0) + a.abs() / NEAR];
        let reach = about.iter().map(reach).collect();
        Walk { layout, sum, done: 0, about, reach, starts: Vec::new(), alone, lone: 0, rounds: 0 }
    }

    /// The sum so far.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    pub fn is_done(&self) -> bool {
        self.done == self.about.len()
    }

    /// Most chunks have been gone through at once.
    pub fn went_well(&self) -> bool {
        self.lone <= FEW + self.about.len() / 2
    }

    /// Guesses have been wrong too often.
    pub fn is_lost(&self) -> bool {
        !self.is_done() && self.rounds > ROUNDS
    }

    /// For each chunk the number that it is to be gone through from; [`NONE`] where nothing is wanted, or its terms are
    /// ([`Walk::lone`]).
    pub fn starts(&mut self) -> &[u64] {
        let mut at = self.layout.value(self.sum);
        self.starts.clear();
        self.starts.resize(self.done, NONE);
        for chunk in self.done..self.about.len() {
            let [low, high] = self.reach[chunk].map(|reach| self.layout.bits(at + reach));
            let same = self.layout.binade(low) == self.layout.binade(high) && !self.alone[chunk];
            self.starts.push(if same { self.layout.middle(low) } else { NONE });
            at += self.about[chunk];
        }
        self.rounds += 1;
        &self.starts
    }

    /// Chunks that are to be added up one term after the other, as it is guessed.
    pub fn lone(&self) -> impl Iterator<Item = usize> + '_ {
        (self.done..self.about.len()).filter(|&c| self.starts[c] == NONE)
    }

    /// As far as the guesses hold: what becomes of a sum in each chunk, if it was asked for, and the sum behind the terms
    /// of a chunk, if these are at hand.
    pub fn go(
        &mut self,
        passage: impl Fn(usize) -> Passage,
        mut term_by_term: impl FnMut(usize, u64) -> Option<u64>,
    ) {
        while !self.is_done() {
            let chunk = self.done;
            let next = match self.through(chunk, &passage) {
                Ok(sum) => Ok(sum),
                // One more guess costs as much as many chunks.
                Err(Stop::Guess) if self.rounds <= ROUNDS => Err(Stop::Guess),
                Err(_) => {
                    self.lone += 1;
                    term_by_term(chunk, self.sum).ok_or(Stop::Terms)
                }
            };
            match next {
                Ok(sum) => self.sum = sum,
                Err(stop) => {
                    self.alone[chunk] |= matches!(stop, Stop::Terms);
                    return self.learn(passage);
                }
            }
            self.done += 1;
        }
    }

    fn through(&self, chunk: usize, passage: &impl Fn(usize) -> Passage) -> Result<u64, Stop> {
        let start = self.starts[chunk];
        if start == NONE {
            return Err(Stop::Terms);
        }
        let stop = match self.layout.binade(start) == self.layout.binade(self.sum) {
            true => Stop::Terms,
            false => Stop::Guess,
        };
        self.layout.follow(self.sum, start, passage(chunk)).ok_or(stop)
    }

    /// Takes what chunks have done to guesses as what they do about; those that have led out of the range will again.
    fn learn(&mut self, passage: impl Fn(usize) -> Passage) {
        for chunk in self.done..self.about.len() {
            let start = self.starts[chunk];
            let passage = if start == NONE { continue } else { passage(chunk) };
            if !self.layout.is_sound(passage) {
                self.alone[chunk] = true;
                continue;
            }
            let unit = self.layout.unit(start);
            let [even, lowest, highest] =
                [passage.even, passage.lowest, passage.highest].map(|moved| moved as f64 * unit);
            let positive = start & self.layout.sign == 0;
            self.about[chunk] = if positive { even } else { -even };
            self.reach[chunk] = if positive { [lowest, highest] } else { [-highest, -lowest] };
        }
    }
}
