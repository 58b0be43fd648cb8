//! How fast a GPU is: measured ([`super::calibrate`]) and kept in the file of `HEXPASS_CALIBRATION`, or guessed from
//! what the driver says of it.

use super::driver::{self, Attributes};
use super::fallen_to;
use crate::device::Profile;
use crate::error::{Reason, Refusal};
use crate::options::Options;
use hexpass_abi::Machine;
use std::sync::Mutex;

/// What is known of each GPU, by ordinal.
static KNOWN: Mutex<Vec<(i32, Profile)>> = Mutex::new(Vec::new());

/// The GPU of this ordinal, or the one that falls to this process.
pub fn profile(ordinal: Option<u32>, _options: &Options) -> Result<Profile, Refusal> {
    let count = driver::device_count()?;
    let ordinal = match ordinal {
        None => fallen_to(count),
        Some(n) if i64::from(n) < i64::from(count) => n as i32,
        Some(n) => {
            let message = format!("there is no CUDA device {n}: their number is {count}, from 0");
            return Err(Refusal::new(Reason::NoDevice, message));
        }
    };
    let mut known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    if let Some((_, profile)) = known.iter().find(|(o, _)| *o == ordinal) {
        return Ok(profile.clone());
    }
    let (name, capability) = driver::describe(ordinal)?;
    let machine = guess(&driver::attributes(ordinal)?, capability);
    let profile = Profile { name, machine };
    known.push((ordinal, profile.clone()));
    Ok(profile)
}

/// Part of the theoretical rate of memory that kernels reach.
const REACHED: f64 = 0.87;

/// A machine from its attributes: what the driver does not say is scaled from the one that was measured.
pub fn guess(a: &Attributes, capability: u32) -> Machine {
    let model = Machine::h200();
    let clock = f64::from(a.clock_khz) * 1e3;
    let scale = |rate: f64| rate * clock * model.cycle;
    let whole = |rate: f64| scale(rate) * f64::from(a.units) / f64::from(model.units);
    // Two transfers a cycle, `bus_bits` wide.
    let memory = 2.0 * f64::from(a.memory_clock_khz) * 1e3 * f64::from(a.bus_bits) / 8.0;
    // Doubles: half the rate of floats on the large chips, a 32nd or less on others.
    let doubles = match capability {
        60 | 70 | 80 | 90 | 100 | 103 => scale(model.doubles),
        _ => scale(model.instructions) / 64.0,
    };
    Machine {
        units: a.units,
        threads: a.threads,
        blocks: a.blocks,
        registers: a.registers,
        shared_bytes: a.shared_bytes,
        block_shared_bytes: a.block_shared_bytes,
        cache_bytes: u64::from(a.cache_bytes),
        cycle: 1.0 / clock,
        memory: memory * REACHED,
        cache: whole(model.cache),
        instructions: scale(model.instructions),
        doubles,
        special: scale(model.special),
        shuffles: scale(model.shuffles),
        words: scale(model.words),
        barrier: model.barrier.map(|s| s / (clock * model.cycle)),
        ..model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_at_the_measured_one_is_close() {
        let a = Attributes {
            units: 132,
            threads: 2048,
            blocks: 32,
            registers: 65536,
            shared_bytes: 233_472,
            block_shared_bytes: 232_448,
            cache_bytes: 50 << 20,
            clock_khz: 1_980_000,
            memory_clock_khz: 3_201_000,
            bus_bits: 6144,
        };
        let (guess, measured) = (guess(&a, 90), Machine::h200());
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 0.05;
        assert!(close(guess.memory, measured.memory), "{}", guess.memory);
        assert!(close(guess.instructions, measured.instructions));
        assert!(close(guess.doubles, measured.doubles));
        assert_eq!(Machine { memory: measured.memory, ..guess.clone() }.units, measured.units);
        let small = super::guess(&Attributes { units: 20, clock_khz: 990_000, ..a }, 86);
        assert!(small.doubles < small.instructions / 30.0);
        assert!(close(small.cache, measured.cache * 20.0 / 132.0 / 2.0));
    }
}
