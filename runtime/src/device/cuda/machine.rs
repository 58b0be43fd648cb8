//! How fast a GPU is: measured ([`super::calibrate`]) and kept in the file of `HEXPASS_CALIBRATION`, or guessed from
//! what the driver says of it.

use super::driver::{self, Attributes};
use super::{calibrate as benchmarks, fallen_to};
use crate::device::Profile;
use crate::error::{Reason, Refusal};
use crate::options::Options;
use crate::report;
use crate::store::Store;
use hexpass_abi::Machine;
use serde_json::{Value, json};
use std::sync::Mutex;

/// What is known of each GPU, by ordinal.
static KNOWN: Mutex<Vec<(i32, Profile)>> = Mutex::new(Vec::new());

/// What the driver says of each GPU: that takes a millisecond (H200), as long as many a stretch of steps.
static SAID: Mutex<Said> = Mutex::new(Vec::new());
type Said = Vec<(i32, Result<Driver, Refusal>)>;

/// A GPU as the driver describes it.
#[derive(Clone)]
pub struct Driver {
    pub name: String,
    /// 90 for sm_90.
    pub capability: u32,
    /// How fast it is, guessed.
    pub machine: Machine,
    /// Bytes of its memory.
    pub memory: u64,
}

/// The GPU of this ordinal.
pub fn described(ordinal: i32) -> Result<Driver, Refusal> {
    let mut said = SAID.lock().unwrap_or_else(|e| e.into_inner());
    crate::device::kept(&mut said, ordinal, || {
        let (name, capability) = driver::describe(ordinal)?;
        let machine = guess(&driver::attributes(ordinal)?, capability);
        Ok(Driver { name, capability, machine, memory: driver::memory(ordinal)? })
    })
}

/// The GPU of this ordinal, or the one that falls to this process.
pub fn profile(ordinal: Option<u32>, options: &Options) -> Result<Profile, Refusal> {
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
    let Driver { name, machine: guess, .. } = described(ordinal)?;
    let machine = match &options.calibration {
        None => guess,
        Some(path) => kept(&mut Store::open(path), &name, &guess, || {
            benchmarks::measure(ordinal, guess.clone())
        }),
    };
    let profile = Profile { name, machine };
    known.push((ordinal, profile.clone()));
    Ok(profile)
}

/// What the file says of a device, if that fits it; else what is measured now, which is written there.
fn kept(
    store: &mut Store,
    name: &str,
    guess: &Machine,
    measure: impl FnOnce() -> Result<Machine, Refusal>,
) -> Machine {
    if let Some(entry) = store.get(name) {
        match read(entry).filter(|m| is_of(m, guess)) {
            Some(machine) => return machine,
            None => store.discard(name, "does not fit the device"),
        }
    }
    match measure() {
        Ok(machine) => {
            store.put(name, json!(machine));
            machine
        }
        Err(refusal) => {
            report::note(&format!("{name} can't be measured: {refusal}"));
            guess.clone()
        }
    }
}

fn read(entry: &Value) -> Option<Machine> {
    serde_json::from_value(entry.clone()).ok()
}

/// True if a machine may have been measured on the device that `guess` was made for.
fn is_of(m: &Machine, guess: &Machine) -> bool {
    let sizes = |m: &Machine| {
        (m.units, m.threads, m.blocks, m.registers, m.shared_bytes, m.block_shared_bytes)
    };
    let rates = [
        m.cycle,
        m.memory,
        m.cache,
        m.instructions,
        m.doubles,
        m.special,
        m.shuffles,
        m.words,
        m.latency,
        m.launch,
        m.queue,
        m.up,
        m.down,
    ];
    sizes(m) == sizes(guess)
        && rates.iter().all(|r| r.is_finite() && *r > 0.0)
        && m.barrier.iter().all(|r| r.is_finite() && *r >= 0.0)
}

