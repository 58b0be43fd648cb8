//! Recognition, statement by statement.

use super::align::{Aligned, Arrays, Origin, align, checks};
use super::join::{Piece, join};
use super::split::{one_store_each, without_dead_stores};
use super::{Granted, Statement, StencilProgram};
use crate::rejection::{Reason, Rejection};
use crate::scop::{Scop, WriteRelation, out_of_range};
use hexpass_abi::{Array, Check, CheckKind, Poly, Sym};

/// Aligns all statements of a nest; says whether some of them join pieces.
pub fn recognise(scop: &Scop) -> Result<(Aligned, bool), Rejection> {
    let (apart, split) = recognise_apart(scop)?;
    let joined = if split.is_empty() { None } else { recognise_joined(scop, &split) };
    Ok(joined.map_or((apart, false), |joined| (joined, true)))
}

/// The same, each statement by itself; and the loops of those that became several.
pub fn recognise_apart(scop: &Scop) -> Result<(Aligned, Vec<&[u16]>), Rejection> {
    let mut arrays = Arrays::of(scop);
    let dims = dimensions(scop, &arrays)?;
    let (mut statements, mut origins, mut split) = (Vec::new(), Vec::new(), Vec::new());
    for (index, s) in scop.statements.iter().enumerate() {
        let whole = without_dead_stores(s);
        let before = arrays.anchors.clone();
        let together = match keeps_several(&whole, scop) {
            true => Err(Rejection::new(Reason::WriteShape, "values of several places")),
            false => align(scop, &Piece::new(index, 0, whole.clone()), dims, &mut arrays),
        };
        match together {
            Ok((statement, origin)) => {
                statements.push(statement);
                origins.push(origin);
            }
            Err(why) if whole.writes.len() == 1 => return Err(why.at(s.line)),
            Err(_) => {
                arrays.anchors = before;
                split.push(&s.loops[..]);
                for (part, p) in one_store_each(&whole).into_iter().enumerate() {
                    let piece = Piece::new(index, part, p);
                    let (statement, origin) =
                        align(scop, &piece, dims, &mut arrays).map_err(|e| e.at(s.line))?;
                    statements.push(statement);
                    origins.push(origin);
                }
            }
        }
    }
    Ok((aligned(scop, dims, statements, origins)?, split))
}

/// It keeps values of several places in each step, of which none needs those around the others: what receivers hear, or
/// what a step is reduced from there, in arrays of a single element.
fn keeps_several(s: &crate::scop::Statement, scop: &Scop) -> bool {
    let keeps =
        |w: &WriteRelation| w.access.subscripts.iter().any(|x| x.offset.mentions(Sym::Time));
    let is_single = |w: &WriteRelation| {
        let others = scop.statements.iter().flat_map(|s| &s.writes);
        w.access.subscripts.iter().all(|x| x.counter.is_none())
            && others.filter(|other| other.access.array == w.access.array).count() == 1
    };
    let is_read = |w: &WriteRelation| s.reads.iter().any(|r| r.array == w.access.array);
    let apart = |w: &WriteRelation| (keeps(w) || is_single(w)) && !is_read(w);
    s.loops.is_empty() && s.writes.len() > 1 && s.writes.iter().all(apart)
}

/// With one statement for each store under these loops, pieces joined; none where there are none, or they can't be aligned.
fn recognise_joined(scop: &Scop, split: &[&[u16]]) -> Option<Aligned> {
    let mut pieces = Vec::new();
    for (index, s) in scop.statements.iter().enumerate() {
        let whole = without_dead_stores(s);
        if split.contains(&&s.loops[..]) {
            let parts = one_store_each(&whole).into_iter().enumerate();
            pieces.extend(parts.map(|(part, p)| Piece::new(index, part, p)));
        } else {
            pieces.push(Piece::new(index, 0, whole));
        }
    }
    if !join(&mut pieces, scop).ok()? {
        return None;
    }
    let mut arrays = Arrays::of(scop);
    let dims = dimensions(scop, &arrays).ok()?;
    let all: Result<Vec<_>, Rejection> =
        pieces.iter().map(|piece| align(scop, piece, dims, &mut arrays)).collect();
    let (statements, origins) = all.ok()?.into_iter().unzip();
    let mut out = aligned(scop, dims, statements, origins).ok()?;
    for value in pieces.iter().flat_map(|p| &p.granted) {
        let check = Check { value: value.clone(), statement: None, kind: CheckKind::Size };
        if !out.program.checks.contains(&check) {
            out.program.checks.push(check);
        }
    }
    Some(out)
}

