//! Plain memory: one byte buffer for each base pointer, and the numbers of one run.

use super::Fault;
use crate::stencil::StencilProgram;
use hexpass_abi::expr::Sym;
use hexpass_abi::{Access, ElemType, Poly, Tunable, plan::PlanValues};

/// Bytes behind each base pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    pub pointers: Vec<Vec<u8>>,
}

/// Where an element lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    pub pointer: u16,
    pub offset: i64,
}

impl Memory {
    /// The element's bits, in the low bytes.
    pub fn load(&self, at: Address, elem: ElemType) -> Result<u64, Fault> {
        let bytes = self.pointers.get(usize::from(at.pointer)).ok_or("no such pointer")?;
        let start = usize::try_from(at.offset).map_err(|_| outside(at))?;
        let part = bytes.get(start..start + elem.size() as usize).ok_or_else(|| outside(at))?;
        Ok(part.iter().rev().fold(0, |bits, &b| bits << 8 | u64::from(b)))
    }

    /// Replaces the element.
    pub fn store(&mut self, at: Address, elem: ElemType, bits: u64) -> Result<(), Fault> {
        let bytes = self.pointers.get_mut(usize::from(at.pointer)).ok_or("no such pointer")?;
        let start = usize::try_from(at.offset).map_err(|_| outside(at))?;
        let size = elem.size() as usize;
        let part = bytes.get_mut(start..start + size).ok_or_else(|| outside(at))?;
        part.copy_from_slice(&bits.to_le_bytes()[..size]);
        Ok(())
    }
}

fn outside(at: Address) -> Fault {
    Fault(format!("access outside pointer {} at byte {}", at.pointer, at.offset))
}

/// The numbers of one run: parameters and what follows from them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    pub ints: Vec<i64>,
    pub scalars: Vec<u64>,
    pub steps: i64,
    /// Smallest and largest coordinate of each dimension over all non-empty statements.
    pub space: Vec<(i64, i64)>,
    /// Values of the program's tunables; defaults where there is none here.
    pub tunables: Vec<i64>,
    statements: Vec<Vec<(i64, i64)>>,
    arrays: Vec<Vec<(i64, i64)>>,
    /// For each array the boxes of its accesses.
    touched: Vec<Vec<Vec<(i64, i64)>>>,
}

impl Sizes {
    /// Evaluates a program's bounds.
    pub fn new(p: &StencilProgram, ints: &[i64], scalars: &[u64]) -> Result<Sizes, Fault> {
        let symbol = |s: Sym| match s {
            Sym::Int(i) => ints.get(usize::from(i)).copied(),
            _ => None,
        };
        let overflow = |_| Fault::from("a bound overflows");
        let mut statements = Vec::new();
        for s in &p.statements {
            let mut bounds = Vec::new();
            for (lo, hi) in s.lo.iter().zip(&s.hi) {
                bounds.push((
                    lo.eval(&symbol).map_err(overflow)?,
                    hi.eval(&symbol).map_err(overflow)?,
                ));
            }
            statements.push(bounds);
        }
        let mut sizes = Sizes {
            ints: ints.to_vec(),
            scalars: scalars.to_vec(),
            steps: p.steps.eval(&symbol).map_err(overflow)?,
            space: Vec::new(),
            tunables: Vec::new(),
            statements,
            arrays: Vec::new(),
            touched: Vec::new(),
        };
        sizes.space = (0..p.dims).map(|d| sizes.hull(d)).collect();
        // As the runtime says it of empty ones, whatever their bounds are.
        for i in (0..p.statements.len()).filter(|&i| sizes.is_empty(i)).collect::<Vec<_>>() {
            sizes.statements[i] = sizes.space.iter().map(|(lo, _)| (*lo, lo - 1)).collect();
        }
        let arrays = 0..p.arrays.len();
        sizes.touched = arrays.map(|a| sizes.boxes(p, a as u16)).collect::<Result<_, _>>()?;
        let hulls = p.arrays.iter().zip(&sizes.touched).map(|(a, all)| hull(a.strides.len(), all));
        sizes.arrays = hulls.collect();
        Ok(sizes)
    }

