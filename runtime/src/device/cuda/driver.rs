//! The door to the CUDA driver: every call that [`super`] makes, with `Result` and plain values.
//!
//! The driver library is loaded at the first call and only if it is there; a program starts and runs without it.
//! One of the few files with unsafe code.

use crate::dynamic::Library;
use crate::error::{Reason, Refusal};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, CString, c_int, c_void};
use std::panic::catch_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// A call's result, with what was being done in words.
fn check(result: CUresult, reason: Reason, doing: &str) -> Result<(), Refusal> {
    if result == CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let reason =
        if result == CUresult::CUDA_ERROR_OUT_OF_MEMORY { Reason::OutOfMemory } else { reason };
    Err(Refusal::new(reason, format!("{doing}: {}", error_text(result))))
}

fn error_text(result: CUresult) -> String {
    let mut text: *const std::ffi::c_char = std::ptr::null();
    // SAFETY: the driver stores a pointer to a string of its own, or null.
    unsafe {
        if sys::cuGetErrorString(result, &mut text) == CUresult::CUDA_SUCCESS && !text.is_null() {
            return CStr::from_ptr(text).to_string_lossy().into_owned();
        }
    }
    format!("CUDA error {}", result as u32)
}

static PROBED: OnceLock<Result<i32, Refusal>> = OnceLock::new();
static STARTED: AtomicBool = AtomicBool::new(false);

/// Number of devices, at least one. The first call loads and initialises the driver.
pub fn device_count() -> Result<i32, Refusal> {
    PROBED
        .get_or_init(|| {
            // The bindings panic on what an old driver lacks.
            catch_unwind(probe).unwrap_or_else(|_| {
                Err(Refusal::new(Reason::NoDriver, "the CUDA driver library can't be used"))
            })
        })
        .clone()
}

/// What the first call has found, without making it.
pub fn probed() -> Option<&'static Result<i32, Refusal>> {
    PROBED.get()
}

/// True once a context has been created.
pub fn is_started() -> bool {
    STARTED.load(Ordering::Relaxed)
}

fn probe() -> Result<i32, Refusal> {
    // The bindings look for it under hundreds of names, which takes a millisecond where there is none.
    let is_there =
        Library::open(c"libcuda.so.1").or_else(|| Library::open(c"libcuda.so")).is_some();
    // SAFETY: loads the library and runs its initialisers, as any program that uses CUDA does.
    if !is_there || !unsafe { sys::is_culib_present() } {
        return Err(Refusal::new(
            Reason::NoDriver,
            "the CUDA driver (libcuda.so.1) is not installed",
        ));
    }
    let mut count = 0;
    // SAFETY: `count` is a place for the result.
    unsafe {
        check(sys::cuInit(0), Reason::NoDevice, "initialising the CUDA driver")?;
        check(sys::cuDeviceGetCount(&mut count), Reason::NoDevice, "counting CUDA devices")?;
    }
    if count == 0 {
        return Err(Refusal::new(Reason::NoDevice, "there is no CUDA device"));
    }
    Ok(count)
}

/// Ordinal of the device whose context is current in this thread.
pub fn current_device() -> Option<i32> {
    let mut context = std::ptr::null_mut();
    let mut device = 0;
    // SAFETY: the driver is initialised; both are places for results.
    let found = unsafe {
        sys::cuCtxGetCurrent(&mut context) == CUresult::CUDA_SUCCESS
            && !context.is_null()
            && sys::cuCtxGetDevice(&mut device) == CUresult::CUDA_SUCCESS
    };
    found.then_some(device)
}

/// Name and compute capability (90 for 9.0).
pub fn describe(ordinal: i32) -> Result<(String, u32), Refusal> {
    let mut name = [0; 128];
    let (mut major, mut minor) = (0, 0);
    use sys::CUdevice_attribute::{
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as MAJOR,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as MINOR,
    };
    // SAFETY: the driver is initialised; the buffer's length is passed, and it ends with a zero.
    unsafe {
        let device = device(ordinal)?;
        let asking = "asking for a CUDA device's properties";
        check(sys::cuDeviceGetName(name.as_mut_ptr(), 127, device), Reason::NoDevice, asking)?;
        check(sys::cuDeviceGetAttribute(&mut major, MAJOR, device), Reason::NoDevice, asking)?;
        check(sys::cuDeviceGetAttribute(&mut minor, MINOR, device), Reason::NoDevice, asking)?;
        Ok((
            CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned(),
            (major * 10 + minor) as u32,
        ))
    }
}

