//! GPUs by the CUDA driver, found at run time.
//!
//! Everything is lazy: no driver is looked for before a nest is large enough, or a device named. Buffers are plain
//! device memory, the context is the device's primary one, and the caller's own context is current again when a
//! nest is done. Nothing of the program's memory changes before every launch has succeeded.

mod benchmarks;
mod calibrate;
mod driver;
mod early;
mod machine;
mod staging;

pub use machine::{calibrate, profile};

use super::{Device, Lasting, Owner, grid, kept, tools};
use crate::error::{Reason, Refusal};
use crate::record::{self, Nest};
use crate::run::Where;
use crate::transfer::Rows;
use driver::{Current, Direction, Event, Function, Launch, Module, Stream};
use early::Needs;
use hexpass_abi::{KernelCode, Machine, PtxModule, Variant};
use std::sync::Mutex;

/// A variant's PTX, compiled for a device.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    module: Module,
    /// As [`PtxModule::waits`].
    waits: bool,
}

/// Buffers that earlier nests have left, by device: the next nest often asks for the same sizes.
static SPARE: Mutex<Vec<Spare>> = Mutex::new(Vec::new());

struct Spare {
    ordinal: i32,
    address: u64,
    bytes: u64,
}

/// Set when a device has failed in a way that its context does not survive.
static FAILED: Mutex<Vec<(i32, Refusal)>> = Mutex::new(Vec::new());

/// True once a context exists in this process.
pub fn is_started() -> bool {
    driver::is_started()
}

/// True if a device has the kernels of this variant loaded.
pub fn is_loaded(nest: &Nest, index: usize) -> bool {
    let loaded = |((_, i), l): &((i32, usize), Result<Loaded, Refusal>)| *i == index && l.is_ok();
    nest.modules.lock().is_ok_and(|m| m.cuda.iter().any(loaded))
}

/// Bytes of PTX that the driver has to compile before a variant runs, on a device that takes its newest text.
pub fn uncompiled(nest: &Nest, index: usize) -> usize {
    match nest.variant(index).ptx.iter().max_by_key(|p| p.arch) {
        Some(newest) if !newest.runs_on(newest.arch) && !is_loaded(nest, index) => {
            newest.text.as_bytes().len()
        }
        _ => 0,
    }
}

/// True if the driver has been looked for and can't be used, or the device that would be taken has failed.
pub fn is_known_absent() -> bool {
    match driver::probed() {
        None => false,
        Some(Err(_)) => true,
        Some(Ok(count)) => {
            let failed = FAILED.lock().unwrap_or_else(|e| e.into_inner());
            failure(&failed, || fallen_to(*count)).is_some()
        }
    }
}

/// How a device has failed. Which one is asked for only if any has: that takes time.
fn failure(failed: &[(i32, Refusal)], ordinal: impl FnOnce() -> i32) -> Option<&Refusal> {
    if failed.is_empty() {
        return None;
    }
    let ordinal = ordinal();
    failed.iter().find(|(o, _)| *o == ordinal).map(|(_, refusal)| refusal)
}

/// Ordinal of the device that falls to this thread among `count`: the one it uses already, or by local rank.
fn fallen_to(count: i32) -> i32 {
    driver::current_device().unwrap_or_else(|| local_rank() % count)
}

/// True if there is a device; the first call looks for it.
pub fn is_present() -> bool {
    driver::device_count().is_ok()
}

/// Bytes that what a nest keeps beside the program's arrays may take on a device, a quarter of its memory.
pub fn room(ordinal: Option<u32>) -> Result<u64, Refusal> {
    let count = driver::device_count()?;
    let ordinal = ordinal.map_or_else(|| fallen_to(count), |n| n as i32);
    Ok(room_in(machine::described(ordinal)?.memory))
}

fn room_in(memory: u64) -> u64 {
    memory / 4
}

/// A device for one nest. Fields are dropped in order: the stream is waited for while its context is still current.
pub struct Cuda<'a> {
    nest: Option<&'a Nest>,
    stream: Stream,
    clock: [Event; 2],
    /// Of the variant that was loaded last.
    kernels: Vec<Kernel>,
    name: String,
    capability: u32,
    machine: Machine,
    memory: u64,
    ordinal: i32,
    _current: Current,
}

struct Kernel {
    function: Function,
    threads: [u32; 3],
    needs: Needs,
    waits: bool,
}

