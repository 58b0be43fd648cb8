//! Hand-written nests: the records, host kernels and headers that a plugin would have left in an object.
#![allow(dead_code, reason = "each test file uses its own part of it")]

use hexpass_abi::expr::Sym;
use hexpass_abi::*;
use std::ffi::c_void;

/// `Int(i)`.
pub fn int(i: u16) -> Poly {
    Poly::symbol(Sym::Int(i))
}

/// `factor * Int(i) + constant`.
pub fn affine(factor: i64, i: u16, constant: i64) -> Poly {
    int(i).scale(factor).unwrap().add(&Poly::constant(constant)).unwrap()
}

/// Coordinate `dim` plus a constant.
pub fn at(dim: u8, offset: i64) -> Subscript {
    Subscript { dim: Some(dim), offset: Poly::constant(offset) }
}

/// An access with one subscript a dimension.
pub fn access(array: u16, rotation: i32, subscripts: Vec<Subscript>) -> Access {
    Access { array, rotation, subscripts }
}

/// Slots at the starts of these pointers.
pub fn slots(pointers: &[u16]) -> Vec<Slot> {
    pointers.iter().map(|&pointer| Slot { pointer, offset: Poly::zero() }).collect()
}

/// One launch for each step.
pub fn stepwise(blocks: PlanExpr) -> LaunchPlan {
    let blocks = plan::in_a_row(blocks);
    let launch = PlanOp::Launch { kernel: 0, blocks, time: PlanExpr::Var(0), args: vec![] };
    let hi = PlanExpr::Steps + PlanExpr::Const(-1);
    LaunchPlan {
        ops: vec![PlanOp::Loop { var: 0, lo: PlanExpr::Const(0), hi, body: vec![launch] }],
        vars: 1,
    }
}

/// Number of points along a dimension.
pub fn extent(dim: u8) -> PlanExpr {
    PlanExpr::SpaceHi(dim) + PlanExpr::SpaceLo(dim) * -1 + PlanExpr::Const(1)
}

fn variants(
    params: Vec<KernelParam>,
    entry: &str,
    device_blocks: PlanExpr,
    host_blocks: PlanExpr,
) -> Vec<Variant> {
    let variant = |strategy: &str, target, code, threads, blocks| Variant {
        strategy: strategy.to_string(),
        sizes: vec![("h".to_string(), 0)],
        storage: String::new(),
        target,
        ptx: if target == VariantTarget::Device { ptx() } else { vec![] },
        aligned: false,
        kernels: vec![KernelRecord {
            code,
            threads,
            shared_bytes: 0,
            params: params.clone(),
            folds: None,
            cost: KernelCost::default(),
        }],
        plan: stepwise(blocks),
        tunables: vec![],
        scratch: vec![],
        alike: false,
        least: Vec::new(),
    };
    vec![
        variant("naive", VariantTarget::Host, KernelCode::Host(0), [1, 1, 1], host_blocks.clone()),
        variant(
            "naive",
            VariantTarget::Device,
            KernelCode::Ptx(entry.to_string()),
            [64, 1, 1],
            device_blocks,
        ),
        variant("other", VariantTarget::Host, KernelCode::Host(0), [1, 1, 1], host_blocks),
    ]
}

fn ptx() -> Vec<PtxModule> {
    let text = include_str!("../fixtures/kernels.ptx").to_string().into();
    vec![PtxModule { arch: 75, text, code: Default::default() }]
}

/// Makes a text unreadable.
pub fn spoil(module: &mut PtxModule) {
    module.text = format!("{}\nnonsense", module.text.as_str().unwrap()).into();
}

/// `for t in 0..steps: b[i] = c * (a[i-1] + a[i] + a[i+1]) for i in 1..n-1; swap(a, b)`.
/// Integers: n, steps. Pointers: a, b. Scalars: c.
pub fn heat1d() -> NestRecord {
    let params = vec![
        KernelParam::Slot { array: 0, rotation: 0 },
        KernelParam::Slot { array: 0, rotation: 1 },
        KernelParam::StatementLo { statement: 0, dim: 0 },
        KernelParam::StatementHi { statement: 0, dim: 0 },
        KernelParam::Scalar(0),
    ];
    let device_blocks = PlanExpr::FloorDiv(Box::new(extent(0) + PlanExpr::Const(63)), 64);
    NestRecord {
        function: "heat1d".into(),
        file: Some("heat.c".into()),
        line: Some(7),
        fp: FpMode::Exact,
        steps: int(1).into(),
        dims: 1,
        timeless: true,
        arrays: vec![Array {
            name: "a".into(),
            elem: ElemType::F64,
            slots: slots(&[0, 1]),
            rotation: Poly::zero(),
            strides: vec![Poly::constant(8)],
        }],
        tables: vec![],
        lookups: vec![],
        fences: vec![],
        statements: vec![StatementRecord {
            lo: vec![Poly::constant(1).into()],
            hi: vec![affine(1, 0, -2).into()],
            reads: (-1..=1).map(|d| access(0, 0, vec![at(0, d)])).collect(),
            writes: vec![access(0, 1, vec![at(0, 0)])],
            unsure_reads: vec![],
            unsure_writes: vec![],
            entries: vec![],
            operations: 3,
        }],
        checks: vec![],
        disjoint_pointers: vec![],
        reductions: vec![],
        aside: vec![],
        exchanged: vec![],
        variants: variants(params, "heat1d", device_blocks.clone(), device_blocks),
    }
}

