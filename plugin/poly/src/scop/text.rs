//! A [`Scop`] as text: like the facts, with arrays and subscripts in place of pointers and bytes.
//!
//! ```text
//! scop "jacobi" file "jacobi.c" line 5
//! int n
//! pointer a
//! pointer b
//! steps n
//! loop n - 2
//! fp exact
//! array "a" f64 rotation [0] slots @0 [0], @1 [0] strides [8]
//! statement 0 line 7
//!   read A0.0 [i0]
//!   v0 f64 = load 0
//!   write A0.1 [i0 + 1] = v0
//! ```

use super::{AccessRelation, Affine, Counter, Scop, Statement, WriteRelation};
use crate::body::Body;
use crate::facts::ScalarFact;
use crate::text::{
    Line, Names, TextError, body_lines, bracketed, check_name, elem_name, entry_text, fence_text,
    line_suffix, lines, lookup_text, parse_check, parse_elem, parse_entry, parse_fence, parse_fp,
    parse_line_suffix, parse_lookup, parse_name, parse_table, parse_value, quote, table_text,
};
use hexpass_abi::{Array, FpMode, IntExpr, Poly, Slot, Sym};
use std::fmt::{self, Write};

impl fmt::Display for Scop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Names::new(&self.ints);
        write!(f, "scop {}", quote(&self.function))?;
        if let Some(file) = &self.file {
            write!(f, " file {}", quote(file))?;
        }
        writeln!(f, "{}", line_suffix(self.line))?;
        for name in &self.ints {
            writeln!(f, "int {}", quote(name))?;
        }
        for name in &self.pointers {
            writeln!(f, "pointer {}", quote(name))?;
        }
        for (a, b) in &self.disjoint_pointers {
            writeln!(f, "disjoint {a} {b}")?;
        }
        for s in &self.scalars {
            writeln!(f, "scalar {} {}", elem_name(s.ty), quote(&s.name))?;
        }
        for t in &self.tables {
            writeln!(f, "{}", table_text(t, &names))?;
        }
        for l in &self.lookups {
            writeln!(f, "{}", lookup_text(l, &names))?;
        }
        for fence in &self.fences {
            writeln!(f, "{}", fence_text(fence, &names))?;
        }
        writeln!(f, "steps {}", names.expr(&self.steps))?;
        for l in &self.loops {
            writeln!(f, "loop {}", names.expr(l))?;
        }
        if self.blocked {
            writeln!(f, "blocked")?;
        }
        writeln!(f, "fp {}", self.fp.name())?;
        for a in &self.arrays {
            writeln!(f, "{}", array_text(a, &names))?;
        }
        for array in &self.lines {
            writeln!(f, "line {array}")?;
        }
        for s in &self.statements {
            f.write_str(&statement_text(s, &names))?;
        }
        for c in &self.checks {
            write!(f, "check {} [{}]", check_name(c.kind), names.poly(&c.value))?;
            if let Some(s) = c.statement {
                write!(f, " statement {s}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn array_text(a: &Array, names: &Names) -> String {
    let slot = |s: &Slot| format!("@{} [{}]", s.pointer, names.poly(&s.offset));
    let slots: Vec<String> = a.slots.iter().map(slot).collect();
    let mut out = format!(
        "array {} {} rotation [{}] slots {} strides",
        quote(&a.name),
        elem_name(a.elem),
        names.poly(&a.rotation),
        slots.join(", ")
    );
    for s in &a.strides {
        let _ = write!(out, " [{}]", names.poly(s));
    }
    out
}

fn statement_text(s: &Statement, names: &Names) -> String {
    let mut out = String::from("statement");
    for l in &s.loops {
        let _ = write!(out, " {l}");
    }
    let _ = writeln!(out, "{}", line_suffix(s.line));
    for p in &s.conditions {
        let _ = writeln!(out, "  where [{}]", names.poly(p));
    }
    for a in &s.reads {
        let _ = writeln!(out, "  read {}", access_text(a, names));
    }
    for e in &s.entries {
        let _ = writeln!(out, "  {}", entry_text(e, names));
    }
    for v in body_lines(&s.body, names) {
        let _ = writeln!(out, "  {v}");
    }
    for w in &s.writes {
        let _ = writeln!(out, "  write {} = v{}", access_text(&w.access, names), w.value);
    }
    out
}

fn access_text(a: &AccessRelation, names: &Names) -> String {
    let mut out = format!("A{}.{}", a.array, a.rotation);
    for s in &a.subscripts {
        let _ = write!(out, " [{}]", affine_text(s, names));
    }
    if a.maybe {
        out.push_str(" maybe");
    }
    out
}

fn affine_text(a: &Affine, names: &Names) -> String {
    let offset = names.poly(&a.offset);
    let Some(c) = a.counter else { return offset };
    let sign = if c.negative { "-" } else { "" };
    let counter = format!("{sign}{}", names.symbol(Sym::Iv(c.index)));
    match offset.strip_prefix('-') {
        _ if a.offset.is_zero() => counter,
        Some(positive) => format!("{counter} - {positive}"),
        None => format!("{counter} + {offset}"),
    }
}

impl std::str::FromStr for Scop {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Scop, TextError> {
        let mut scop = Scop {
            function: String::new(),
            file: None,
            line: None,
            ints: Vec::new(),
            pointers: Vec::new(),
            disjoint_pointers: Vec::new(),
            scalars: Vec::new(),
            tables: Vec::new(),
            lookups: Vec::new(),
            fences: Vec::new(),
            steps: IntExpr::Poly(Poly::zero()),
            loops: Vec::new(),
            blocked: false,
            arrays: Vec::new(),
            lines: Vec::new(),
            statements: Vec::new(),
            checks: Vec::new(),
            fp: FpMode::Exact,
        };
        for mut line in lines(text)? {
            parse_line(&mut scop, &mut line)?;
        }
        Ok(scop)
    }
}

fn parse_line(scop: &mut Scop, whole: &mut Line) -> Result<(), TextError> {
    let names = Names::new(&scop.ints);
    let mut rest = whole.clone();
    let word = rest.ident()?;
    let line = &mut rest;
    match word.as_str() {
        "scop" => {
            scop.function = line.text()?;
            scop.file = if line.eat_word("file") { Some(line.text()?) } else { None };
            scop.line = parse_line_suffix(line)?;
        }
        "int" => scop.ints.push(parse_name(line)?),
        "pointer" => scop.pointers.push(parse_name(line)?),
        "disjoint" => scop.disjoint_pointers.push((line.number()?, line.number()?)),
        "scalar" => {
            scop.scalars.push(ScalarFact { ty: parse_elem(line)?, name: parse_name(line)? });
        }
        "table" => scop.tables.push(parse_table(line, &names)?),
        "lookup" => scop.lookups.push(parse_lookup(line, &names)?),
        "fence" => scop.fences.push(parse_fence(line, &names)?),
        "entry" => {
            let entry = parse_entry(line, &names)?;
            last(scop, line)?.entries.push(entry);
        }
        "steps" => scop.steps = names.parse_expr(line)?,
        "loop" => scop.loops.push(names.parse_expr(line)?),
        "blocked" => scop.blocked = true,
        "fp" => scop.fp = parse_fp(line)?,
        "array" => scop.arrays.push(parse_array(line, &names)?),
        "line" => scop.lines.push(line.number()?),
        "statement" => scop.statements.push(parse_statement(line)?),
        "check" => scop.checks.push(parse_check(line, &names)?),
        "where" => {
            let p = bracketed(line, &names)?;
            last(scop, line)?.conditions.push(p);
        }
        "read" => {
            let access = parse_access(line, &names)?;
            last(scop, line)?.reads.push(access);
        }
        "write" => {
            let access = parse_access(line, &names)?;
            line.expect('=')?;
            let value = line.numbered("v")?;
            last(scop, line)?.writes.push(WriteRelation { access, value });
        }
        _ => {
            let body = &mut last(scop, whole)?.body;
            let value = parse_value(whole, body.values.len(), &names)?;
            body.values.push(value);
            return Ok(());
        }
    }
    line.end()
}

fn last<'a>(scop: &'a mut Scop, line: &Line) -> Result<&'a mut Statement, TextError> {
    scop.statements.last_mut().ok_or_else(|| line.error("no statement has started"))
}

