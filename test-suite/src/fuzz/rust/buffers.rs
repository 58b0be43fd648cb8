//! What a buffer is: from its kind to a type, how one is made of varied values, lent, and written out.

use super::*;

impl Writer<'_> {
    pub(super) fn buffer_type(&self) -> String {
        let item = self.item();
        match self.kind() {
            Kind::Vec => format!("Vec<{item}>"),
            Kind::Slice => format!("[{item}]"),
            Kind::Grid => "Grid".to_owned(),
            Kind::Nested => (0..self.p.dims).fold(item.to_owned(), |t, _| format!("Vec<{t}>")),
            Kind::Array => {
                self.p.sizes().iter().rev().fold(item.to_owned(), |t, n| format!("[{t}; {n}]"))
            }
        }
    }

    pub(super) fn grid_type(&self) -> String {
        let item = self.item();
        let (index, at) = match self.p.dims {
            1 => ("usize", "i"),
            2 => ("(usize, usize)", "i * self.m + j"),
            _ => ("(usize, usize, usize)", "(i * self.m + j) * self.l + k"),
        };
        let pattern = ["i", "(i, j)", "(i, j, k)"][self.p.dims - 1];
        let sizes: String = SIZES[..self.p.dims].iter().map(|n| format!("{n}: usize, ")).collect();
        format!(
            "#[derive(Clone)]\nstruct Grid {{ {sizes}held: Vec<{item}> }}\n\n\
             impl std::ops::Index<{index}> for Grid {{\n    type Output = {item};\n    \
             fn index(&self, {pattern}: {index}) -> &{item} {{\n        &self.held[{at}]\n    }}\n}}\n\n\
             impl std::ops::IndexMut<{index}> for Grid {{\n    \
             fn index_mut(&mut self, {pattern}: {index}) -> &mut {item} {{\n        \
             &mut self.held[{at}]\n    }}\n}}\n\n"
        )
    }

    /// What main lends of an array.
    pub(super) fn held(&self, array: &str, slots: usize) -> String {
        match self.kind() {
            Kind::Slice if self.p.storage == Storage::OneBlock && slots == 0 => {
                format!("{array}_part")
            }
            Kind::Slice if self.p.storage == Storage::OneBlock => format!("&mut {array}_parts"),
            Kind::Slice if slots > 0 => {
                let all: Vec<String> =
                    (0..slots).map(|k| self.inner(&format!("{array}{k}_held"))).collect();
                format!("&mut [{}]", all.join(", "))
            }
            Kind::Slice => self.inner(&format!("{array}_held")),
            Kind::Array if slots == 0 => format!("&mut *{array}_held"),
            _ => format!("&mut {array}_held"),
        }
    }

    /// An array between its guards.
    pub(super) fn inner(&self, name: &str) -> String {
        format!("&mut {name}[GUARD..GUARD + points]")
    }

    /// A buffer made of varied values, and how it is written out.
    pub(super) fn made(&self, seed: usize) -> String {
        let (t, many) = (self.element(), self.p.width());
        let values = match many {
            1 => format!("corpus::varied::<{t}>(points, {seed})"),
            _ => format!("corpus::varied::<{t}>(points * {many}, {seed})"),
        };
        let held = match self.p.is_cells() {
            true => {
                let fields: Vec<String> = FIELDS[..self.p.fields.len()]
                    .iter()
                    .enumerate()
                    .map(|(k, f)| format!("{f}: c[{k}]"))
                    .collect();
                let fields = fields.join(", ");
                format!("{values}.chunks({many}).map(|c| Cell {{ {fields} }}).collect::<Vec<_>>()")
            }
            false => values,
        };
        let sizes = self.p.sizes();
        match (self.kind(), self.p.dims) {
            (Kind::Grid, dims) => {
                let all: String =
                    (0..dims).map(|d| format!("{}: {} as usize, ", SIZES[d], sizes[d])).collect();
                format!("Grid {{ {all}held: {held} }}")
            }
            (Kind::Nested, 2) => {
                format!(
                    "{held}.chunks({} as usize).map(<[_]>::to_vec).collect::<Vec<_>>()",
                    sizes[1]
                )
            }
            (Kind::Nested, 3) => format!(
                "{held}.chunks(({} * {}) as usize).map(|p| p.chunks({} as usize).map(<[_]>::to_vec).collect::<Vec<_>>()).collect::<Vec<_>>()",
                sizes[1], sizes[2], sizes[2]
            ),
            (Kind::Array, dims) => {
                let at = ["i", "i * M + j", "(i * M + j) * L + k"][dims - 1];
                let inner = COUNTERS[..dims]
                    .iter()
                    .rev()
                    .fold(format!("all[{at}]"), |t, x| format!("std::array::from_fn(|{x}| {t})"));
                let buffer = self.buffer_type();
                format!("{{ let all = {held}; Box::<{buffer}>::new({inner}) }}")
            }
            _ => held,
        }
    }

    pub(super) fn written_out(&self, holder: &str) -> String {
        if self.p.is_cells() {
            let fields: Vec<String> =
                FIELDS[..self.p.fields.len()].iter().map(|f| format!("c.{f}")).collect();
            let held = if self.kind() == Kind::Grid { ".held" } else { "" };
            return format!(
                "&{holder}{held}.iter().flat_map(|c| [{}]).collect::<Vec<_>>()",
                fields.join(", ")
            );
        }
        match (self.kind(), self.p.dims) {
            (Kind::Grid, _) => format!("&{holder}.held"),
            (Kind::Nested, dims) => format!("&{holder}{}", ".concat()".repeat(dims - 1)),
            (Kind::Array, 1) => format!("&{holder}[..]"),
            (Kind::Array, dims) => format!("{holder}{}", ".as_flattened()".repeat(dims - 1)),
            _ => format!("&{holder}"),
        }
    }

    pub(super) fn allocate(&self, out: &mut Lines, back: &mut Lines) {
        let arrays = self.p.arrays();
        if self.p.storage == Storage::OneBlock {
            return self.split(&arrays, out, back);
        }
        let mut seed = 0;
        let mut members = Vec::new();
        for (name, slots) in &arrays {
            let each: Vec<String> = (0..*slots.max(&1))
                .map(|_| {
                    seed += 1;
                    self.made(seed)
                })
                .collect();
            if self.kind() == Kind::Slice {
                for (k, made) in each.iter().enumerate() {
                    let name = if *slots == 0 { name.clone() } else { format!("{name}{k}") };
                    let guarded = made.replace("(points", "(2 * GUARD + points");
                    let guarded = guarded.replace("2 * GUARD + points *", "(2 * GUARD + points) *");
                    out.line(&format!("let mut {name}_held = {guarded};"));
                    let guard = match self.p.is_cells() {
                        true => format!("{} * GUARD", self.p.fields.len()),
                        false => "GUARD".to_owned(),
                    };
                    let shown = self.written_out(&format!("{name}_held"));
                    back.line(&format!("output.array(\"{name}\", {guard}, {shown});"));
                }
                continue;
            }
            let made = match slots {
                0 => each[0].clone(),
                _ => format!("[{}]", each.join(", ")),
            };
            let holder = match self.members() {
                true => {
                    members.push(format!("{name}: {made}"));
                    format!("simulation.{name}")
                }
                false => {
                    out.line(&format!("let mut {name}_held = {made};"));
                    format!("{name}_held")
                }
            };
            for k in 0..*slots.max(&1) {
                let (shown, label) = match slots {
                    0 => (self.written_out(&holder), name.clone()),
                    _ => (self.written_out(&format!("{holder}[{k}]")), format!("{name}{k}")),
                };
                back.line(&format!("output.array(\"{label}\", 0, {shown});"));
            }
        }
        if self.members() {
            let mut all: Vec<String> = match self.p.extents {
                None => SIZES[..self.p.dims].iter().map(|n| (*n).to_owned()).collect(),
                Some(_) => Vec::new(),
            };
            all.extend(members);
            out.line(&format!("let mut simulation = Simulation {{ {} }};", all.join(", ")));
        }
    }

    /// One block, in parts.
    pub(super) fn split(&self, arrays: &[(String, usize)], out: &mut Lines, back: &mut Lines) {
        let total: usize = arrays.iter().map(|(_, slots)| (*slots).max(1)).sum();
        let t = self.element();
        out.line(&format!(
            "let mut block = corpus::varied::<{t}>(points * {total} + 2 * GUARD, 1);"
        ));
        out.line(&format!("let rest = &mut block[GUARD..GUARD + points * {total}];"));
        for (name, slots) in arrays {
            match slots {
                0 => {
                    out.line(&format!("let ({name}_part, rest) = rest.split_at_mut(points);"));
                }
                _ => {
                    let parts: Vec<String> = (0..*slots).map(|k| format!("{name}{k}")).collect();
                    for part in &parts {
                        out.line(&format!("let ({part}, rest) = rest.split_at_mut(points);"));
                    }
                    out.line(&format!("let mut {name}_parts = [{}];", parts.join(", ")));
                }
            }
        }
        back.line("output.array(\"block\", GUARD, &block);");
    }
}
