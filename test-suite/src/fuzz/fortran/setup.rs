//! What stands around the time loop: modules, types, the subroutine `run` or none, memory, the main program.

use super::*;

impl Writer<'_> {
    /// All arrays with grids.
    pub(super) fn arrays(&self) -> Vec<(String, usize)> {
        if self.block() {
            let total = (0..self.p.grids()).map(|f| self.p.held(f)).sum();
            return vec![("block".to_owned(), total)];
        }
        self.p.arrays()
    }

    /// The bounds of an array with slots.
    pub(super) fn array_bounds(&self, slots: usize) -> String {
        match slots {
            0 => self.bounds(),
            _ if self.block() => format!("{}, {slots}", self.bounds()),
            _ => format!("{}, 0:{}", self.bounds(), slots - 1),
        }
    }

    pub(super) fn file(&self, least: [i32; 3], (locals, run): &(String, String)) -> String {
        let mut out = String::from(
            "module kinds\n    use, intrinsic :: iso_fortran_env, only: int8, int64, real32, real64\n    implicit none\n",
        );
        let wp = if self.p.element == Element::Float { "real32" } else { "real64" };
        let _ = writeln!(out, "    integer, parameter :: wp = {wp}");
        if let Some(extents) = self.p.extents {
            for d in 0..self.p.dims {
                let t = self.counter();
                let _ = writeln!(out, "    {t}, parameter :: {} = {}", SIZES[d], extents[d]);
            }
        }
        out += &self.types();
        out += &self.module_arrays();
        out += "contains\n";
        out += SEEN;
        if self.p.has_opaque_calls() {
            out += &OPAQUE.replace("ELEMENT", self.element()).replace("_KIND", self.suffix());
        }
        out += "end module kinds\n\n";
        let external = self.p.style.home == Home::External && self.kind() == Kind::Explicit;
        let subroutine = if self.in_main() { String::new() } else { self.subroutine(locals, run) };
        let (inside, outside) =
            if external { ("", &subroutine[..]) } else { (&subroutine[..], "") };
        if !self.in_main() {
            let _ = write!(
                out,
                "module solver\n    use kinds\n    implicit none\ncontains\n{}{inside}end module solver\n\n",
                self.procedures
            );
        }
        out += outside;
        out += &self.main(least, locals, run);
        out
    }

    pub(super) fn types(&self) -> String {
        let mut out = String::new();
        if self.p.is_cells() {
            let fields = FIELDS[..self.p.fields.len()].join(", ");
            let _ = write!(
                out,
                "    type :: cell_of_grid\n        {} :: {fields}\n    end type cell_of_grid\n",
                self.element()
            );
        }
        if self.kind() == Kind::Members {
            out += "    type :: grid\n";
            let _ = writeln!(out, "        {} :: {}", self.counter(), self.members_sizes());
            let attribute = if self.points() { "pointer" } else { "allocatable" };
            for (name, slots) in self.arrays() {
                let dims = self.colons(self.p.dims + usize::from(slots > 0));
                let _ = writeln!(out, "        {}, {attribute} :: {name}({dims})", self.element());
            }
            out += "    end type grid\n";
        }
        out
    }

    pub(super) fn members_sizes(&self) -> String {
        SIZES[..self.p.dims].join(", ")
    }

    pub(super) fn module_arrays(&self) -> String {
        let mut out = String::new();
        for (name, slots) in self.arrays() {
            let element = self.element();
            match self.kind() {
                Kind::Module => {
                    let _ = writeln!(out, "    {element} :: {name}({})", self.array_bounds(slots));
                }
                Kind::ModuleAllocatable => {
                    let dims = self.colons(self.p.dims + usize::from(slots > 0));
                    let _ = writeln!(out, "    {element}, allocatable :: {name}({dims})");
                }
                _ => {}
            }
        }
        out
    }

    pub(super) fn subroutine(&self, locals: &str, run: &str) -> String {
        let all = self.run_arguments();
        let names: Vec<String> = all.iter().map(|n| n.name.clone()).collect();
        let mut head = Lines::at(1);
        head.open(&format!("subroutine run({})", names.join(", ")));
        if self.p.style.home == Home::External && self.kind() == Kind::Explicit {
            head.line("use kinds");
            head.line("use solver");
            head.line("implicit none");
        }
        all.iter().for_each(|n| head.line(&n.declared));
        format!("{}{locals}{run}    end subroutine run\n\n", head.text)
    }

    pub(super) fn run_arguments(&self) -> Vec<Name> {
        let mut all = Vec::new();
        let mut name = |name: &str, declared: String, actual: String| {
            all.push(Name { name: name.to_owned(), declared, actual });
        };
        if self.p.extents.is_none() {
            for small in &SIZES[..self.p.dims] {
                let declared = format!("{}, intent(in) :: {small}", self.counter());
                name(small, declared, (*small).to_owned());
            }
        }
        let item = self.item();
        for (array, slots) in self.arrays() {
            let at = if self.p.is_cells() { array.clone() } else { format!("{array}_at(1)") };
            let bounds = self.array_bounds(slots);
            match self.kind() {
                Kind::Explicit => {
                    name(&array, format!("{item}, intent(inout) :: {array}({bounds})"), at);
                }
                Kind::Assumed => {
                    let open = self.open_bounds();
                    let slots = if slots > 0 { ", 0:" } else { "" };
                    let declared = format!("{item}, intent(inout) :: {array}({open}{slots})");
                    name(&array, declared, array.clone());
                }
                Kind::Pointer => {
                    let home = if self.block() { array.clone() } else { format!("{array}_home") };
                    let declared = format!("{item}, intent(inout), target :: {home}({bounds})");
                    name(&home, declared, at);
                }
                Kind::Allocatable => {
                    let dims = self.colons(self.p.dims + usize::from(slots > 0));
                    let declared = format!("{item}, allocatable, intent(inout) :: {array}({dims})");
                    name(&array, declared, array.clone());
                }
                Kind::Members | Kind::Module | Kind::ModuleAllocatable => {}
            }
        }
        if self.kind() == Kind::Members {
            name("g", "type(grid), intent(inout) :: g".to_owned(), "g".to_owned());
        }
        for (i, input) in self.p.input_names().iter().enumerate() {
            let shape = self.input_shape(i, false);
            let declared = format!("{}, intent(in) :: {}({shape})", self.input_type(i), input);
            name(input, declared, format!("{}_at(1)", input));
        }
        name("alpha", format!("{}, intent(in) :: alpha", self.value()), "alpha".to_owned());
        name("steps", "integer, intent(in) :: steps".to_owned(), "steps".to_owned());
        let kept = "real(real64), intent(inout) :: kept(0:8)".to_owned();
        name("kept", kept, "kept_at(1)".to_owned());
        for row in ["series", "trace"] {
            let declared = format!("{}, intent(inout) :: {row}(0:*)", self.element());
            name(row, declared, format!("{row}_at(1)"));
        }
        all
    }

    pub(super) fn main(&self, least: [i32; 3], locals: &str, run: &str) -> String {
        let mut head = Lines::at(2);
        head.line("integer :: nx, ny, nz, steps, points_of_grid");
        if self.p.extents.is_none() {
            head.line(&format!("{} :: {}", self.counter(), SIZES[..self.p.dims].join(", ")));
        }
        head.line(&format!("{} :: alpha", self.value()));
        let mut out = Lines::at(2);
        let mut back = Lines::at(2);
        out.open("do while (next_case(nx, ny, nz, steps))");
        back.deeper();
        if self.p.extents.is_none() {
            for (d, told) in ["nx", "ny", "nz"].iter().enumerate().take(self.p.dims) {
                out.line(&format!("{} = max({told}, {})", SIZES[d], least[d]));
            }
        }
        out.line(&format!("points_of_grid = int({})", SIZES[..self.p.dims].join("*")));
        out.line(match self.is_real() {
            true => "alpha = merge(0.25_wp, 0.2_wp, steps > 3)",
            false => "alpha = merge(3, 2, steps > 3)",
        });
        self.rows_of_values(&mut head, &mut out, &mut back);
        self.memory(&mut head, &mut out, &mut back);
        let mut uses = "    use corpus\n    use kinds\n".to_owned();
        if self.in_main() {
            out.text += &indented(run);
            head.text += locals;
        } else {
            let all = self.run_arguments().into_iter().map(|n| n.actual).collect::<Vec<_>>();
            out.line(&format!("call run({})", all.join(", ")));
            uses += "    use solver\n";
        }
        back.line("call end_case()");
        back.shut("end do");
        let contains = match self.in_main() && !self.procedures.is_empty() {
            true => format!("contains\n{}", self.procedures),
            false => String::new(),
        };
        format!(
            "program main\n{uses}    implicit none\n{}\n{}{}{contains}end program main\n",
            head.text, out.text, back.text
        )
    }

    /// Inputs, series, trace and what is kept.
    pub(super) fn rows_of_values(&self, head: &mut Lines, out: &mut Lines, back: &mut Lines) {
        let mut all: Vec<(String, &str, String, String)> = Vec::new();
        for (i, input) in self.p.inputs.iter().enumerate() {
            let count =
                input.axis.map_or("points_of_grid".to_owned(), |d| format!("int({})", SIZES[d]));
            all.push((INPUTS[i].to_owned(), self.input_type(i), count, self.input_shape(i, false)));
        }
        for row in ["series", "trace"] {
            let count = "(max(steps, 0) + 1)".to_owned();
            all.push((row.to_owned(), self.element(), count, "0:max(steps, 0)".to_owned()));
        }
        all.push(("kept".to_owned(), "real(real64)", "9".to_owned(), "0:8".to_owned()));
        for (name, t, count, bounds) in all {
            head.line(&format!("{t}, allocatable :: {name}_at(:)"));
            out.line(&format!("call new_array({name}_at, {count})"));
            if name == "kept" {
                out.line("kept_at(1:9) = 0");
            }
            if self.in_main() {
                let dims =
                    self.colons(bounds.split(", ").count().min(if bounds.contains("max(") {
                        1
                    } else {
                        3
                    }));
                head.line(&format!("{t}, allocatable :: {name}({dims})"));
                out.line(&format!("allocate ({name}({bounds}))"));
                out.line(&format!("{name} = reshape({name}_at(1:{count}), shape({name}))"));
                back.line(&format!("{name}_at(1:{count}) = reshape({name}, [{count}])"));
                back.line(&format!("deallocate ({name})"));
            }
            back.line(&format!("call dump('{name}', {name}_at)"));
        }
    }

    /// Grids, over the corpus's memory or copied from it and back.
    pub(super) fn memory(&self, head: &mut Lines, out: &mut Lines, back: &mut Lines) {
        let (item, element) = (self.item(), self.element());
        let members: Vec<String> = match self.p.is_cells() {
            true => FIELDS[..self.p.fields.len()].iter().map(|f| format!("%{f}")).collect(),
            false => vec![String::new()],
        };
        if self.kind() == Kind::Members {
            head.line("type(grid) :: g");
            for small in &SIZES[..self.p.dims] {
                out.line(&format!("g%{small} = {small}"));
            }
        }
        for (name, slots) in self.arrays() {
            let each = format!("points_of_grid*{}", slots.max(1));
            head.line(&format!("{element}, allocatable, target :: {name}_at(:)"));
            out.line(&format!("call new_array({name}_at, {each}*{})", members.len()));
            let (reach, bounds) = (self.reach(), self.array_bounds(slots));
            let dims = self.colons(self.p.dims + usize::from(slots > 0));
            let plain = !self.p.is_cells();
            match self.kind() {
                Kind::Explicit | Kind::Pointer if plain => {}
                Kind::Assumed if plain => {
                    head.line(&format!("{item}, pointer :: {name}({dims})"));
                    let bounds = self.closed_bounds(slots);
                    out.line(&format!("{name}({bounds}) => {name}_at(1:{each})"));
                }
                kind => {
                    let own =
                        matches!(kind, Kind::Members | Kind::Module | Kind::ModuleAllocatable);
                    if !own {
                        let target = if kind == Kind::Pointer { ", target" } else { "" };
                        head.line(&format!("{item}, allocatable{target} :: {name}({dims})"));
                    }
                    if kind != Kind::Module {
                        out.line(&format!("allocate ({reach}{name}({bounds}))"));
                    }
                    for (k, member) in members.iter().enumerate() {
                        let all = format!("{name}_at({k}*{each} + 1:{}*{each})", k + 1);
                        let grid = format!("{reach}{name}{member}");
                        out.line(&format!("{grid} = reshape({all}, shape({grid}))"));
                        back.line(&format!("{all} = reshape({grid}, [{each}])"));
                    }
                    if kind != Kind::Module {
                        back.line(&format!("deallocate ({reach}{name})"));
                    }
                }
            }
            back.line(&format!("call dump('{name}', {name}_at)"));
        }
    }
}

pub(super) const SEEN: &str = "    integer(int64) function seen(x)
        real(real64), intent(in) :: x
        seen = transfer(merge(x, 0.0_real64, x == x), seen)
        if (x /= x) seen = -1
    end function seen
";

/// Procedures that do what can't be left out.
const OPAQUE: &str = "    subroutine look(x, total)
        ELEMENT, intent(in) :: x
        real(real64), intent(inout) :: total
        real(real64), volatile :: held
        held = real(x, real64)
        total = total*0.5_real64 + held
    end subroutine look
    subroutine touch(x)
        ELEMENT, intent(inout) :: x
        ELEMENT, volatile :: held
        held = x/2_KIND + 1_KIND
        x = held
    end subroutine touch
";