/// What the driver says of a device; sizes in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Attributes {
    /// Multiprocessors.
    pub units: u32,
    /// Threads of one at once.
    pub threads: u32,
    /// Blocks of one at once.
    pub blocks: u32,
    /// Its 32-bit registers.
    pub registers: u32,
    /// Its shared memory.
    pub shared_bytes: u32,
    /// What a block may ask for of that.
    pub block_shared_bytes: u32,
    /// The second-level cache.
    pub cache_bytes: u32,
    /// Clock of the multiprocessors.
    pub clock_khz: u32,
    /// Clock of the memory.
    pub memory_clock_khz: u32,
    /// Width of the memory's bus.
    pub bus_bits: u32,
}

/// The attributes of a device.
pub fn attributes(ordinal: i32) -> Result<Attributes, Refusal> {
    use sys::CUdevice_attribute as A;
    let get = |attribute: A| -> Result<u32, Refusal> {
        let mut value = 0;
        // SAFETY: the driver is initialised; `value` is a place for the result.
        unsafe {
            let device = device(ordinal)?;
            let asking = "asking for a CUDA device's properties";
            let result = sys::cuDeviceGetAttribute(&mut value, attribute, device);
            check(result, Reason::NoDevice, asking)?;
        }
        Ok(value.max(1) as u32)
    };
    Ok(Attributes {
        units: get(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        threads: get(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        blocks: get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
        registers: get(A::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        shared_bytes: get(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        block_shared_bytes: get(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        cache_bytes: get(A::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?,
        clock_khz: get(A::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
        memory_clock_khz: get(A::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?,
        bus_bits: get(A::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?,
    })
}

/// Bytes of a device's memory.
pub fn memory(ordinal: i32) -> Result<u64, Refusal> {
    let mut bytes = 0;
    // SAFETY: the driver is initialised; `bytes` is a place for the result.
    unsafe {
        let result = sys::cuDeviceTotalMem_v2(&mut bytes, device(ordinal)?);
        check(result, Reason::NoDevice, "asking for the size of a CUDA device's memory")?;
    }
    Ok(bytes as u64)
}

/// # Safety
/// The driver is initialised.
unsafe fn device(ordinal: i32) -> Result<sys::CUdevice, Refusal> {
    let mut device = 0;
    let doing = || format!("looking for CUDA device {ordinal}");
    // SAFETY: `device` is a place for the result.
    check(unsafe { sys::cuDeviceGet(&mut device, ordinal) }, Reason::NoDevice, &doing())?;
    Ok(device)
}

/// A device's primary context, current in this thread until dropped; the caller's own is current again afterwards.
#[derive(Debug)]
pub struct Current(std::marker::PhantomData<*const ()>);

impl Current {
    /// Retains the primary context (for good: nests may run until the program ends) and makes it current.
    pub fn enter(ordinal: i32) -> Result<Current, Refusal> {
        device_count()?;
        let mut context = std::ptr::null_mut();
        // SAFETY: the driver is initialised; `context` is a place for the result.
        unsafe {
            let device = device(ordinal)?;
            let creating = "creating a CUDA context";
            check(sys::cuDevicePrimaryCtxRetain(&mut context, device), Reason::NoDevice, creating)?;
            check(sys::cuCtxPushCurrent_v2(context), Reason::NoDevice, creating)?;
        }
        STARTED.store(true, Ordering::Relaxed);
        Ok(Current(std::marker::PhantomData))
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let mut context = std::ptr::null_mut();
        // SAFETY: pops what `enter` has pushed in this thread (the value can't move to another).
        let _ = unsafe { sys::cuCtxPopCurrent_v2(&mut context) };
    }
}

/// A loaded module; never unloaded.
#[derive(Clone, Copy, Debug)]
pub struct Module(usize);

impl Module {
    /// Has the driver compile a PTX text, for the current context.
    pub fn load(text: &str) -> Result<Module, Refusal> {
        use sys::CUjit_option::{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        let text = CString::new(text)
            .map_err(|_| Refusal::new(Reason::BadRecord, "the PTX text holds a zero byte"))?;
        let mut log = vec![0u8; 4096];
        let mut options = [CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), (log.len() - 1) as *mut c_void];
        let mut module = std::ptr::null_mut();
        // SAFETY: the text ends with a zero; the log's length is passed as the value of its option.
        let result = unsafe {
            sys::cuModuleLoadDataEx(
                &mut module,
                text.as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        check(result, Reason::ModuleLoad, "compiling PTX").map_err(|mut refusal| {
            let end = log.iter().position(|&b| b == 0).unwrap_or(log.len());
            let log = String::from_utf8_lossy(&log[..end]);
            let words: Vec<&str> = log.split_whitespace().collect();
            refusal.message =
                format!("{} {}", refusal.message, words.join(" ")).trim_end().to_string();
            refusal
        })?;
        Ok(Module(module as usize))
    }

    /// Machine code for the current context's device.
    pub fn of(code: &[u8]) -> Result<Module, Refusal> {
        // Where it lies in the program it is aligned to nothing.
        let code = code.to_vec();
        let mut module = std::ptr::null_mut();
        // SAFETY: the code is a whole file of the assembler's, whose header says how long it is.
        let result = unsafe { sys::cuModuleLoadData(&mut module, code.as_ptr().cast()) };
        check(result, Reason::ModuleLoad, "loading machine code")?;
        Ok(Module(module as usize))
    }

    /// A kernel that may use this much dynamic shared memory.
    pub fn function(self, name: &str, shared_bytes: u32) -> Result<Function, Refusal> {
        use sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as SHARED;
        let doing = format!("looking for kernel {name}");
        let name =
            CString::new(name).map_err(|_| Refusal::new(Reason::BadRecord, doing.clone()))?;
        let mut function = std::ptr::null_mut();
        // SAFETY: the module has been loaded into the current context and is never unloaded.
        unsafe {
            let module = self.0 as sys::CUmodule;
            check(
                sys::cuModuleGetFunction(&mut function, module, name.as_ptr()),
                Reason::ModuleLoad,
                &doing,
            )?;
            if shared_bytes > 48 * 1024 {
                let doing = format!("{shared_bytes} bytes of shared memory for a block");
                check(
                    sys::cuFuncSetAttribute(function, SHARED, shared_bytes as c_int),
                    Reason::ModuleLoad,
                    &doing,
                )?;
            }
        }
        Ok(Function(function))
    }
}

/// A kernel of a [`Module`].
#[derive(Clone, Copy, Debug)]
pub struct Function(sys::CUfunction);

impl Function {
    /// Registers of a thread; 0 if the driver does not say.
    pub fn registers(self) -> u16 {
        use sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS as REGISTERS;
        let mut count = 0;
        // SAFETY: `count` is a place for the result; the function's module is never unloaded.
        let result = unsafe { sys::cuFuncGetAttribute(&mut count, REGISTERS, self.0) };
        if result == CUresult::CUDA_SUCCESS { u16::try_from(count).unwrap_or(0) } else { 0 }
    }
}

/// What is launched, and how.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    pub function: Function,
    /// Blocks of the grid, and threads of a block, along x, y, z.
    pub blocks: [u32; 3],
    pub threads: [u32; 3],
    /// Shared memory of a block beyond what the kernel declares.
    pub shared_bytes: u32,
    /// Blocks may start before the launch before has ended: the kernel itself waits for it
    /// ([`hexpass_abi::PtxModule::waits`]).
    pub early: bool,
}

impl Launch {
    /// A launch that needs no shared memory and starts when the one before has ended.
    pub fn plain(function: Function, blocks: [u32; 3], threads: [u32; 3]) -> Launch {
        Launch { function, blocks, threads, shared_bytes: 0, early: false }
    }
}

/// True if the driver knows launches that start early: those of CUDA 12 do.
fn launches_early() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| {
        let mut version = 0;
        // SAFETY: `version` is a place for the result.
        let result = unsafe { sys::cuDriverGetVersion(&mut version) };
        result == CUresult::CUDA_SUCCESS && version >= 12000
    })
}

/// A queue of copies and launches, in order. All are complete when it is gone.
#[derive(Debug)]
pub struct Stream(sys::CUstream);

impl Stream {
    /// A new stream in the current context.
    pub fn new() -> Result<Stream, Refusal> {
        let mut stream = std::ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: `stream` is a place for the result.
        let result = unsafe { sys::cuStreamCreate(&mut stream, flags) };
        check(result, Reason::LaunchFailed, "creating a CUDA stream")?;
        Ok(Stream(stream))
    }

    /// Waits; errors of what was queued show here.
    pub fn finish(&self, doing: &str) -> Result<(), Refusal> {
        // SAFETY: the stream lives.
        check(unsafe { sys::cuStreamSynchronize(self.0) }, Reason::LaunchFailed, doing)
    }

    /// Queues a launch of a grid of blocks with eight-byte parameters.
    pub fn launch(&self, launch: &Launch, params: &[u64]) -> Result<(), Refusal> {
        let mut list: Vec<*mut c_void> =
            params.iter().map(|p| std::ptr::from_ref(p).cast_mut().cast()).collect();
        let mut early = sys::CUlaunchAttribute {
            id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
        };
        let ([x, y, z], [width, height, depth]) = (launch.blocks, launch.threads);
        let shared = launch.shared_bytes;
        let doing = "launching a kernel";
        // SAFETY: the driver copies the parameters and what else is pointed to before it returns. The kernel was
        // emitted together with the record that lists them, and its buffers live until the stream has been waited for.
        let result = unsafe {
            if launch.early && launches_early() {
                let config = sys::CUlaunchConfig {
                    gridDimX: x,
                    gridDimY: y,
                    gridDimZ: z,
                    blockDimX: width,
                    blockDimY: height,
                    blockDimZ: depth,
                    sharedMemBytes: shared,
                    hStream: self.0,
                    attrs: &mut early,
                    numAttrs: 1,
                };
                let none = std::ptr::null_mut();
                sys::cuLaunchKernelEx(&config, launch.function.0, list.as_mut_ptr(), none)
            } else {
                let (function, none) = (launch.function.0, std::ptr::null_mut());
                let params = list.as_mut_ptr();
                sys::cuLaunchKernel(
                    function, x, y, z, width, height, depth, shared, self.0, params, none,
                )
            }
        };
        check(result, Reason::LaunchFailed, doing)
    }

    /// Queues a copy within the device's memory.
    pub fn duplicate(&self, to: u64, from: u64, bytes: u64) -> Result<(), Refusal> {
        // SAFETY: both are buffers of the device, of that size at least, that live until the stream has been waited for.
        let result = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes as usize, self.0) };
        check(result, Reason::LaunchFailed, "copying within the CUDA device")
    }

    /// Queues a copy of `rows` rows of `bytes` bytes between addresses with pitches.
    ///
    /// # Safety
    /// Both sides are valid for that long: until the stream has been waited for.
    pub unsafe fn copy(
        &self,
        direction: Direction,
        host: (*mut u8, u64),
        device: (u64, u64),
        bytes: u64,
        rows: u64,
    ) -> Result<(), Refusal> {
        let up = direction == Direction::ToDevice;
        let doing = if up { "copying to the CUDA device" } else { "copying from the CUDA device" };
        // SAFETY: the caller's promise.
        let result = unsafe {
            if rows == 1 {
                match direction {
                    Direction::ToDevice => {
                        sys::cuMemcpyHtoDAsync_v2(device.0, host.0.cast(), bytes as usize, self.0)
                    }
                    Direction::ToHost => {
                        sys::cuMemcpyDtoHAsync_v2(host.0.cast(), device.0, bytes as usize, self.0)
                    }
                }
            } else {
                sys::cuMemcpy2DAsync_v2(&pitched(up, host, device, bytes, rows), self.0)
            }
        };
        check(result, Reason::LaunchFailed, doing)
    }
}

fn pitched(
    up: bool,
    (host, host_pitch): (*mut u8, u64),
    (device, device_pitch): (u64, u64),
    bytes: u64,
    rows: u64,
) -> sys::CUDA_MEMCPY2D {
    use sys::CUmemorytype::{CU_MEMORYTYPE_DEVICE as DEVICE, CU_MEMORYTYPE_HOST as HOST};
    sys::CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: if up { HOST } else { DEVICE },
        srcHost: host.cast_const().cast(),
        srcDevice: device,
        srcArray: std::ptr::null_mut(),
        srcPitch: if up { host_pitch } else { device_pitch } as usize,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: if up { DEVICE } else { HOST },
        dstHost: host.cast(),
        dstDevice: device,
        dstArray: std::ptr::null_mut(),
        dstPitch: if up { device_pitch } else { host_pitch } as usize,
        WidthInBytes: bytes as usize,
        Height: rows as usize,
    }
}

/// Which way a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the program's memory.
    ToDevice,
    /// To the program's memory.
    ToHost,
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream is not used again; what it was queued with may be freed afterwards.
        unsafe {
            let _ = sys::cuStreamSynchronize(self.0);
            let _ = sys::cuStreamDestroy_v2(self.0);
        }
    }
}

/// Device memory; freed by [`free`].
pub fn alloc(bytes: u64) -> Result<u64, Refusal> {
    let mut address = 0;
    // SAFETY: `address` is a place for the result.
    let result = unsafe { sys::cuMemAlloc_v2(&mut address, bytes.max(1) as usize) };
    check(result, Reason::OutOfMemory, &format!("allocating {bytes} bytes on the CUDA device"))?;
    Ok(address)
}

/// Frees what [`alloc`] has given; nothing queued may still use it.
pub fn free(address: u64) {
    // SAFETY: `address` comes from `alloc` in this context, and streams that used it have been waited for.
    let _ = unsafe { sys::cuMemFree_v2(address) };
}

/// A page-locked buffer and an event that says when the device is done with it; kept for good.
#[derive(Debug)]
pub struct Pinned {
    /// Where it starts.
    pub start: usize,
    event: usize,
}

impl Pinned {
    /// A buffer of this size.
    pub fn new(bytes: usize) -> Result<Pinned, Refusal> {
        let (mut start, mut event) = (std::ptr::null_mut(), std::ptr::null_mut());
        let doing = "allocating page-locked memory";
        // SAFETY: both are places for results.
        unsafe {
            let portable = sys::CU_MEMHOSTALLOC_PORTABLE;
            check(sys::cuMemHostAlloc(&mut start, bytes, portable), Reason::OutOfMemory, doing)?;
            let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
            check(sys::cuEventCreate(&mut event, flags), Reason::OutOfMemory, doing)?;
        }
        Ok(Pinned { start: start as usize, event: event as usize })
    }

    /// Marks the point in `stream` from which on the buffer is free again, or filled.
    pub fn record(&self, stream: &Stream) -> Result<(), Refusal> {
        // SAFETY: both live.
        let result = unsafe { sys::cuEventRecord(self.event as sys::CUevent, stream.0) };
        check(result, Reason::LaunchFailed, "recording a CUDA event")
    }

    /// Waits for the last [`Pinned::record`]; at once if there was none.
    pub fn wait(&self) -> Result<(), Refusal> {
        // SAFETY: the event lives.
        let result = unsafe { sys::cuEventSynchronize(self.event as sys::CUevent) };
        check(result, Reason::LaunchFailed, "waiting for a copy")
    }
}

/// A point in a stream, with its time.
#[derive(Debug)]
pub struct Event(sys::CUevent);

impl Event {
    /// An event in the current context.
    pub fn new() -> Result<Event, Refusal> {
        let mut event = std::ptr::null_mut();
        // SAFETY: `event` is a place for the result.
        let result =
            unsafe { sys::cuEventCreate(&mut event, sys::CUevent_flags::CU_EVENT_DEFAULT as u32) };
        check(result, Reason::LaunchFailed, "creating a CUDA event")?;
        Ok(Event(event))
    }

    /// Stands for the end of all that has been queued so far.
    pub fn record(&self, stream: &Stream) -> Result<(), Refusal> {
        // SAFETY: both live.
        let result = unsafe { sys::cuEventRecord(self.0, stream.0) };
        check(result, Reason::LaunchFailed, "recording a CUDA event")
    }

    /// Seconds between two events that have been reached.
    pub fn seconds_since(&self, before: &Event) -> Result<f64, Refusal> {
        let doing = "reading a CUDA event";
        let elapsed = elapsed().ok_or_else(|| Refusal::new(Reason::LaunchFailed, doing))?;
        let mut milliseconds = 0f32;
        // SAFETY: both live; `milliseconds` is a place for the result.
        let result = unsafe { elapsed(&mut milliseconds, before.0, self.0) };
        check(result, Reason::LaunchFailed, doing)?;
        Ok(f64::from(milliseconds) * 1e-3)
    }
}

type Elapsed = unsafe extern "C" fn(*mut f32, sys::CUevent, sys::CUevent) -> CUresult;

/// `cuEventElapsedTime`: drivers before CUDA 12.8 lack the version that the bindings know.
fn elapsed() -> Option<Elapsed> {
    static FOUND: OnceLock<Option<Elapsed>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let driver = Library::open(c"libcuda.so.1")?;
        let newer = driver.symbol(c"cuEventElapsedTime_v2");
        let address = newer.or_else(|| driver.symbol(c"cuEventElapsedTime"))?;
        // SAFETY: both versions have this signature.
        Some(unsafe { std::mem::transmute::<*const c_void, Elapsed>(address) })
    })
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event is not used again; the driver waits for what still needs it.
        let _ = unsafe { sys::cuEventDestroy_v2(self.0) };
    }
}

/// True if the driver knows this address of the program's as page-locked.
pub fn is_pinned(address: u64) -> bool {
    use sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE as KIND;
    let mut kind = 0u32;
    // SAFETY: the attribute is four bytes; an address unknown to the driver is an error, not a fault.
    let result = unsafe { sys::cuPointerGetAttribute((&raw mut kind).cast(), KIND, address) };
    result == CUresult::CUDA_SUCCESS && kind == sys::CUmemorytype::CU_MEMORYTYPE_HOST as u32
}