impl<'a> Cuda<'a> {
    /// A device for a nest or to copy only: the named one, or the one that falls to this process.
    pub fn open(nest: Option<&'a Nest>, ordinal: Option<u32>) -> Result<Cuda<'a>, Refusal> {
        let count = driver::device_count()?;
        let ordinal = match ordinal {
            None => fallen_to(count),
            Some(n) if (n as i64) < i64::from(count) => n as i32,
            Some(n) => {
                let message =
                    format!("there is no CUDA device {n}: their number is {count}, from 0");
                return Err(Refusal::new(Reason::NoDevice, message));
            }
        };
        if let Some(refusal) =
            failure(&FAILED.lock().unwrap_or_else(|e| e.into_inner()), || ordinal)
        {
            return Err(refusal.clone());
        }
        let current = Current::enter(ordinal)?;
        let machine::Driver { name, capability, machine, memory } = machine::described(ordinal)?;
        staging::prepare(ordinal)?;
        Ok(Cuda {
            nest,
            stream: Stream::new()?,
            clock: [Event::new()?, Event::new()?],
            kernels: Vec::new(),
            name,
            capability,
            machine,
            memory,
            ordinal,
            _current: current,
        })
    }

    /// What the device calls itself.
    pub fn name(&self) -> String {
        self.name.clone()
    }
}

/// Refuses a variant whose blocks need more shared memory than the device has.
fn fits(variant: &Variant, most: u32) -> Result<(), Refusal> {
    let needed = variant.kernels.iter().map(|k| k.shared_bytes).max().unwrap_or(0);
    if needed > most {
        let name = &variant.strategy;
        let message = format!(
            "{name} needs {needed} bytes of shared memory for a block, the device has {most}"
        );
        return Err(Refusal::new(Reason::NoKernel, message));
    }
    Ok(())
}

/// Position of this process among those of its node, as the usual launchers tell it.
fn local_rank() -> i32 {
    let variables = [
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "MPI_LOCALRANKID",
        "MV2_COMM_WORLD_LOCAL_RANK",
        "SLURM_LOCALID",
    ];
    let rank =
        variables.iter().find_map(|name| std::env::var(name).ok()?.trim().parse::<u16>().ok());
    rank.map_or(0, i32::from)
}

/// A variant's module on a device, compiled at most once.
fn load(nest: &Nest, index: usize, ordinal: i32, capability: u32) -> Result<Loaded, Refusal> {
    let mut modules = nest.modules.lock().unwrap_or_else(|e| e.into_inner());
    kept(&mut modules.cuda, (ordinal, index), || {
        let newest = newest(&nest.variant(index).ptx, capability)?;
        // A driver older than the assembler may refuse what that has made.
        let made = newest.runs_on(capability).then(|| Module::of(newest.code.as_bytes()).ok());
        let module = match made.flatten() {
            Some(module) => module,
            None => Module::load(record::text(newest)?)?,
        };
        Ok(Loaded { module, waits: newest.waits() })
    })
}

/// The text for the newest architecture that the device can run.
fn newest(texts: &[PtxModule], capability: u32) -> Result<&PtxModule, Refusal> {
    let fitting = texts.iter().filter(|p| p.arch <= capability).max_by_key(|p| p.arch);
    fitting.ok_or_else(|| {
        let archs: Vec<String> = texts.iter().map(|p| format!("sm_{}", p.arch)).collect();
        let held = if archs.is_empty() { "none".to_string() } else { archs.join(", ") };
        let message = format!("the device is sm_{capability}, the object holds PTX for: {held}");
        Refusal::new(Reason::ModuleLoad, message)
    })
}

/// A buffer: one that was given back, or a new one.
fn take(ordinal: i32, bytes: u64) -> Result<u64, Refusal> {
    let mut spare = SPARE.lock().unwrap_or_else(|e| e.into_inner());
    if let Some(i) = spare.iter().position(|s| s.ordinal == ordinal && s.bytes == bytes) {
        return Ok(spare.swap_remove(i).address);
    }
    driver::alloc(bytes).or_else(|_| {
        spare.retain(|s| {
            let ours = s.ordinal == ordinal;
            if ours {
                driver::free(s.address);
            }
            !ours
        });
        driver::alloc(bytes)
    })
}

/// What [`SPARE`] keeps for one device.
const SPARE_BUFFERS: usize = 8;

/// Keeps a buffer for later; more than a few are freed.
pub fn give_back(ordinal: i32, address: u64, bytes: u64) {
    let mut spare = SPARE.lock().unwrap_or_else(|e| e.into_inner());
    spare.push(Spare { ordinal, address, bytes });
    let ours = |s: &Spare| s.ordinal == ordinal;
    if spare.iter().filter(|s| ours(s)).count() <= SPARE_BUFFERS {
        return;
    }
    // A context that can't be entered any more has no memory to be freed.
    let Ok(_current) = Current::enter(ordinal) else { return };
    if let Some(oldest) = spare.iter().position(ours) {
        driver::free(spare.remove(oldest).address);
    }
}

/// A device's ordinal, and the number of a module of [`tools`] there.
type Tool = (i32, usize);
static TOOLS: Mutex<Vec<(Tool, Result<Module, Refusal>)>> = Mutex::new(Vec::new());

impl Device for Cuda<'_> {
    fn room(&self) -> u64 {
        room_in(self.memory)
    }