/// Measures every GPU of this machine anew, for the file of `HEXPASS_CALIBRATION`; what it found, in words.
pub fn calibrate(options: &Options) -> Result<String, Refusal> {
    let Some(path) = &options.calibration else {
        return Err(Refusal::new(Reason::BadOption, "HEXPASS_CALIBRATION names no file"));
    };
    let mut store = Store::open(path);
    let mut said = String::new();
    for ordinal in 0..driver::device_count()? {
        let Driver { name, machine: guess, .. } = described(ordinal)?;
        let machine = benchmarks::measure(ordinal, guess)?;
        said.push_str(&table(&name, &machine));
        store.put(&name, json!(machine));
    }
    Ok(format!("{said}written to {}\n", path.display()))
}

/// What was measured, for people.
fn table(name: &str, m: &Machine) -> String {
    let units = f64::from(m.units);
    let lanes = |rate: f64| rate * 32.0 * units / 1e12;
    let rows = [
        ("memory, reading and writing", m.memory / 1e12, "TB/s"),
        ("second-level cache, reading", m.cache / 1e12, "TB/s"),
        ("shared memory", m.words * units * 4.0 / 1e12, "TB/s"),
        ("float multiply-adds", lanes(m.instructions), "T lanes/s"),
        ("double multiply-adds", lanes(m.doubles), "T lanes/s"),
        ("reciprocal roots", lanes(m.special), "T lanes/s"),
        ("shuffles", lanes(m.shuffles), "T lanes/s"),
        ("barrier of 8 warps", (m.barrier[0] + 8.0 * m.barrier[1]) * 1e9, "ns"),
        ("latency of memory", m.latency * 1e9, "ns"),
        ("from launch to launch", m.launch * 1e6, "µs"),
        ("queueing a launch", m.queue * 1e6, "µs"),
        ("ordinary memory to the GPU", m.up / 1e9, "GB/s"),
        ("and back", m.down / 1e9, "GB/s"),
    ];
    let lines: Vec<String> =
        rows.iter().map(|(what, n, unit)| format!("  {what:<28}{n:>10.3} {unit}\n")).collect();
    format!("{name}, {} multiprocessors\n{}", m.units, lines.concat())
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
    // The bus: PCI Express of the fifth generation, or of some before.
    let bus = if capability >= 90 { 30e9 } else { 10e9 };
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
        early: capability >= 90,
        up: bus,
        down: bus,
        ..model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_does_not_fit_the_device_is_measured_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gpu.json");
        let guess = Machine::h200();
        let measured = Machine { memory: 1e12, ..guess.clone() };
        let again = || Ok(Machine { memory: 2e12, ..guess.clone() });
        let open = || Store::open(&path);
        assert_eq!(kept(&mut open(), "gpu", &guess, || Ok(measured.clone())), measured);
        assert_eq!(kept(&mut open(), "gpu", &guess, again), measured);
        for damaged in [
            json!({"memory": 1.0}),
            json!(Machine { units: 1, ..guess.clone() }),
            json!(Machine { memory: -1.0, ..guess.clone() }),
        ] {
            open().put("gpu", damaged);
            assert_eq!(kept(&mut open(), "gpu", &guess, again).memory, 2e12);
            assert_eq!(kept(&mut open(), "gpu", &guess, || panic!("measured")).memory, 2e12);
        }
        let text = std::fs::read(&path).unwrap();
        let other_version = b"{\"hexpass\": 0}".to_vec();
        for file in [text[..text.len() / 3].to_vec(), vec![0xff; 4000], vec![], other_version] {
            std::fs::write(&path, file).unwrap();
            assert_eq!(kept(&mut open(), "gpu", &guess, again).memory, 2e12);
            assert_eq!(kept(&mut open(), "gpu", &guess, || panic!("measured")).memory, 2e12);
        }
        // Nowhere to write: measured each time, and used.
        let mut nowhere = Store::open(&folder.path().join("none/gpu.json"));
        assert_eq!(kept(&mut nowhere, "gpu", &guess, again).memory, 2e12);
        let fails = || Err(Refusal::new(Reason::NoDevice, "gone"));
        assert_eq!(kept(&mut open(), "other", &guess, fails), guess);
        assert!(open().get("other").is_none());
        assert_eq!(table("gpu", &guess).lines().count(), 14);
    }

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