fn aligned(
    scop: &Scop,
    dims: usize,
    statements: Vec<Statement>,
    origins: Vec<Origin>,
) -> Result<Aligned, Rejection> {
    let checks = checks(scop, &origins)?;
    let mut program = StencilProgram {
        function: scop.function.clone(),
        file: scop.file.clone(),
        line: scop.line,
        dims,
        ints: scop.ints.clone(),
        steps: scop.steps.clone(),
        arrays: scop.arrays.clone(),
        tables: scop.tables.clone(),
        lookups: scop.lookups.clone(),
        fences: scop.fences.clone(),
        statements,
        checks,
        disjoint_pointers: scop.disjoint_pointers.clone(),
        reductions: vec![],
        aside: vec![],
        scalars: scop.scalars.iter().map(|s| s.ty).collect(),
        fp: scop.fp,
        granted: Granted::default(),
    };
    shift_coefficients(&mut program)?;
    Ok(Aligned { program, origins })
}

/// The largest number of dimensions of a written array, as far as counters run through them.
fn dimensions(scop: &Scop, arrays: &Arrays) -> Result<usize, Rejection> {
    let written = scop.statements.iter().flat_map(|s| &s.writes).map(|w| w.access.array);
    let along = |a: u16| arrays.along_space[usize::from(a)].iter().filter(|along| **along).count();
    let dims = written.map(along).max().unwrap_or(0);
    match dims {
        1..=3 => Ok(dims),
        0 => Err(Rejection::new(
            Reason::WriteShape,
            "the loop writes single elements, no array along its dimensions",
        )),
        _ => Err(Rejection::new(
            Reason::WriteShape,
            format!("the loop writes an array of {dims} dimensions; up to 3 are handled"),
        )),
    }
}

/// An array that is only read, always shifted by the same parameters (`c[i + offset]`), starts there instead.
fn shift_coefficients(p: &mut StencilProgram) -> Result<(), Rejection> {
    for index in 0..p.arrays.len() {
        let written = p
            .statements
            .iter()
            .flat_map(|s| &s.writes)
            .any(|w| usize::from(w.access.array) == index);
        if !written {
            for d in 0..p.arrays[index].strides.len() {
                shift_dimension(p, index, d)?;
            }
        }
    }
    Ok(())
}

fn shift_dimension(p: &mut StencilProgram, index: usize, d: usize) -> Result<(), Rejection> {
    let offsets = || {
        let reads = p.statements.iter().flat_map(|s| &s.reads);
        reads.filter(|a| usize::from(a.array) == index).map(|a| &a.subscripts[d])
    };
    let mut shift: Option<Poly> = None;
    for s in offsets().filter(|s| s.dim.is_some()) {
        let own = s.offset.sub(&Poly::constant(s.offset.constant_part())).map_err(out_of_range)?;
        if shift.as_ref().is_some_and(|known| *known != own) {
            return Ok(());
        }
        shift = Some(own);
    }
    let Some(shift) = shift.filter(|s| !s.is_zero()) else { return Ok(()) };
    let Array { strides, slots, .. } = &mut p.arrays[index];
    let bytes = shift.mul(&strides[d]).map_err(out_of_range)?;
    for slot in slots {
        slot.offset = slot.offset.add(&bytes).map_err(out_of_range)?;
    }
    for s in &mut p.statements {
        for a in s.reads.iter_mut().filter(|a| usize::from(a.array) == index) {
            let offset = &mut a.subscripts[d].offset;
            *offset = offset.sub(&shift).map_err(out_of_range)?;
        }
    }
    Ok(())
}
