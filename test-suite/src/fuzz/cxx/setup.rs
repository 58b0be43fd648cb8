//! What stands around the time loop: types, globals, the function `run` or a class with it, memory, `main`.

use super::*;

impl Writer<'_> {
    pub(super) fn file(&self, least: [i32; 3], run: &str) -> String {
        let mut out = String::from(HEAD);
        let _ = writeln!(out, "using Element = {};", self.p.element.in_c());
        let _ = writeln!(out, "using Value = {};", if self.is_real() { "Element" } else { "int" });
        if let Some(extents) = self.p.extents {
            for (n, extent) in self.p.sizes().iter().zip(extents) {
                let _ = writeln!(out, "constexpr {} {n} = {extent};", self.counter());
            }
        }
        out += "\nstatic inline double seen(double x) { return x != x ? NAN : x; }\n\n";
        if self.p.has_opaque_calls() {
            out += OPAQUE;
        }
        if self.ranges() {
            out += &RANGE.replace("COUNTER", self.counter());
        }
        if self.p.is_cells() {
            let fields = FIELDS[..self.p.fields.len()].join(", ");
            let _ = writeln!(out, "struct Cell {{\n    Element {fields};\n}};\n");
        }
        out += &self.buffer_type();
        if self.members() {
            out += &self.class(run);
        } else {
            out += &self.statics();
            out += &self.helpers;
            let home = if self.p.style.home == Home::External { "" } else { "static " };
            let formal: Vec<String> =
                self.run_arguments().into_iter().map(|n| n.declared).collect();
            let _ = write!(out, "{home}void run({})\n{{\n{run}}}\n\n", formal.join(", "));
        }
        out += &self.main(least);
        out
    }

    pub(super) fn statics(&self) -> String {
        let mut out = String::new();
        if self.kind() != Kind::Static {
            return out;
        }
        for (name, slots) in self.p.arrays() {
            let _ = writeln!(out, "static Buffer {};", declared(&name, slots));
        }
        out + "\n"
    }

    pub(super) fn class(&self, run: &str) -> String {
        let mut members = Lines::at(1);
        let mut formal = Vec::new();
        let mut taken = Vec::new();
        for (name, slots) in self.p.arrays() {
            members.line(&format!("Buffer {};", declared(&name, slots)));
            if slots == 0 {
                formal.push(format!("Buffer &&{name}_"));
                taken.push(format!("{name}(std::move({name}_))"));
            } else {
                let all = (0..slots).map(|k| format!("std::move({name}_{k})"));
                taken.push(format!("{name}{{{}}}", all.collect::<Vec<_>>().join(", ")));
                formal.extend((0..slots).map(|k| format!("Buffer &&{name}_{k}")));
            }
        }
        if self.p.extents.is_none() {
            for small in &SIZES[..self.p.dims] {
                members.line(&format!("{} {small};", self.counter()));
                formal.push(format!("{} {small}", self.counter()));
                taken.push(format!("{small}({small})"));
            }
        }
        let run_formal: Vec<String> =
            self.run_arguments().into_iter().map(|n| n.declared).collect();
        let helpers = indented(&self.helpers);
        let run = indented(run);
        let inline =
            if self.p.style.home == Home::External { "__attribute__((noinline)) " } else { "" };
        format!(
            "struct Simulation {{\n{}\n    Simulation({}) : {} {{}}\n\n{helpers}    \
             {inline}void run({})\n    {{\n{run}    }}\n}};\n\n",
            members.text,
            formal.join(", "),
            taken.join(", "),
            run_formal.join(", ")
        )
    }

    pub(super) fn run_arguments(&self) -> Vec<Name> {
        let mut all = Vec::new();
        let mut name = |declared: String, actual: &str| {
            all.push(Name { name: String::new(), declared, actual: actual.to_owned() });
        };
        if self.p.extents.is_none() && !self.members() && !self.far() {
            SIZES[..self.p.dims]
                .iter()
                .for_each(|small| name(format!("{} {small}", self.counter()), small));
        }
        if !self.members() && self.kind() != Kind::Static {
            for (array, slots) in self.p.arrays() {
                name(self.handed(&array, slots), &array);
            }
        }
        for (i, input) in self.p.input_names().iter().enumerate() {
            name(self.values(self.input_type(i), input, true), input);
        }
        name("Value alpha".to_owned(), "alpha");
        name("int steps".to_owned(), "steps");
        name("double *kept".to_owned(), "kept");
        name(self.values("Element", "series", true), "series");
        name(self.values("Element", "trace", false), "trace");
        all
    }

    /// How the time loop's function gets a buffer: by reference, or a pointer.
    pub(super) fn handed(&self, array: &str, slots: usize) -> String {
        let value =
            matches!(self.kind(), Kind::Pointer | Kind::View) && !self.p.ways.often(HANDED, 30);
        match (slots, value) {
            (0, true) => format!("Buffer {array}"),
            (0, false) => format!("Buffer &{array}"),
            (slots, _) => format!("Buffer (&{array})[{slots}]"),
        }
    }

    pub(super) fn main(&self, least: [i32; 3]) -> String {
        let mut out = Lines::at(2);
        if self.p.extents.is_none() {
            for (d, told) in ["c.nx", "c.ny", "c.nz"].iter().enumerate().take(self.p.dims) {
                let (t, small, least) = (self.counter(), SIZES[d], least[d]);
                out.line(&format!("const {t} {small} = {told} > {least} ? {told} : {least};"));
            }
        }
        let points: Vec<String> =
            self.p.sizes().iter().map(|n| format!("std::size_t({n})")).collect();
        out.line(&format!("const std::size_t points = {};", points.join(" * ")));
        out.line("const int steps = c.steps;");
        out.line(match self.is_real() {
            true => "const Value alpha = c.steps > 3 ? 0.25 : 0.2;",
            false => "const Value alpha = c.steps > 3 ? 3 : 2;",
        });
        let back = self.allocate(&mut out);
        let mut spills = self.rows_of_values(&points, &mut out);
        spills.extend(back);
        self.called(&mut out);
        spills.iter().for_each(|line| out.line(line));
        out.line("corpus_end();");
        format!(
            "int main(int argc, char **argv)\n{{\n    corpus_case c;\n    \
             while (corpus_next(&c, argc, argv)) {{\n{}    }}\n    return 0;\n}}\n",
            out.text
        )
    }

    /// Inputs, series and trace; gives what brings them back.
    pub(super) fn rows_of_values(&self, points: &[String], out: &mut Lines) -> Vec<String> {
        let mut back = Vec::new();
        let mut row = |t: &str, letter: char, name: &str, count: &str, out: &mut Lines| {
            let vectors = self.p.ways.often(VECTORS, 50);
            let at = if vectors { format!("{name}_at") } else { name.to_owned() };
            out.line(&format!(
                "auto *{at} = static_cast<{t} *>(corpus_array(\"{name}\", '{letter}', {count}));"
            ));
            if vectors {
                out.line(&format!("std::vector<{t}> {name}({at}, {at} + {count});"));
                back.push(format!("std::copy({name}.begin(), {name}.end(), {at});"));
            }
        };
        for (i, input) in self.p.inputs.iter().enumerate() {
            let count = input.axis.map_or("points".to_owned(), |d| points[d].clone());
            let (t, letter) =
                if input.mask { ("int", 'i') } else { ("Element", self.p.element.letter()) };
            row(t, letter, INPUTS[i], &count, out);
        }
        for name in ["trace", "series"] {
            let count = "(steps > 0 ? std::size_t(steps) + 1 : 1)";
            row("Element", self.p.element.letter(), name, count, out);
        }
        out.line("double *kept = corpus_doubles(\"kept\", 9);");
        out.line("std::fill_n(kept, 9, 0.0);");
        back
    }

    /// The call, now and then within a block that catches.
    pub(super) fn called(&self, out: &mut Lines) {
        let all = self.run_arguments().into_iter().map(|n| n.actual).collect::<Vec<_>>();
        let object = if self.members() { "simulation." } else { "" };
        let call = format!("{object}run({});", all.join(", "));
        if self.p.ways.often(THROWS, 25) {
            out.open("try {");
            out.line(&call);
            out.shut("} catch (const std::exception &) {");
            out.deeper();
            out.line("kept[0] = -1.0;");
            out.shut("}");
        } else {
            out.line(&call);
        }
    }

    /// Buffers over the corpus's memory; gives what brings them back.
    pub(super) fn allocate(&self, out: &mut Lines) -> Vec<String> {
        let (item, letter) = (self.item(), self.p.element.letter());
        let many = self.p.width();
        let sizes = self.p.sizes().join(", ");
        let memory = |name: &str| {
            format!(
                "auto *{name}_at = ({item} *)corpus_array(\"{name}\", '{letter}', points * {many});"
            )
        };
        let mut back = Vec::new();
        let mut handed = Vec::new();
        let mut before = 0;
        if self.p.storage == Storage::OneBlock {
            let total: usize = (0..self.p.grids()).map(|f| self.p.buffers_of(f)).sum();
            out.line(&format!(
                "auto *block = ({item} *)corpus_array(\"block\", '{letter}', points * {total});"
            ));
        }
        for (array, slots) in self.p.arrays() {
            if self.kind() == Kind::Static {
                out.line(&format!(
                    "corpus_own(\"{array}\", '{letter}', &{array}, sizeof {array});"
                ));
                continue;
            }
            let object = if self.members() { "simulation." } else { "" };
            let mut made = Vec::new();
            for slot in 0..slots.max(1) {
                if self.p.storage == Storage::OneBlock {
                    made.push(format!("make(block + {before} * points, {sizes})"));
                    before += 1;
                    continue;
                }
                let (name, holder) = match slots {
                    0 => (array.clone(), format!("{object}{array}")),
                    _ => (format!("{array}{slot}"), format!("{object}{array}[{slot}]")),
                };
                out.line(&memory(&name));
                back.push(format!("spill({holder}, {name}_at, points);"));
                made.push(format!("make({name}_at, {sizes})"));
            }
            match (self.members(), slots) {
                (true, _) => handed.extend(made),
                (false, 0) => out.line(&format!("Buffer {array} = {};", made[0])),
                (false, _) => {
                    out.line(&format!("Buffer {array}[{slots}] = {{{}}};", made.join(", ")));
                }
            }
        }
        if self.members() {
            if self.p.extents.is_none() {
                handed.push(sizes);
            }
            out.line(&format!("Simulation simulation({});", handed.join(", ")));
        }
        if matches!(self.kind(), Kind::Pointer | Kind::View | Kind::Static) {
            back.clear();
        }
        back
    }
}

