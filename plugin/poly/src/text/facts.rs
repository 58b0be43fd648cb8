//! [`NestFacts`] as text.
//!
//! ```text
//! nest "jacobi" file "jacobi.c" line 5
//! int n
//! pointer a
//! pointer b
//! rotation @0 [0], @1 [0]
//! steps n
//! loop n - 2
//! fp exact
//! statement 0 line 7
//!   load f64 @r0.0 [8*i0]
//!   v0 f64 = load 0
//!   store f64 @r0.1 [8*i0 + 8] = v0
//! check size [n - 1]
//! ```

use super::{Line, Names, TextError, body_lines, elem_name, lines, parse_elem, parse_value, quote};
use crate::body::Body;
use crate::facts::{
    AccessFact, Base, CheckFact, DescriptorFact, LoopFact, ModFact, NestFacts, RotationFact,
    ScalarFact, StatementFact, StoreFact,
};
use hexpass_abi::{
    CheckKind, Entry, Fence, FpMode, Held, IntExpr, Lookup, Poly, Sym, Table, TableEntries,
};
use std::fmt::{self, Write};

impl fmt::Display for NestFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Names::new(&self.ints);
        write!(f, "nest {}", quote(&self.function))?;
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
        for d in &self.descriptors {
            let stride = names.poly(&Poly::symbol(Sym::Int(d.stride)));
            write!(f, "descriptor @{} [{stride}]", d.pointer)?;
            match d.dimension {
                0 => writeln!(f)?,
                further => writeln!(f, " dimension {further}")?,
            }
        }
        for s in &self.scalars {
            writeln!(f, "scalar {} {}", elem_name(s.ty), quote(&s.name))?;
        }
        for m in &self.mods {
            writeln!(f, "mod [{}] {}", names.poly(&m.inner), m.modulus)?;
        }
        for r in &self.rotations {
            let element = |(p, offset): &(u16, Poly)| format!("@{p} [{}]", names.poly(offset));
            let all: Vec<String> = r.initial.iter().map(element).collect();
            let turned = match r.turned.is_zero() {
                true => String::new(),
                false => format!(" turned [{}]", names.poly(&r.turned)),
            };
            writeln!(f, "rotation {}{turned}", all.join(", "))?;
        }
        for t in &self.tables {
            writeln!(f, "{}", table_text(t, &names))?;
        }
        for l in &self.lookups {
            writeln!(f, "{}", lookup_text(l, &names))?;
        }
        writeln!(f, "steps {}", names.expr(&self.steps))?;
        for l in &self.loops {
            writeln!(f, "loop {}", names.expr(&l.trip))?;
        }
        if self.blocked {
            writeln!(f, "blocked")?;
        }
        writeln!(f, "fp {}", self.fp.name())?;
        self.statements.iter().try_for_each(|s| f.write_str(&statement_text(s, &names)))?;
        for c in &self.checks {
            write!(f, "check {} [{}]", check_name(c.kind), names.poly(&c.value))?;
            if let Some(s) = c.statement {
                write!(f, " statement {s}")?;
            }
            if let Some(v) = c.under {
                write!(f, " under v{v}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// ` line 12`, or nothing.
pub fn line_suffix(line: Option<u32>) -> String {
    line.map_or(String::new(), |l| format!(" line {l}"))
}

fn statement_text(s: &StatementFact, names: &Names) -> String {
    let mut out = String::from("statement");
    for l in &s.loops {
        let _ = write!(out, " {l}");
    }
    out.push_str(&line_suffix(s.line));
    out.push('\n');
    for p in &s.conditions {
        let _ = writeln!(out, "  where [{}]", names.poly(p));
    }
    for l in &s.loads {
        let _ = writeln!(out, "  load {}", access_text(l, names));
    }
    for e in &s.entries {
        let _ = writeln!(out, "  {}", entry_text(e, names));
    }
    for v in body_lines(&s.body, names) {
        let _ = writeln!(out, "  {v}");
    }
    for w in &s.stores {
        let _ = writeln!(out, "  store {} = v{}", access_text(&w.access, names), w.value);
    }
    out
}

/// `table "u" roots @0 0, @1 0 every 8 at 0 rows @2 0 p1, @3 0 p2`
pub fn table_text(t: &Table, names: &Names) -> String {
    let roots: Vec<String> = t.roots.iter().map(|(p, bytes)| format!("@{p} {bytes}")).collect();
    let mut out = format!("table {} roots {}", quote(&t.name), roots.join(", "));
    for (stride, field) in t.strides.iter().zip(&t.fields) {
        let _ = write!(out, " every {stride} at {field}");
    }
    match &t.entries {
        TableEntries::Same(i) => {
            let _ = write!(out, " same p{i}");
        }
        TableEntries::Apart { ahead, bytes } => {
            let _ = write!(out, " ahead p{ahead} of {bytes}");
        }
        TableEntries::Numbers { bytes, step, start } => {
            let _ = write!(out, " numbers {bytes} {step} [{}]", names.poly(start));
        }
        TableEntries::Rows(slots) => {
            for (i, (base, levels)) in slots.iter().enumerate() {
                out.push_str(if i == 0 { " rows" } else { "," });
                let _ = write!(out, " @{base}");
                for (first, pitch) in levels {
                    let _ = write!(out, " {first} p{pitch}");
                }
            }
        }
    }
    out
}

/// `fence "solid" @2 i8 [0] every [m] 1 to [n - 2] every [1] 0 to 0 held -1 1 to 1`: a mask's elements, and what they hold.
pub fn fence_text(f: &Fence, names: &Names) -> String {
    let (name, elem) = (quote(&f.name), elem_name(f.elem));
    let mut out = format!("fence {name} @{} {elem} [{}]", f.pointer, names.poly(&f.offset));
    for (stride, (first, last)) in f.strides.iter().zip(&f.ranges) {
        let (first, last) = (names.expr(first), names.expr(last));
        let _ = write!(out, " every [{}] {first} to {last}", names.poly(stride));
    }
    let (held, within) = match f.held {
        Held::Integers { bits, first, last, within } => {
            (format!("held {bits} {first} to {last}"), within)
        }
        Held::Reals { first, last, within } => {
            (format!("real {} to {}", first.to_bits() as i64, last.to_bits() as i64), within)
        }
    };
    let _ = write!(out, " {held}{}", if within { "" } else { " others" });
    out
}

/// A fence, after its first word.
pub fn parse_fence(line: &mut Line, names: &Names) -> Result<Fence, TextError> {
    let name = parse_name(line)?;
    line.expect('@')?;
    let (pointer, elem, offset) = (line.number()?, parse_elem(line)?, bracketed(line, names)?);
    let (mut strides, mut ranges) = (Vec::new(), Vec::new());
    while line.eat_word("every") {
        strides.push(bracketed(line, names)?);
        let first = names.parse_expr(line)?;
        line.expect_word("to")?;
        ranges.push((first, names.parse_expr(line)?));
    }
    let real = line.eat_word("real");
    let bits = if real { 0 } else { line.expect_word("held").and_then(|()| line.number())? };
    let first: i64 = line.number()?;
    line.expect_word("to")?;
    let last: i64 = line.number()?;
    let within = !line.eat_word("others");
    let held = if real {
        let number = |bits: i64| f64::from_bits(bits as u64);
        Held::Reals { first: number(first), last: number(last), within }
    } else {
        Held::Integers { bits, first, last, within }
    };
    Ok(Fence { name, pointer, offset, strides, elem, ranges, held })
}

/// A table, after its first word.
pub fn parse_table(line: &mut Line, names: &Names) -> Result<Table, TextError> {
    let name = parse_name(line)?;
    line.expect_word("roots")?;
    let mut roots = Vec::new();
    while roots.is_empty() || line.eat(',') {
        line.expect('@')?;
        roots.push((line.number()?, line.number()?));
    }
    let (mut strides, mut fields) = (Vec::new(), Vec::new());
    while line.eat_word("every") {
        strides.push(line.number()?);
        line.expect_word("at")?;
        fields.push(line.number()?);
    }
    if line.eat_word("same") {
        let entries = TableEntries::Same(line.numbered("p")?);
        return Ok(Table { name, roots, strides, fields, entries });
    }
    if line.eat_word("ahead") {
        let ahead = line.numbered("p")?;
        line.expect_word("of")?;
        let entries = TableEntries::Apart { ahead, bytes: line.number()? };
        return Ok(Table { name, roots, strides, fields, entries });
    }
    if line.eat_word("numbers") {
        let (bytes, step) = (line.number()?, line.number()?);
        let entries = TableEntries::Numbers { bytes, step, start: bracketed(line, names)? };
        return Ok(Table { name, roots, strides, fields, entries });
    }
    line.expect_word("rows")?;
    let mut slots = Vec::new();
    while slots.is_empty() || line.eat(',') {
        line.expect('@')?;
        let base = line.number()?;
        let mut levels = Vec::new();
        for _ in &strides {
            levels.push((line.number()?, line.numbered("p")?));
        }
        slots.push((base, levels));
    }
    Ok(Table { name, roots, strides, fields, entries: TableEntries::Rows(slots) })
}

/// `entry 0 1 [i0 + 1]`: table, slot, index of each level.
pub fn entry_text(e: &Entry, names: &Names) -> String {
    let mut out = format!("entry {} {}", e.table, e.rotation);
    for p in &e.index {
        let _ = write!(out, " [{}]", names.poly(p));
    }
    out
}

/// An entry, after its first word.
pub fn parse_entry(line: &mut Line, names: &Names) -> Result<Entry, TextError> {
    let (table, rotation) = (line.number()?, line.number()?);
    let mut index = Vec::new();
    while !line.at_end() {
        index.push(bracketed(line, names)?);
    }
    Ok(Entry { table, rotation, index })
}

/// `lookup 0 1 [1] to [n - 2]`: as an entry, from the first to the last.
pub fn lookup_text(l: &Lookup, names: &Names) -> String {
    let mut out = format!("lookup {} {}", l.table, l.rotation);
    for (first, last) in &l.index {
        let _ = write!(out, " {} to {}", names.expr(first), names.expr(last));
    }
    out
}

/// A lookup, after its first word.
pub fn parse_lookup(line: &mut Line, names: &Names) -> Result<Lookup, TextError> {
    let (table, rotation) = (line.number()?, line.number()?);
    let mut index = Vec::new();
    while !line.at_end() {
        let first = names.parse_expr(line)?;
        line.expect_word("to")?;
        index.push((first, names.parse_expr(line)?));
    }
    Ok(Lookup { table, rotation, index })
}

fn access_text(a: &AccessFact, names: &Names) -> String {
    let base = match a.base {
        Base::Pointer(p) => format!("@{p}"),
        Base::Rotation { rotation, index } => format!("@r{rotation}.{index}"),
    };
    let maybe = if a.maybe { " maybe" } else { "" };
    format!("{} {base} [{}]{maybe}", elem_name(a.elem), names.poly(&a.offset))
}

/// The word for a kind of check.
pub fn check_name(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Wrap => "wrap",
        CheckKind::Bounds => "bounds",
        CheckKind::Size => "size",
        CheckKind::Rare => "rare",
        CheckKind::Idle => "idle",
    }
}

impl std::str::FromStr for NestFacts {
    type Err = TextError;

    fn from_str(text: &str) -> Result<NestFacts, TextError> {
        let mut facts = NestFacts {
            function: String::new(),
            file: None,
            line: None,
            ints: Vec::new(),
            pointers: Vec::new(),
            disjoint_pointers: Vec::new(),
            descriptors: Vec::new(),
            scalars: Vec::new(),
            mods: Vec::new(),
            rotations: Vec::new(),
            tables: Vec::new(),
            lookups: Vec::new(),
            steps: IntExpr::Poly(Poly::zero()),
            loops: Vec::new(),
            blocked: false,
            statements: Vec::new(),
            checks: Vec::new(),
            fp: FpMode::Exact,
        };
        for mut line in lines(text)? {
            parse_line(&mut facts, &mut line)?;
        }
        Ok(facts)
    }
}

fn parse_line(facts: &mut NestFacts, line: &mut Line) -> Result<(), TextError> {
    let names = Names::new(&facts.ints);
    let mut rest = line.clone();
    let word = rest.ident()?;
    match word.as_str() {
        "load" | "store" => return parse_access_line(facts, &mut rest, &word, &names),
        "entry" => {
            let entry = parse_entry(&mut rest, &names)?;
            last_statement(facts, line)?.entries.push(entry);
            return Ok(());
        }
        "where" => {
            let p = bracketed(&mut rest, &names)?;
            last_statement(facts, line)?.conditions.push(p);
            return rest.end();
        }
        _ if word.strip_prefix('v').is_some_and(|n| n.parse::<u16>().is_ok()) => {
            let body = &mut last_statement(facts, line)?.body;
            body.values.push(parse_value(line, body.values.len(), &names)?);
            return Ok(());
        }
        _ => {}
    }
    let line = &mut rest;
    match word.as_str() {
        "nest" => {
            facts.function = line.text()?;
            facts.file = if line.eat_word("file") { Some(line.text()?) } else { None };
            facts.line = parse_line_suffix(line)?;
        }
        "int" => facts.ints.push(parse_name(line)?),
        "pointer" => facts.pointers.push(parse_name(line)?),
        "disjoint" => facts.disjoint_pointers.push((line.number()?, line.number()?)),
        "descriptor" => {
            line.expect('@')?;
            let pointer = line.number()?;
            let stride = bracketed(line, &names)?;
            let found = facts.ints.len();
            let stride = (0u16..).take(found).find(|&i| stride == Poly::symbol(Sym::Int(i)));
            let stride = stride.ok_or_else(|| line.error("no parameter"))?;
            let dimension = if line.eat_word("dimension") { line.number()? } else { 0 };
            facts.descriptors.push(DescriptorFact { pointer, stride, dimension });
        }
        "scalar" => {
            facts.scalars.push(ScalarFact { ty: parse_elem(line)?, name: parse_name(line)? });
        }
        "mod" => {
            facts.mods.push(ModFact { inner: bracketed(line, &names)?, modulus: line.number()? })
        }
        "rotation" => {
            let mut initial = Vec::new();
            while initial.is_empty() || line.eat(',') {
                line.expect('@')?;
                initial.push((line.number()?, bracketed(line, &names)?));
            }
            let turned = match line.eat_word("turned") {
                true => bracketed(line, &names)?,
                false => Poly::zero(),
            };
            facts.rotations.push(RotationFact { initial, turned });
        }
        "table" => facts.tables.push(parse_table(line, &names)?),
        "lookup" => facts.lookups.push(parse_lookup(line, &names)?),
        "steps" => facts.steps = names.parse_expr(line)?,
        "loop" => facts.loops.push(LoopFact { trip: names.parse_expr(line)? }),
        "blocked" => facts.blocked = true,
        "fp" => facts.fp = parse_fp(line)?,
        "statement" => facts.statements.push(parse_statement(line)?),
        "check" => facts.checks.push(parse_check(line, &names)?),
        other => return Err(line.error(format!("no line starts with `{other}`"))),
    }
    line.end()
}

fn parse_access_line(
    facts: &mut NestFacts,
    line: &mut Line,
    word: &str,
    names: &Names,
) -> Result<(), TextError> {
    let access = parse_access(line, names)?;
    if word == "load" {
        line.end()?;
        last_statement(facts, line)?.loads.push(access);
    } else {
        line.expect('=')?;
        let value = line.numbered("v")?;
        line.end()?;
        last_statement(facts, line)?.stores.push(StoreFact { access, value });
    }
    Ok(())
}

fn last_statement<'a>(
    facts: &'a mut NestFacts,
    line: &Line,
) -> Result<&'a mut StatementFact, TextError> {
    facts.statements.last_mut().ok_or_else(|| line.error("no statement has started"))
}