    fn load(&mut self, index: usize) -> Result<(), Refusal> {
        let nothing = || Refusal::new(Reason::Internal, "kernels of no nest");
        let nest = self.nest.ok_or_else(nothing)?;
        let variant = nest.variant(index);
        fits(variant, self.machine.block_shared_bytes)?;
        let Loaded { module, waits } = load(nest, index, self.ordinal, self.capability)?;
        let kernel = |k: &hexpass_abi::KernelRecord| {
            let KernelCode::Ptx(entry) = &k.code else {
                return Err(Refusal::new(Reason::BadRecord, "a host kernel in a device variant"));
            };
            let function = module.function(entry, k.shared_bytes)?;
            let needs = Needs {
                registers: function.registers(),
                threads: k.threads.iter().product(),
                shared_bytes: k.shared_bytes,
                moved: k.cost.turn.cached,
            };
            Ok(Kernel { function, threads: k.threads, needs, waits })
        };
        self.kernels = variant.kernels.iter().map(kernel).collect::<Result<_, _>>()?;
        let mut counted = nest.registers.lock().unwrap_or_else(|e| e.into_inner());
        if !counted.iter().any(|(i, _)| *i == index) {
            counted.push((index, self.kernels.iter().map(|k| k.needs.registers).collect()));
        }
        Ok(())
    }

    fn identity(&self) -> Where {
        Where::Cuda(Some(self.ordinal as u32))
    }

    fn alloc(&mut self, bytes: u64) -> Result<Lasting, Refusal> {
        let address = take(self.ordinal, bytes)?;
        Ok(Lasting { address, bytes, owner: Owner::Cuda(self.ordinal) })
    }

    fn attach(&mut self, buffer: &Lasting) -> Result<(), Refusal> {
        match buffer.owner {
            Owner::Cuda(ordinal) if ordinal == self.ordinal => Ok(()),
            _ => Err(Refusal::new(Reason::Internal, "a buffer of another device")),
        }
    }

    fn duplicate(&mut self, to: u64, from: u64, bytes: u64) -> Result<(), Refusal> {
        self.stream.duplicate(to, from, bytes)
    }

    fn tool(&mut self, kernel: &str, blocks: [u64; 3], params: &[u64]) -> Result<(), Refusal> {
        let mut loaded = TOOLS.lock().unwrap_or_else(|e| e.into_inner());
        let number = tools::module_of(kernel);
        let load = || Module::load(&tools::text(number));
        let module = kept(&mut loaded, (self.ordinal, number), load)?;
        let function = module.function(kernel, 0)?;
        let threads = [tools::THREADS as u32, 1, 1];
        self.stream.launch(&Launch::plain(function, grid(blocks)?, threads), params)
    }

    fn upload(&mut self, rows: &Rows) -> Result<(), Refusal> {
        staging::copy(&self.stream, self.ordinal, rows, Direction::ToDevice)
    }

    fn download(&mut self, rows: &Rows) -> Result<(), Refusal> {
        staging::copy(&self.stream, self.ordinal, rows, Direction::ToHost)
    }

    fn launch(&mut self, kernel: usize, blocks: [u64; 3], params: &[u64]) -> Result<(), Refusal> {
        let &Kernel { function, threads, needs, waits } = &self.kernels[kernel];
        let asked = early::shared_bytes(&self.machine, &needs, blocks.iter().product());
        let early = asked.filter(|_| waits);
        let launch = Launch {
            function,
            blocks: grid(blocks)?,
            threads,
            shared_bytes: early.unwrap_or(needs.shared_bytes),
            early: early.is_some(),
        };
        self.stream.launch(&launch, params)
    }

    fn start(&mut self) -> Result<(), Refusal> {
        self.clock[0].record(&self.stream)
    }

    fn stop(&mut self) -> Result<f64, Refusal> {
        self.clock[1].record(&self.stream)?;
        self.stream.finish("running kernels").inspect_err(|refusal| {
            let mut failed = FAILED.lock().unwrap_or_else(|e| e.into_inner());
            failed.push((self.ordinal, refusal.clone()));
        })?;
        self.clock[1].seconds_since(&self.clock[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_fitting_text_is_taken() {
        let text = |arch| PtxModule { arch, text: Default::default(), code: Default::default() };
        let texts = [text(75), text(90), text(80)];
        assert_eq!(newest(&texts, 90).map(|p| p.arch), Ok(90));
        assert_eq!(newest(&texts, 89).map(|p| p.arch), Ok(80));
        assert_eq!(newest(&texts, 100).map(|p| p.arch), Ok(90));
        let refusal = newest(&texts, 70).unwrap_err();
        assert_eq!(refusal.reason, Reason::ModuleLoad);
        assert!(refusal.message.ends_with("sm_75, sm_90, sm_80"), "{}", refusal.message);
        assert!(newest(&[], 90).is_err());
    }

    #[test]
    fn a_device_that_has_failed_is_not_every_device() {
        let refusal = Refusal::new(Reason::LaunchFailed, "running kernels");
        let failed = [(1, refusal.clone())];
        assert_eq!(failure(&failed, || 1), Some(&refusal));
        assert_eq!(failure(&failed, || 0), None);
        assert_eq!(failure(&[], || panic!("not to be asked for")), None);
    }
}