/// A declarator of an array of buffers, or of one.
fn declared(name: &str, slots: usize) -> String {
    if slots == 0 { name.to_owned() } else { format!("{name}[{slots}]") }
}

pub(super) const HEAD: &str = "#include \"corpus.h\"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

";

pub(super) const RANGE: &str = "class Range {
  public:
    class Iterator {
      public:
        explicit Iterator(COUNTER at) : at(at) {}
        COUNTER operator*() const { return at; }
        Iterator &operator++() { ++at; return *this; }
        bool operator!=(const Iterator &o) const { return at < o.at; }

      private:
        COUNTER at;
    };
    Range(COUNTER from, COUNTER to) : from(from), to(to) {}
    Iterator begin() const { return Iterator(from); }
    Iterator end() const { return Iterator(to); }

  private:
    COUNTER from, to;
};

";

/// Functions that the compiler can't look into.
const OPAQUE: &str =
    "[[maybe_unused, gnu::noinline]] static void look(const Element &of, double &sum)
{
    const Element *at = &of;
    asm volatile(\"\" : \"+r\"(at) : : \"memory\");
    sum = sum * 0.5 + seen(*at);
}

[[maybe_unused, gnu::noinline]] static void touch(Element &of)
{
    Element *at = &of;
    asm volatile(\"\" : \"+r\"(at) : : \"memory\");
    *at = static_cast<Element>(*at / 2 + 1);
}

";