/// The five points of [`jacobi2d`], in the order of its sum.
const STAR: [(i64, i64); 5] = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)];

/// `for t in 0..steps: b[i][j] = c * (sum of five points of a) inside; swap(a, b)`, rows of `stride` elements.
/// Integers: n, m, steps, stride. Pointers: a, b. Scalars: c.
pub fn jacobi2d() -> NestRecord {
    let params = vec![
        KernelParam::Slot { array: 0, rotation: 0 },
        KernelParam::Slot { array: 0, rotation: 1 },
        KernelParam::Stride { array: 0, dim: 0 },
        KernelParam::Stride { array: 0, dim: 0 },
        KernelParam::StatementLo { statement: 0, dim: 0 },
        KernelParam::StatementLo { statement: 0, dim: 1 },
        KernelParam::StatementHi { statement: 0, dim: 1 },
        KernelParam::Scalar(0),
    ];
    NestRecord {
        function: "jacobi2d".into(),
        file: Some("jacobi.c".into()),
        line: Some(12),
        fp: FpMode::Exact,
        steps: int(2).into(),
        dims: 2,
        timeless: true,
        arrays: vec![Array {
            name: "a".into(),
            elem: ElemType::F64,
            slots: slots(&[0, 1]),
            rotation: Poly::zero(),
            strides: vec![affine(8, 3, 0), Poly::constant(8)],
        }],
        tables: vec![],
        lookups: vec![],
        fences: vec![],
        statements: vec![StatementRecord {
            lo: vec![Poly::constant(1).into(), Poly::constant(1).into()],
            hi: vec![affine(1, 0, -2).into(), affine(1, 1, -2).into()],
            reads: STAR.iter().map(|&(y, x)| access(0, 0, vec![at(0, y), at(1, x)])).collect(),
            writes: vec![access(0, 1, vec![at(0, 0), at(1, 0)])],
            unsure_reads: vec![],
            unsure_writes: vec![],
            entries: vec![],
            operations: 5,
        }],
        checks: vec![],
        disjoint_pointers: vec![],
        reductions: vec![],
        aside: vec![],
        exchanged: vec![],
        variants: variants(params, "jacobi2d", extent(0), extent(0)),
    }
}

/// Parameters as [`heat1d`] lists them; 64 points a block.
unsafe extern "C" fn heat1d_block(params: *const u64, block: i64) {
    // SAFETY: five parameters, and the guard has found both arrays large enough.
    unsafe {
        let p = std::slice::from_raw_parts(params, 5);
        let (input, output) = (p[0] as *const f64, p[1] as *mut f64);
        let (lo, hi, c) = (p[2] as i64, p[3] as i64, f64::from_bits(p[4]));
        let from = lo + block * 64;
        for i in from..(from + 64).min(hi + 1) {
            let a = |d: i64| *input.wrapping_offset((i + d) as isize);
            *output.wrapping_offset(i as isize) = c * (a(-1) + a(0) + a(1));
        }
    }
}

/// Parameters as [`jacobi2d`] lists them; one row a block.
unsafe extern "C" fn jacobi2d_block(params: *const u64, block: i64) {
    // SAFETY: eight parameters, and the guard has found both arrays large enough.
    unsafe {
        let p = std::slice::from_raw_parts(params, 8);
        let (input, output) = (p[0] as *const f64, p[1] as *mut f64);
        let (stride, to_stride) = (p[2] as i64, p[3] as i64);
        let (i, c) = (p[4] as i64 + block, f64::from_bits(p[7]));
        for j in p[5] as i64..=p[6] as i64 {
            let a = |y: i64, x: i64| *input.wrapping_offset(((i + y) * stride + j + x) as isize);
            let sum = a(0, 0) + a(-1, 0) + a(1, 0) + a(0, -1) + a(0, 1);
            *output.wrapping_offset((i * to_stride + j) as isize) = c * sum;
        }
    }
}

