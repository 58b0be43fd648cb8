//! What stands around the time loop: types, globals, the function `run` or none, memory, `main`.

use super::*;

impl Writer<'_> {
    pub(super) fn prelude(&self) -> String {
        let mut out = String::new();
        let element = self.element();
        if let Some(extents) = self.p.extents {
            let all: Vec<String> =
                (0..self.p.dims).map(|d| format!("{} = {}", self.size(d), extents[d])).collect();
            let _ = writeln!(out, "enum {{ {} }};\n", all.join(", "));
        }
        if self.p.style.macros {
            out += &match self.p.dims {
                1 => String::new(),
                2 => format!("#define AT(i, j) ((i) * {} + (j))\n\n", self.size(1)),
                _ => format!(
                    "#define AT(i, j, k) (((i) * {} + (j)) * {} + (k))\n\n",
                    self.size(1),
                    self.size(2)
                ),
            };
        }
        match self.p.storage {
            Storage::Structures => {
                let fields = FIELDS[..self.p.fields.len()].join(", ");
                let _ = writeln!(out, "struct cell {{\n    {element} {fields};\n}};\n");
            }
            Storage::Members => {
                let mut lines = Lines::at(1);
                for name in (0..self.p.grids()).flat_map(|f| self.declared(f)) {
                    lines.line(&format!("{element} *{name};"));
                }
                let small = SIZES[..self.p.dims].join(", ");
                lines.line(&format!("{} {small};", self.counter()));
                let _ = writeln!(out, "struct grid {{\n{}}};\n", lines.text);
            }
            Storage::Static => {
                let inner: String = self.sizes().iter().map(|n| format!("[{n}]")).collect();
                for name in (0..self.p.grids()).flat_map(|f| self.declared(f)) {
                    let _ = writeln!(out, "static {element} {name}{inner};");
                }
                out.push('\n');
            }
            _ => {}
        }
        if let Storage::Rows(_) = self.p.storage {
            out += &self.rows_function();
        }
        let value = self.value();
        let _ = write!(
            out,
            "static inline {value} least({value} a, {value} b)\n{{\n    return a < b ? a : b;\n}}\n\n\
             static inline {value} most({value} a, {value} b)\n{{\n    return a > b ? a : b;\n}}\n\n\
             static inline double seen(double x)\n{{\n    return x != x ? NAN : x;\n}}\n\n"
        );
        if self.p.has_opaque_calls() {
            out += &OPAQUE.replace("ELEMENT", element);
        }
        out
    }

    /// Makes tables of pointers to rows.
    pub(super) fn rows_function(&self) -> String {
        let element = self.element();
        let (pitch, place) = match self.p.storage {
            Storage::Rows(Rows::Padded) => ("m + 3", "i"),
            Storage::Rows(Rows::Shuffled) => ("m", "n > 1 ? (i % 2 ? n - 1 - i / 2 : i / 2) : i"),
            _ => ("m", "i"),
        };
        let mut out = format!(
            "static {element} **rows({element} *block, int n, int m)\n{{\n    \
             {element} **table = malloc((size_t)(n + 1) * sizeof *table);\n    \
             for (int i = 0; i < n; i++)\n        \
             table[i] = block + (size_t)({place}) * (size_t)({pitch});\n    \
             return table;\n}}\n\n"
        );
        if self.p.dims == 3 {
            let _ = write!(
                out,
                "static {element} ***planes({element} *block, int n, int m, int l)\n{{\n    \
                 {element} ***table = malloc((size_t)(n + 1) * sizeof *table);\n    \
                 for (int i = 0; i < n; i++)\n        \
                 table[i] = rows(block + (size_t)i * (size_t)m * (size_t)(l + 3), m, l);\n    \
                 return table;\n}}\n\n"
            );
        }
        out
    }

    /// Declarators of a field's buffers, without type and inner sizes.
    pub(super) fn declared(&self, field: usize) -> Vec<String> {
        let many = self.pointers() || self.p.storage == Storage::Static;
        let one = |(name, slots)| match slots {
            0 => name,
            _ if many => format!("{name}[{slots}]"),
            _ => name,
        };
        self.p.arrays_of(field).into_iter().map(one).collect()
    }

    pub(super) fn main(&mut self, least: [i32; 3], run: &str) -> String {
        let mut setup = Lines::at(2);
        self.setup(least, &mut setup);
        let mut out = String::new();
        let body = if self.p.style.home == Home::Main {
            run.to_owned()
        } else {
            out += &self.run_function(run);
            let all = self.run_arguments().into_iter().map(|n| n.actual).collect::<Vec<_>>();
            format!("        run({});\n", all.join(", "))
        };
        let _ = write!(
            out,
            "int main(int argc, char **argv)\n{{\n    struct corpus_case c;\n    \
             while (corpus_next(&c, argc, argv)) {{\n{}{body}        \
             corpus_end();\n    }}\n    return 0;\n}}\n",
            setup.text
        );
        out
    }

    pub(super) fn run_function(&self, run: &str) -> String {
        let formal: Vec<String> = self.run_arguments().into_iter().map(|n| n.declared).collect();
        let home = match self.p.style.home {
            Home::Static => "static ",
            _ => "",
        };
        format!("{home}void run({})\n{{\n{run}}}\n\n", formal.join(", "))
    }

    pub(super) fn run_arguments(&self) -> Vec<Name> {
        let mut all = Vec::new();
        let mut name = |declared: String, actual: &str| {
            all.push(Name { name: String::new(), declared, actual: actual.to_owned() });
        };
        if self.p.extents.is_none() && !self.far() {
            for small in &SIZES[..self.p.dims] {
                name(format!("{} {small}", self.counter()), small);
            }
        }
        match self.p.storage {
            Storage::Static => {}
            Storage::Members => name("struct grid *g".to_owned(), "g"),
            _ => {
                for f in 0..self.p.grids() {
                    for declared in self.declared(f) {
                        let base = declared.split('[').next().expect("a name").to_owned();
                        name(self.root(f, &declared), &base);
                    }
                }
            }
        }
        for (i, input) in self.p.input_names().iter().enumerate() {
            name(format!("const {} *{input}", self.input_type(i)), input);
        }
        name(format!("{} alpha", self.value()), "alpha");
        name("int steps".to_owned(), "steps");
        name("double *kept".to_owned(), "kept");
        name(format!("const {} *series", self.element()), "series");
        name(format!("{} *trace", self.element()), "trace");
        all
    }

    /// A variable of main's that holds a field's buffers.
    pub(super) fn root(&self, field: usize, declared: &str) -> String {
        let moves = !matches!(
            self.p.idiom,
            Idiom::CopyLoop | Idiom::CopyMemory | Idiom::ThereAndBack | Idiom::Modulo
        );
        let planes = self.p.is_indexed(self.p.buffers_of(field)) && !self.pointers();
        if planes && self.by_rows() {
            let inner: String = self.sizes().iter().map(|n| format!("[{n}]")).collect();
            return format!("{} (*{declared}){inner}", self.element());
        }
        if moves || declared.contains('[') {
            return self.variable(declared);
        }
        self.pointer(declared, false)
    }

    pub(super) fn setup(&self, least: [i32; 3], out: &mut Lines) {
        let (counter, letter) = (self.counter(), self.p.element.letter());
        if self.p.extents.is_none() {
            for (d, told) in ["c.nx", "c.ny", "c.nz"].iter().enumerate().take(self.p.dims) {
                let (small, least) = (SIZES[d], least[d]);
                out.line(&format!("{counter} {small} = {told} > {least} ? {told} : {least};"));
            }
        }
        let sizes = self.p.sizes();
        let points = sizes.iter().map(|n| format!("(size_t){n}")).collect::<Vec<_>>().join(" * ");
        out.line(&format!("size_t points = {points};"));
        out.line("int steps = c.steps;");
        out.line(&format!(
            "{} alpha = {};",
            self.value(),
            if self.is_real() { "c.steps > 3 ? 0.25 : 0.2" } else { "c.steps > 3 ? 3 : 2" }
        ));
        self.allocate(&sizes, out);
        for (i, input) in self.p.inputs.iter().enumerate() {
            let count = input.axis.map_or("points".to_owned(), |d| format!("(size_t){}", sizes[d]));
            let (t, letter) = if input.mask { ("int", 'i') } else { (self.element(), letter) };
            out.line(&format!("{t} *{0} = corpus_array(\"{0}\", '{letter}', {count});", INPUTS[i]));
        }
        out.line("double *kept = corpus_doubles(\"kept\", 9);");
        out.line("for (int k = 0; k < 9; k++)");
        out.line("    kept[k] = 0.0;");
        out.line(&format!(
            "{} *trace = corpus_array(\"trace\", '{}', steps > 0 ? (size_t)steps + 1 : 1);",
            self.element(),
            letter
        ));
        out.line(&format!(
            "{} *series = corpus_array(\"series\", '{}', steps > 0 ? (size_t)steps + 1 : 1);",
            self.element(),
            letter
        ));
        out.line("(void)trace, (void)series, (void)alpha, (void)points;");
    }

    pub(super) fn allocate(&self, sizes: &[String], out: &mut Lines) {
        let total: usize = (0..self.p.grids()).map(|f| self.p.held(f)).sum();
        let element = self.element();
        if self.p.storage == Storage::OneBlock {
            out.line(&format!(
                "{element} *block = corpus_array(\"block\", '{}', points * {total});",
                self.p.element.letter()
            ));
        }
        if self.p.storage == Storage::Members {
            out.line("struct grid grid, *g = &grid;");
            for (small, size) in SIZES.iter().zip(sizes) {
                out.line(&format!("g->{small} = {size};"));
            }
        }
        let mut before = 0;
        for f in 0..self.p.grids() {
            for declared in self.declared(f) {
                self.allocate_one(f, &declared, before, sizes, out);
                before += self.p.held(f) / self.declared(f).len();
            }
        }
    }

    pub(super) fn allocate_one(
        &self,
        field: usize,
        declared: &str,
        before: usize,
        sizes: &[String],
        out: &mut Lines,
    ) {
        let base = declared.split('[').next().expect("a name");
        let array = declared.contains('[');
        let letter = self.p.element.letter();
        let planes =
            if self.p.is_indexed(self.p.buffers_of(field)) { self.p.buffers_of(field) } else { 1 };
        match self.p.storage {
            Storage::Static => {
                out.line(&format!("corpus_own(\"{base}\", '{letter}', {base}, sizeof {base});"));
                return;
            }
            Storage::Members => {}
            _ => out.line(&format!("{};", self.root(field, declared))),
        }
        let target = format!("{}{base}", self.reach());
        let many = self.p.width();
        if !array {
            let memory = match self.p.storage {
                Storage::OneBlock => format!("block + {before} * points"),
                _ if self.overlapped(declared) => self.overlap(field),
                _ if self.p.overlap != Overlap::None => self.memory(base, "points + 64", sizes),
                _ => self.memory(base, &format!("points * {}", many * planes), sizes),
            };
            out.line(&format!("{target} = {memory};"));
            return;
        }
        for slot in 0..planes {
            let memory = match self.p.storage {
                Storage::OneBlock => format!("block + {} * points", before + slot),
                _ => self.memory(&format!("{base}{slot}"), &format!("points * {many}"), sizes),
            };
            out.line(&format!("{target}[{slot}] = {memory};"));
        }
    }

    /// Whether a buffer lies in the memory of another.
    pub(super) fn overlapped(&self, declared: &str) -> bool {
        self.p.overlap != Overlap::None && declared.ends_with("_new")
    }

    pub(super) fn overlap(&self, field: usize) -> String {
        match self.p.overlap {
            Overlap::Shifted(k) => format!("{} + {k}", self.p.stem(field)),
            _ => self.p.stem(field).to_owned(),
        }
    }

    /// Memory that is filled now and written out at the end.
    pub(super) fn memory(&self, name: &str, count: &str, sizes: &[String]) -> String {
        let letter = self.p.element.letter();
        let Storage::Rows(_) = self.p.storage else {
            return format!("(void *)corpus_array(\"{name}\", '{letter}', {count})");
        };
        let padded: Vec<String> = sizes
            .iter()
            .enumerate()
            .map(|(d, n)| {
                let last = d + 1 == sizes.len();
                if last { format!("((size_t){n} + 3)") } else { format!("(size_t){n}") }
            })
            .collect();
        let make = if self.p.dims == 3 { "planes" } else { "rows" };
        format!(
            "{make}(corpus_array(\"{name}\", '{letter}', {}), {})",
            padded.join(" * "),
            sizes.iter().map(|n| format!("(int){n}")).collect::<Vec<_>>().join(", ")
        )
    }
}

/// Functions that the compiler can't look into.
const OPAQUE: &str =
    "static __attribute__((noinline, unused)) void look(const ELEMENT *at, double *sum)
{
    __asm__ volatile(\"\" : \"+r\"(at) : : \"memory\");
    *sum = *sum * 0.5 + seen(*at);
}

static __attribute__((noinline, unused)) void touch(ELEMENT *at)
{
    __asm__ volatile(\"\" : \"+r\"(at) : : \"memory\");
    *at = (ELEMENT)(*at / 2 + 1);
}

";