    /// With these values for the program's tunables.
    pub fn with_tunables(mut self, values: &[i64]) -> Sizes {
        self.tunables = values.to_vec();
        self
    }

    /// With the default of each further tunable.
    pub fn or_defaults(mut self, tunables: &[Tunable]) -> Sizes {
        let missing = tunables.iter().skip(self.tunables.len());
        self.tunables.extend(missing.map(|t| t.values.first().copied().unwrap_or(1)));
        self
    }

    /// Value of an integer parameter.
    pub fn symbol(&self, s: Sym) -> Option<i64> {
        match s {
            Sym::Int(i) => self.ints.get(usize::from(i)).copied(),
            _ => None,
        }
    }

    /// True if the statement has no instance.
    pub fn is_empty(&self, statement: usize) -> bool {
        self.statements[statement].iter().any(|(lo, hi)| hi < lo)
    }

    /// Bounds of a statement in a dimension.
    pub fn statement(&self, statement: u16, dim: u8) -> Result<(i64, i64), Fault> {
        let s = self.statements.get(usize::from(statement)).ok_or("no such statement")?;
        Ok(*s.get(usize::from(dim)).ok_or("no such dimension")?)
    }

    /// Bounds of all dimensions.
    pub fn bounds(&self, statement: usize) -> &[(i64, i64)] {
        &self.statements[statement]
    }

    /// Smallest and largest subscript that any access touches.
    pub fn array(&self, array: u16, dim: u8) -> Result<(i64, i64), Fault> {
        let a = self.arrays.get(usize::from(array)).ok_or("no such array")?;
        Ok(*a.get(usize::from(dim)).ok_or("no such dimension")?)
    }

    fn hull(&self, d: usize) -> (i64, i64) {
        let bounds = (0..self.statements.len()).filter(|&i| !self.is_empty(i));
        bounds
            .map(|i| self.statements[i][d])
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            .unwrap_or((0, -1))
    }

    /// True if some access touches the element, at some step.
    pub fn is_touched(&self, array: u16, subscripts: &[i64]) -> bool {
        let inside =
            |b: &Vec<(i64, i64)>| subscripts.iter().zip(b).all(|(x, (lo, hi))| lo <= x && x <= hi);
        self.touched.get(usize::from(array)).is_some_and(|all| all.iter().any(inside))
    }

    /// Subscripts of an array's elements that the nest may read but never writes; none for an array that it never writes.
    pub fn never_written(&self, p: &StencilProgram, array: u16) -> Result<Vec<Vec<i64>>, Fault> {
        let mut written: Vec<Vec<(i64, i64)>> = Vec::new();
        for (i, s) in p.statements.iter().enumerate().filter(|&(i, _)| !self.is_empty(i)) {
            for w in s.writes.iter().filter(|w| w.access.array == array) {
                let one = |s: &hexpass_abi::Subscript| self.touches(i, s);
                written.push(w.access.subscripts.iter().map(one).collect::<Result<_, _>>()?);
            }
        }
        let writes =
            |s: &crate::stencil::Statement| s.writes.iter().any(|w| w.access.array == array);
        if !p.statements.iter().any(writes) {
            return Ok(Vec::new());
        }
        let written = hull(p.arrays[usize::from(array)].strides.len(), &written);
        let mut all = vec![Vec::new()];
        for &(lo, hi) in &self.arrays[usize::from(array)] {
            let with = |x: Vec<i64>| (lo..=hi).map(move |i| x.iter().copied().chain([i]).collect());
            all = all.into_iter().flat_map(with).collect();
        }
        let inside = |x: &Vec<i64>| x.iter().zip(&written).all(|(x, (lo, hi))| lo <= x && x <= hi);
        all.retain(|x| self.is_touched(array, x) && !inside(x));
        Ok(all)
    }