/// The host kernel of a nest by its function name.
pub fn host_kernel(function: &str) -> HostKernel {
    if function == "heat1d" { heat1d_block } else { jacobi2d_block }
}

/// What the original loop of [`heat1d`] does to both arrays.
pub fn heat1d_original(n: i64, steps: i64, c: f64, arrays: &mut [Vec<f64>; 2]) {
    for t in 0..steps.max(0) {
        let (from, to) = ((t % 2) as usize, ((t + 1) % 2) as usize);
        for i in 1..n - 1 {
            let a = |d: i64| arrays[from][(i + d) as usize];
            arrays[to][i as usize] = c * (a(-1) + a(0) + a(1));
        }
    }
}

/// What the original loop of [`jacobi2d`] does to both arrays.
pub fn jacobi2d_original(
    n: i64,
    m: i64,
    steps: i64,
    stride: i64,
    c: f64,
    arrays: &mut [Vec<f64>; 2],
) {
    for t in 0..steps.max(0) {
        let (from, to) = ((t % 2) as usize, ((t + 1) % 2) as usize);
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let a = |(y, x): (i64, i64)| arrays[from][((i + y) * stride + j + x) as usize];
                let sum = STAR[1..].iter().fold(a(STAR[0]), |sum, &p| sum + a(p));
                arrays[to][(i * stride + j) as usize] = c * sum;
            }
        }
    }
}

/// Runs `f` where denormals are flushed, as in a program that was linked with `-ffast-math`.
#[cfg(target_arch = "x86_64")]
pub fn flushing<R>(f: impl FnOnce() -> R) -> R {
    let mut before = 0u32;
    // SAFETY: stores four bytes to a local variable.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &mut before, options(nostack)) };
    let with_flags = before | 1 << 15 | 1 << 6;
    // SAFETY: loads a value that sets no reserved bit; what `f` computes is memory's, which the compiler keeps between.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &with_flags, options(nostack)) };
    let result = f();
    // SAFETY: puts back what was read.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &before, options(nostack)) };
    result
}

/// Numbers that repeat themselves from run to run.
pub fn noise(len: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / 16777216.0 - 0.5
    };
    (0..len).map(|_| next()).collect()
}

/// An object's nest: the header and what it points to.
pub struct Object {
    /// The header, where it stays.
    pub header: Box<NestHeader>,
    kernels: Box<[*const c_void; 1]>,
    bytes: &'static [u8],
}

impl Object {
    /// The header of a record, as generated code holds it.
    pub fn new(record: &NestRecord) -> Object {
        // For the rest of the process, as generated code's.
        let bytes: &'static [u8] = record.to_bytes().unwrap().leak();
        let kernels = Box::new([host_kernel(&record.function) as *const c_void]);
        let header = Box::new(NestHeader {
            magic: MAGIC,
            version: VERSION,
            size: size_of::<NestHeader>() as u32,
            record: bytes.as_ptr(),
            record_len: bytes.len() as u64,
            host_kernels: kernels.as_ptr(),
            host_kernel_count: 1,
            cache: std::ptr::null_mut(),
            otherwise: std::ptr::null_mut(),
        });
        Object { header, kernels, bytes }
    }

    /// Makes nonsense of the last variant's strategy.
    pub fn damage(&mut self) {
        let mut bytes = self.bytes.to_vec();
        let at = bytes.windows(5).rposition(|w| w == b"other").unwrap();
        bytes[at] = 0xff;
        self.bytes = bytes.leak();
        self.header.record = self.bytes.as_ptr();
    }

    /// Calls the runtime as generated code does.
    pub fn run(&mut self, ints: &[i64], pointers: &[*mut f64], scalars: &[f64]) -> i32 {
        self.run_in(ints, pointers, scalars, std::ptr::null_mut())
    }

    /// The same in a frame.
    pub fn run_in(
        &mut self,
        ints: &[i64],
        pointers: &[*mut f64],
        scalars: &[f64],
        frame: *mut hexpass_abi::Frame,
    ) -> i32 {
        let scalars: Vec<u64> = scalars.iter().map(|s| s.to_bits()).collect();
        let args = NestArgs {
            ints: ints.as_ptr(),
            pointers: pointers.as_ptr().cast(),
            scalars: scalars.as_ptr(),
            int_count: ints.len() as u32,
            pointer_count: pointers.len() as u32,
            scalar_count: scalars.len() as u32,
            reserved: 0,
            ahead: std::ptr::null_mut(),
            frame,
        };
        // SAFETY: header and arguments are as the contract says and outlive the call. The header outlives the
        // process's interest in it: only this object's cache refers to it.
        unsafe { hexrt::entry::hexrt_run(&mut *self.header, &args) }
    }
}
