//! What stands around the time loop: constants, types, the function `run` or a structure with it, `main`.

use super::*;

impl Writer<'_> {
    pub(super) fn file(&self, least: [i32; 3], run: &str) -> String {
        let mut out = String::from(HEAD);
        if let Some(extents) = self.p.extents {
            for d in 0..self.p.dims {
                // Lengths of arrays are of one type.
                let t = if self.kind() == Kind::Array { "usize" } else { self.counter() };
                let _ = writeln!(out, "const {}: {t} = {};", SIZES[d].to_uppercase(), extents[d]);
            }
            out.push('\n');
        }
        if self.p.is_cells() {
            let fields: Vec<String> = FIELDS[..self.p.fields.len()]
                .iter()
                .map(|f| format!("{f}: {}", self.element()))
                .collect();
            let _ = writeln!(
                out,
                "#[derive(Clone, Copy, Default)]\nstruct Cell {{ {} }}\n",
                fields.join(", ")
            );
        }
        if self.kind() == Kind::Grid {
            out += &self.grid_type();
        }
        let v = self.value();
        let _ = write!(
            out,
            "fn least(a: {v}, b: {v}) -> {v} {{\n    if a < b {{ a }} else {{ b }}\n}}\n\n\
             fn most(a: {v}, b: {v}) -> {v} {{\n    if a > b {{ a }} else {{ b }}\n}}\n\n"
        );
        if self.p.has_opaque_calls() {
            let half = if self.is_real() { "2.0 + 1.0" } else { "2 + 1" };
            out += &OPAQUE.replace("ELEMENT", self.element()).replace("HALF", half);
        }
        let inline = match self.p.style.home {
            Home::External => "#[inline(never)]\n",
            _ => "",
        };
        if self.members() {
            out += &self.simulation(run, inline);
        } else {
            out += &self.functions;
            if self.p.style.home != Home::Main {
                let all: Vec<String> =
                    self.run_arguments().into_iter().map(|n| n.declared).collect();
                let life = if self.kind() == Kind::Slice { "<'a>" } else { "" };
                let _ = write!(out, "{inline}fn run{life}({}) {{\n{run}}}\n\n", all.join(", "));
            }
        }
        out += &self.main(least, run);
        out
    }

    pub(super) fn simulation(&self, run: &str, inline: &str) -> String {
        let mut members = Lines::at(1);
        if self.p.extents.is_none() {
            SIZES[..self.p.dims]
                .iter()
                .for_each(|small| members.line(&format!("{small}: {},", self.counter())));
        }
        for (name, slots) in self.p.arrays() {
            let t = self.buffer_type();
            members.line(&match slots {
                0 => format!("{name}: {t},"),
                _ => format!("{name}: [{t}; {slots}],"),
            });
        }
        let mut formal = vec!["&mut self".to_owned()];
        formal.extend(self.run_arguments().into_iter().map(|n| n.declared));
        let (methods, functions) = if self.whole() {
            (indented(&self.functions), "")
        } else {
            (String::new(), &self.functions[..])
        };
        format!(
            "{functions}struct Simulation {{\n{}}}\n\nimpl Simulation {{\n{methods}    {}fn run({}) {{\n{}    }}\n}}\n\n",
            members.text,
            inline.replace('\n', "\n    "),
            formal.join(", "),
            indented(run)
        )
    }

    pub(super) fn run_arguments(&self) -> Vec<Name> {
        let mut all = Vec::new();
        let mut name = |name: &str, declared: String, actual: String| {
            all.push(Name { name: name.to_owned(), declared, actual });
        };
        if self.p.extents.is_none() && !self.members() {
            for small in &SIZES[..self.p.dims] {
                name(small, format!("{small}: {}", self.counter()), (*small).to_owned());
            }
        }
        if !self.members() {
            let t = self.buffer_type();
            let life = if self.kind() == Kind::Slice { "'a " } else { "" };
            for (array, slots) in self.p.arrays() {
                let moves = if self.kind() == Kind::Slice { "mut " } else { "" };
                let declared = match (slots, self.kind()) {
                    (0, _) => format!("{moves}{array}: &{life}mut {t}"),
                    (_, Kind::Slice) => format!("{array}: &mut [&'a mut {t}; {slots}]"),
                    (_, Kind::Array) => format!("{array}: &mut [Box<{t}>; {slots}]"),
                    _ => format!("{array}: &mut [{t}; {slots}]"),
                };
                name(&array, declared, self.held(&array, slots));
            }
        }
        for (i, input) in self.p.input_names().iter().enumerate() {
            let declared = format!("{input}: &[{}]", self.input_type(i));
            name(input, declared, format!("&{input}_held"));
        }
        name("alpha", format!("alpha: {}", self.value()), "alpha".to_owned());
        name("steps", "steps: i32".to_owned(), "steps".to_owned());
        name("kept", "kept: &mut [f64]".to_owned(), "&mut kept_held".to_owned());
        name("series", format!("series: &[{}]", self.element()), "&series_held".to_owned());
        name("trace", format!("trace: &mut [{}]", self.element()), "&mut trace_held".to_owned());
        all
    }

    pub(super) fn main(&self, least: [i32; 3], run: &str) -> String {
        let mut out = Lines::at(2);
        if self.p.extents.is_none() {
            for (d, told) in ["nx", "ny", "nz"].iter().enumerate().take(self.p.dims) {
                let (small, least, t) = (SIZES[d], least[d].max(1), self.counter());
                out.line(&format!("let {small} = case.{told}.max({least}) as {t};"));
            }
        }
        let sizes: Vec<String> = self.p.sizes().iter().map(|n| format!("({n} as usize)")).collect();
        out.line(&format!("let points = {};", sizes.join(" * ")));
        out.line("let steps = case.steps;");
        let (few, many) = if self.is_real() { ("0.2", "0.25") } else { ("2", "3") };
        let v = self.value();
        out.line(&format!("let alpha: {v} = if case.steps > 3 {{ {many} }} else {{ {few} }};"));
        let mut back = Lines::at(2);
        back.line("output.case(&case);");
        self.rows_of_values(&sizes, &mut out, &mut back);
        self.allocate(&mut out, &mut back);
        if self.members() {
            let all: Vec<String> = self.run_arguments().into_iter().map(|n| n.actual).collect();
            out.line(&format!("simulation.run({});", all.join(", ")));
        } else if self.p.style.home == Home::Main {
            out.open("{");
            for argument in self.run_arguments() {
                let changes = argument.declared.starts_with("mut ");
                let fixed = argument.actual == argument.name;
                let word = if changes { "let mut" } else { "let" };
                let kept = matches!(argument.name.as_str(), "kept" | "series" | "trace");
                let slice =
                    if kept || INPUTS.contains(&argument.name.as_str()) { "[..]" } else { "" };
                if !fixed {
                    out.line(&format!("{word} {} = {}{slice};", argument.name, argument.actual));
                }
            }
            out.text += &indented(&indented(run));
            out.shut("}");
        } else {
            let all: Vec<String> = self.run_arguments().into_iter().map(|n| n.actual).collect();
            out.line(&format!("run({});", all.join(", ")));
        }
        format!(
            "fn main() {{\n    let mut output = corpus::Output::new();\n    \
             for case in corpus::cases() {{\n{}{}    }}\n}}\n",
            out.text, back.text
        )
    }

    pub(super) fn rows_of_values(&self, sizes: &[String], out: &mut Lines, back: &mut Lines) {
        let mut seed = 100;
        let mut row = |t: &str, name: &str, count: &str| {
            seed += 1;
            out.line(&format!("let mut {name}_held = corpus::varied::<{t}>({count}, {seed});"));
            back.line(&format!("output.array(\"{name}\", 0, &{name}_held);"));
        };
        for (i, input) in self.p.inputs.iter().enumerate() {
            let count = input.axis.map_or("points".to_owned(), |d| sizes[d].clone());
            row(self.input_type(i), INPUTS[i], &count);
        }
        for name in ["series", "trace"] {
            row(self.element(), name, "steps.max(0) as usize + 1");
        }
        out.line("let mut kept_held = vec![0.0; 9];");
        back.line("output.array(\"kept\", 0, &kept_held);");
    }
}

pub(super) const HEAD: &str = "#![allow(unused, clippy::all)]

mod corpus;

const GUARD: usize = 61;

fn seen(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

";

/// Functions that the compiler can't look into.
const OPAQUE: &str = "#[inline(never)]
fn look(at: &ELEMENT, sum: &mut f64) {
    *sum = *sum * 0.5 + *std::hint::black_box(at) as f64;
}

#[inline(never)]
fn touch(at: &mut ELEMENT) {
    let at = std::hint::black_box(at);
    *at = *at / HALF;
}

";