    /// What each access of an array touches over all instances and steps.
    fn boxes(&self, p: &StencilProgram, array: u16) -> Result<Vec<Vec<(i64, i64)>>, Fault> {
        let mut out: Vec<Vec<(i64, i64)>> = Vec::new();
        for (i, s) in p.statements.iter().enumerate().filter(|&(i, _)| !self.is_empty(i)) {
            let accesses = s.reads.iter().chain(s.writes.iter().map(|w| &w.access));
            for access in accesses.filter(|a| a.array == array) {
                let one = |s: &hexpass_abi::Subscript| self.touches(i, s);
                let new = access.subscripts.iter().map(one).collect::<Result<Vec<_>, _>>()?;
                if !out.contains(&new) {
                    out.push(new);
                }
            }
        }
        Ok(out)
    }

    /// Smallest and largest value of a subscript of a statement's access.
    fn touches(
        &self,
        statement: usize,
        subscript: &hexpass_abi::Subscript,
    ) -> Result<(i64, i64), Fault> {
        let bounds = &self.statements[statement];
        let range = |s: Sym| match s {
            Sym::Time => Some((0, (self.steps - 1).max(0))),
            Sym::Iv(d) => bounds.get(usize::from(d)).copied(),
            _ => self.symbol(s).map(|v| (v, v)),
        };
        let (lo, hi) = subscript.offset.range(&range).map_err(|_| "a subscript overflows")?;
        let base = subscript.dim.map_or((0, 0), |e| bounds[usize::from(e)]);
        Ok((lo + base.0, hi + base.1))
    }

    /// Address of an array's element; `rotation` is absolute: step plus what the access adds.
    pub fn address(
        &self,
        p: &StencilProgram,
        array: u16,
        rotation: i64,
        subscripts: &[i64],
    ) -> Result<Address, Fault> {
        let a = p.arrays.get(usize::from(array)).ok_or("no such array")?;
        let value =
            |p: &Poly| p.eval(&|s| self.symbol(s)).map_err(|_| Fault::from("an address overflows"));
        let at = (rotation + value(&a.rotation)?).rem_euclid(a.slots.len() as i64);
        let slot = &a.slots[at as usize];
        let mut offset = value(&slot.offset)?;
        if subscripts.len() != a.strides.len() {
            return Err(format!("{} subscripts for array {}", subscripts.len(), a.name).into());
        }
        for (x, stride) in subscripts.iter().zip(&a.strides) {
            offset += x * value(stride)?;
        }
        Ok(Address { pointer: slot.pointer, offset })
    }

    /// Subscripts of an access at an instance.
    pub fn subscripts(&self, access: &Access, t: i64, coords: &[i64]) -> Result<Vec<i64>, Fault> {
        let symbol = |s: Sym| match s {
            Sym::Time => Some(t),
            Sym::Iv(d) => coords.get(usize::from(d)).copied(),
            _ => self.symbol(s),
        };
        let one = |s: &hexpass_abi::Subscript| {
            let offset =
                s.offset.eval(&symbol).map_err(|_| Fault::from("a subscript overflows"))?;
            Ok(offset + s.dim.and_then(|d| coords.get(usize::from(d)).copied()).unwrap_or(0))
        };
        access.subscripts.iter().map(one).collect()
    }
}

impl PlanValues for Sizes {
    fn steps(&self) -> i64 {
        self.steps
    }

    fn space(&self, dim: u8) -> (i64, i64) {
        self.space[usize::from(dim)]
    }

    fn tunable(&self, index: u8) -> i64 {
        self.tunables.get(usize::from(index)).copied().unwrap_or(1)
    }
}

/// Smallest box around all; (0, -1) in each dimension if there is none.
fn hull(dims: usize, boxes: &[Vec<(i64, i64)>]) -> Vec<(i64, i64)> {
    let of = |d: usize| boxes.iter().map(|b| b[d]).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    (0..dims).map(|d| of(d).unwrap_or((0, -1))).collect()
}