fn parse_array(line: &mut Line, names: &Names) -> Result<Array, TextError> {
    let name = line.text()?;
    let elem = parse_elem(line)?;
    line.expect_word("rotation")?;
    let rotation = bracketed(line, names)?;
    line.expect_word("slots")?;
    let mut slots = Vec::new();
    while slots.is_empty() || line.eat(',') {
        line.expect('@')?;
        slots.push(Slot { pointer: line.number()?, offset: bracketed(line, names)? });
    }
    line.expect_word("strides")?;
    let mut strides = Vec::new();
    while !line.at_end() {
        strides.push(bracketed(line, names)?);
    }
    Ok(Array { name, elem, slots, rotation, strides })
}

fn parse_statement(line: &mut Line) -> Result<Statement, TextError> {
    let mut loops = Vec::new();
    while let Some(n) = line.try_number() {
        loops.push(u16::try_from(n).map_err(|_| line.error(format!("{n} is out of range")))?);
    }
    let at = parse_line_suffix(line)?;
    let (reads, entries, writes) = (Vec::new(), Vec::new(), Vec::new());
    let conditions = Vec::new();
    Ok(Statement { loops, conditions, reads, entries, body: Body::default(), writes, line: at })
}

fn parse_access(line: &mut Line, names: &Names) -> Result<AccessRelation, TextError> {
    let array = line.numbered("A")?;
    line.expect('.')?;
    let rotation = line.number()?;
    let mut subscripts = Vec::new();
    while line.clone().eat('[') {
        let p = bracketed(line, names)?;
        subscripts.push(affine(&p).ok_or_else(|| line.error("not one counter and an offset"))?);
    }
    Ok(AccessRelation { array, rotation, subscripts, maybe: line.eat_word("maybe") })
}

/// A polynomial as a counter and an offset.
fn affine(p: &Poly) -> Option<Affine> {
    let counted = |s: &Sym| if let Sym::Iv(i) = s { Some(*i) } else { None };
    let index = p.terms().iter().flat_map(|t| &t.symbols).find_map(counted);
    let Some(index) = index else { return Some(Affine { counter: None, offset: p.clone() }) };
    let (coefficient, offset) = p.split(Sym::Iv(index))?;
    let negative = match coefficient.as_constant()? {
        1 => false,
        -1 => true,
        _ => return None,
    };
    let simple = !offset.mentions_any(|s| matches!(s, Sym::Iv(_)));
    simple.then_some(Affine { counter: Some(Counter { index, negative }), offset })
}