/// A name, quoted if it is no word.
pub fn parse_name(line: &mut Line) -> Result<String, TextError> {
    match line.try_text() {
        Some(text) => Ok(text),
        None => line.ident(),
    }
}

/// `line 12`, or nothing.
pub fn parse_line_suffix(line: &mut Line) -> Result<Option<u32>, TextError> {
    if line.eat_word("line") { line.number().map(Some) } else { Ok(None) }
}

/// A polynomial in brackets.
pub fn bracketed(line: &mut Line, names: &Names) -> Result<Poly, TextError> {
    line.expect('[')?;
    let p = names.parse_poly(line)?;
    line.expect(']')?;
    Ok(p)
}

/// The word for a rounding mode.
pub fn parse_fp(line: &mut Line) -> Result<FpMode, TextError> {
    let word = line.ident()?;
    [FpMode::Exact, FpMode::Contract, FpMode::Fast]
        .into_iter()
        .find(|m| m.name() == word)
        .ok_or_else(|| line.error(format!("no rounding mode is called `{word}`")))
}

fn parse_access(line: &mut Line, names: &Names) -> Result<AccessFact, TextError> {
    let elem = parse_elem(line)?;
    line.expect('@')?;
    let base = match line.try_number() {
        Some(n) => {
            Base::Pointer(u16::try_from(n).map_err(|_| line.error(format!("{n} is out of range")))?)
        }
        None => {
            let rotation = line.numbered("r")?;
            line.expect('.')?;
            Base::Rotation { rotation, index: line.number()? }
        }
    };
    let offset = bracketed(line, names)?;
    Ok(AccessFact { base, offset, elem, maybe: line.eat_word("maybe") })
}

fn parse_statement(line: &mut Line) -> Result<StatementFact, TextError> {
    let mut loops = Vec::new();
    while let Some(n) = line.try_number() {
        loops.push(u16::try_from(n).map_err(|_| line.error(format!("{n} is out of range")))?);
    }
    let at = parse_line_suffix(line)?;
    Ok(StatementFact {
        loops,
        conditions: Vec::new(),
        loads: Vec::new(),
        entries: Vec::new(),
        body: Body::default(),
        stores: Vec::new(),
        line: at,
    })
}

/// A check, after its first word.
pub fn parse_check(line: &mut Line, names: &Names) -> Result<CheckFact, TextError> {
    let word = line.ident()?;
    let kind =
        [CheckKind::Wrap, CheckKind::Bounds, CheckKind::Size, CheckKind::Rare, CheckKind::Idle]
            .into_iter()
            .find(|&k| check_name(k) == word)
            .ok_or_else(|| line.error(format!("no check is called `{word}`")))?;
    let value = bracketed(line, names)?;
    let statement = if line.eat_word("statement") { Some(line.number()?) } else { None };
    let under = if line.eat_word("under") { Some(line.numbered("v")?) } else { None };
    Ok(CheckFact { value, statement, under, kind })
}
