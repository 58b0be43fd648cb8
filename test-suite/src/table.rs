//! The programs of the corpus: one line each.

/// What a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Cxx,
    Fortran,
    Rust,
}

/// What becomes of the program's time loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// This many time loops are transformed, all of them hexagonally.
    Transformed(usize),
    /// None is; the report gives this reason.
    Rejected(&'static str),
}

/// One program of the corpus.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// As a test's name; the file's has dashes.
    pub name: &'static str,
    pub language: Language,
    /// Space dimensions.
    pub dims: usize,
    /// Smallest size that the program's author thought of (smaller ones are undefined behaviour), or that is run on kernels.
    pub least: i32,
    /// Largest size, where arrays have a fixed one.
    pub most: i32,
    /// Largest number of steps, where an array has a value for each.
    pub most_steps: i32,
    /// Whether a negative number of steps means none.
    pub negative_steps: bool,
    /// Whether there are kernels for the CPU only.
    pub host_only: bool,
    /// Whether it uses the crate `ndarray`.
    pub ndarray: bool,
    /// The language standard that it needs, where the compiler takes an older one for the usual.
    pub standard: Option<&'static str>,
    pub expect: Expect,
}

impl Program {
    const fn new(language: Language, dims: usize) -> Program {
        Program {
            name: "",
            language,
            dims,
            least: i32::MIN,
            most: i32::MAX,
            most_steps: i32::MAX,
            negative_steps: true,
            host_only: false,
            ndarray: false,
            standard: None,
            expect: Expect::Transformed(1),
        }
    }

    const fn least(self, least: i32) -> Program {
        Program { least, ..self }
    }

    const fn most(self, most: i32) -> Program {
        Program { most, ..self }
    }

    const fn most_steps(self, most_steps: i32) -> Program {
        Program { most_steps, ..self }
    }

    const fn unsigned_steps(self) -> Program {
        Program { negative_steps: false, ..self }
    }

    const fn host_only(self) -> Program {
        Program { host_only: true, ..self }
    }

    const fn ndarray(self) -> Program {
        Program { ndarray: true, ..self }
    }

    const fn standard(self, standard: &'static str) -> Program {
        Program { standard: Some(standard), ..self }
    }

    /// The program of this name.
    pub fn named(name: &str) -> &'static Program {
        PROGRAMS
            .iter()
            .chain(SPECIAL)
            .find(|p| p.name == name)
            .unwrap_or_else(|| panic!("the corpus has no program {name}"))
    }

    /// The source file's name.
    pub fn file(&self) -> String {
        let endings = ["_f90", "_rs", "_cpp"];
        let stem = endings.iter().find_map(|e| self.name.strip_suffix(e)).unwrap_or(self.name);
        let stem = stem.replace('_', "-");
        match self.language {
            Language::C => format!("c/{stem}.c"),
            Language::Cxx => format!("cxx/{stem}.cpp"),
            Language::Fortran => format!("fortran/{stem}.f90"),
            Language::Rust => format!("rust/{stem}.rs"),
        }
    }
}

const fn c(dims: usize) -> Program {
    Program::new(Language::C, dims)
}

const fn cxx(dims: usize) -> Program {
    Program::new(Language::Cxx, dims)
}

const fn fortran(dims: usize) -> Program {
    Program::new(Language::Fortran, dims)
}

const fn rust(dims: usize) -> Program {
    Program::new(Language::Rust, dims)
}

/// Programs whose guard must fail at run time, with the reason: the original loop runs.
pub const GUARDED: &[(Program, &str)] = &[
    (Program { name: "overlap2d", ..c(2) }, "overlap"),
    (Program { name: "apart2d", ..c(2) }, "overlap"),
    (Program { name: "jacobi2d5_twice", ..c(2).least(1) }, "overlap"),
    (Program { name: "trace2d_inside", ..c(2).least(4) }, "overlap"),
    (Program { name: "length2d", ..c(2) }, "check-size"),
    (Program { name: "rows2d_same", ..c(2).least(8) }, "overlap"),
    (Program { name: "rows2d_exchanged", ..c(2).least(8) }, "overlap"),
    (Program { name: "wear2d_settled", ..c(2).least(1) }, "unmapped"),
    (Program { name: "numbers2d_changed", ..c(2).least(3) }, "check-table"),
    (Program { name: "numbers2d_skipped", ..c(2).least(3) }, "check-table"),
    (Program { name: "heat2d_gate", ..c(2).least(3) }, "check-mask"),
    (Program { name: "string1d_same", ..c(1).least(2) }, "overlap"),
    (Program { name: "view2d_strided", ..c(2) }, "check-size"),
    (Program { name: "heat2d_called_shorter", ..c(2).least(3) }, "check-size"),
    (Program { name: "heat1d_longer_cpp", ..cxx(1).least(3) }, "check-size"),
    (Program { name: "short_vec_rs", ..rust(2) }, "check-bounds"),
    (Program { name: "short_inclusive_rs", ..rust(1).least(1).unsigned_steps() }, "check-bounds"),
    (Program { name: "short_owned_rs", ..rust(2) }, "check-bounds"),
    (Program { name: "sum_overflows_rs", ..rust(2) }, "check-wrap"),
    (Program { name: "turned_ndarray_rs", ..rust(2).least(3).ndarray() }, "check-size"),
    (Program { name: "ring_minus_rs", ..rust(1) }, "check-bounds"),
    (Program { name: "short_row_rs", ..rust(2).least(8) }, "check-table"),
    (Program { name: "rows2d_torn_rs", ..rust(2).least(4).unsigned_steps() }, "check-table"),
    (Program { name: "rows2d_ragged_cpp", ..cxx(2).least(8) }, "check-table"),
    (Program { name: "heat2d_other_strides_f90", ..fortran(2).least(3) }, "check-size"),
    (Program { name: "heat2d_turned_f90", ..fortran(2).least(3) }, "check-size"),
    (Program { name: "rows2d_unequal_cpp", ..cxx(2).least(8) }, "check-table"),
    (Program { name: "fdtd2d_beyond_cpp", ..cxx(2).least(8) }, "check-size"),
];

/// Programs that most cases are too small for: tests bring cases of their own.
pub const SPECIAL: &[Program] = &[
    Program { name: "far2d_swap", ..c(2) },
    Program { name: "far2d_beyond", ..c(2) },
    Program { name: "shift1d_any", ..c(1) },
    Program { name: "shift1d_in_place", ..c(1) },
    Program { name: "cut_ndarray_rs", ..rust(2).ndarray() },
];

/// Makes the table, and `for_each_program!(f)`: a test for each program that calls `f` with its name.
macro_rules! programs {
    ($d:tt $($name:ident: $program:expr;)*) => {
        /// All of them.
        pub const PROGRAMS: &[Program] =
            &[$(Program { name: stringify!($name), ..$program }),*];

        /// One `#[test]` for each program; it calls the function with the program's name.
        #[macro_export]
        macro_rules! for_each_program {
            ($d check:path) => {
                $(#[test] fn $name() { $d check(stringify!($name)) })*
            };
        }
    };
}

programs! { $
    jacobi1d3_swap: c(1);
    jacobi1d3_static_copyback: c(1).most(4200);
    jacobi1d3_neumann: c(1).least(2);
    jacobi1d5_parity: c(1).most(4200);
    jacobi1d5_struct: c(1);
    jacobi1d7_memcpy: c(1).least(0);
    jacobi1d7_descending: c(1).least(3);
    wave1d_copy: c(1);
    geometric_mean1d_swap: c(1);
    advection1d_upwind: c(1);
    advection1d_branch: c(1);
    average1d_quotients: c(1);
    sine_gordon1d: c(1).host_only();
    diffusion2d_edges: c(2).host_only();
    wave1d_history: c(1).least(2);
    string1d_kept: c(1).least(2);
    water1d_record: c(1).least(2);
    relax1d_red_black: c(1);
    scaled1d_between: c(1);
    schroedinger1d_complex: c(1);

    jacobi2d5_swap: c(2);
    jacobi2d5_callee: c(2);
    jacobi2d5_vla_copyback: c(2).least(1);
    jacobi2d5_static_parity: c(2).most(150);
    jacobi2d5_memcpy_rows: c(2);
    jacobi2d5_memcpy_grid: c(2).least(0);
    heat2d5_flat_copy: c(2).least(0);
    heat2d5_flat_inside: c(2).least(0);
    heat2d5_divided: c(2).least(3);
    heat2d_called_rows: c(2).least(2);
    jacobi2d5_struct: c(2);
    jacobi2d5_struct_local: c(2);
    jacobi2d5_sizet: c(2).least(0).unsigned_steps();
    jacobi2d5_unsigned: c(2).least(1).unsigned_steps();
    jacobi2d5_there_and_back: c(2);
    jacobi2d5_finals: c(2);
    diffusion2d_anisotropic: c(2);
    diffusion2d_coefficients: c(2);
    heat2d5_neumann: c(2).least(1);
    advection2d_upwind: c(2);
    exchange2d_in_place: c(2);
    columns2d_swap: c(2);
    heat2d5_real_time: c(2);
    heat2d9_meddling: c(2).least(1);
    jacobi2d5_snapshots: c(2).least(1);
    heat2d_looked_copy: c(2).least(1);
    waves2d_flat_planes: c(2);
    flux2d_long: c(2);
    heat2d_global_neighbours: c(2).least(2);
    heat2d_nothing_above: c(2);
    heat2d_numbers: c(2).least(3);
    heat2d_numbers_set: c(2).least(3);
    heat2d_channel: c(2).least(3);
    heat2d_both_ends: c(2).least(3);
    lattice2d_tables: c(2).least(3);
    lattice2d_deep: c(2).least(3);
    box2d_inside: Program { expect: Expect::Transformed(2), ..c(2).least(3) };
    upwind2d_behind: c(2).least(2);
    heat2d_alarm: c(2).least(1);
    heat2d_watched_count: c(2).least(1);
    heat2d_energies: c(2).least(1);
    fdtd2d_initialised: c(2).least(2);
    heat2d_checked_cells: c(2).least(1);
    heat2d_returns: c(2).least(1);
    heat2d_alarms_apart: c(2).least(1);
    advection1d_alarm: c(1).least(1);
    wear2d_masked: c(2).least(1);
    wear2d_rows: c(2).least(3);
    heat2d_channel_across: c(2).least(3);
    jacobi2d5_converge: c(2).least(1);
    jacobi2d5_largest: c(2).least(1);
    jacobi2d5_callers: c(2).least(1);
    poisson2d_norm_kept: c(2).least(1);
    heat2d_clocked: c(2).least(1);
    poisson2d_fields: c(2).least(1);
    laplace2d_error: c(2).least(1);
    laplace2d_looked_at: c(2).least(1);
    laplace2d_told: c(2).least(1);
    poisson3d7_residual: c(3).least(1);
    heat1d_extremes: c(1).least(1);
    relax2d_gosa: c(2).least(1);
    heat2d_norms: c(2).least(1);
    heat2d_energy: c(2).least(1);
    slope2d_mean: c(2).least(1);
    heat2d_told: c(2).least(1);
    heat2d_blocks: c(2).least(1);
    heat2d_ends: c(2).least(6);
    heat1d_counted: c(1).least(2);
    lbm2d_average: c(2).least(2);
    life2d_alive: c(2).least(1);
    burgers1d_speed: c(1).least(1);
    eigen2d_power: c(2).least(1);
    jacobi3d7_relative: c(3).least(1);
    jacobi2d5_norm: c(2).least(1);
    poisson3d7_sums: c(3).least(1);
    relax1d_on_edge: c(1).least(1);
    relax1d_history: c(1).least(1);
    heat2d_neighbours: c(2);
    heat2d_aside: c(2);
    fdtd2d_mur: c(2);
    masked2d_half_rate: c(2).least(1);
    obstacle2d_norm: c(2).least(1);
    wave2d_source_trace: c(2).least(1);
    wave2d_receivers: c(2).least(2);
    wave2d_seismogram: c(2).least(2);
    wave2d_gather: c(2).least(2);
    wave2d_geophones: c(2).least(2);
    wave2d_scattered: c(2).least(2);
    wave2d_listened: c(2).least(1);
    heat2d_until: c(2).least(1);
    jacobi2d_noted: c(2).least(1);
    fdtd2d_monitored: c(2).least(1);
    yee1d_probe: c(1).least(2);
    heat1d_recorded: c(1).least(1);
    heat2d_reported: c(2).least(1);
    heat2d_chosen: c(2);
    heat2d_methods: c(2).least(1);
    heat2d_changing: c(2).least(1);
    fdtd2d_clock: c(2).least(1);
    laplacian2d_swap: c(2);
    heat2d9_swap: c(2);
    heat2d9_vla_parity: c(2).least(1);
    poisson2d9_copyback: c(2);
    poisson2d9_struct: c(2);
    star2d9_radius2: c(2);
    star2d13_radius3: c(2).least(0);
    gradient2d_swap: c(2);
    gradient2d_overflow: c(2);
    gradient2d_parity: c(2).most(150);
    fdtd2d_static: c(2).least(1).most(150).most_steps(512);
    fdtd2d_flat: c(2).least(1);
    fdtd2d_struct: c(2);
    wave2d_rotate: c(2);
    wave2d_mod3: c(2).most(150);
    rician2d_swap: c(2);
    rician2d_struct_copyback: c(2);
    tv2d_swap: c(2);
    tv2d_vla_parity: c(2).least(1);
    obstacle2d_else: c(2);
    obstacle2d_continue: c(2);
    heat2d_counters: c(2);
    heat2d_turns: c(2);
    heat2d_members: c(2).most(150);
    wave2d_turns: c(2);
    wave2d_first: c(2);
    heat2d_objects: c(2);
    heat2d_current: c(2);
    heat3d_extent: c(3);
    heat2d_weights: c(2);
    poisson2d_turns: c(2);
    poisson2d_flag: c(2);
    life2d_stable: c(2);
    laplace2d_rest: c(2);
    heat2d_alternate: c(2);
    heat2d_sides: c(2).least(3);
    heat2d_clock: c(2);
    heat2d_fresh: c(2).least(0);
    heat1d_left: c(1);
    heat2d_scratch: c(2).least(0);
    heat2d_stages: c(2).least(1);
    relax1d_work: c(1).least(1);
    heat1d_clock_within: c(1).least(2);
    heat2d_timers: c(2).least(4);
    ginzburg2d_complex: c(2);
    pieces2d_branches: Program { expect: Expect::Transformed(2), ..c(2).least(1) };
    border2d_branch: c(2).least(2);
    border2d_clamped: c(2).least(2);
    life2d_int: c(2);
    life2d_worlds: c(2).least(4);
    life2d_said: c(2).least(0).most(160);
    life2d_bool: c(2);
    blur2d_bytes: c(2);
    limited2d_read_back: c(2);
    rows2d_swap: c(2);
    rows2d_edges: c(2).least(3);
    rows2d_shuffled: c(2).least(8);
    rows2d_copyback: c(2).least(4);
    rows2d_levels: c(2).least(4);
    rows2d_periodic: c(2).least(1);
    heat2d_octet: c(2).least(0);
    shallow2d_kinds: c(2);
    rows2d_obstacles: c(2).least(4);
    absorb2d_top: c(2);
    heat2d_history: c(2).least(2);
    plate2d_kept: c(2);
    shallow2d_cells: c(2).least(3);
    lbm2d_structures: c(2);
    lbm2d_walls: c(2);
    lbm2d_planes: c(2).least(2);
    lbm2d_torus: c(2).least(2);
    drift2d_torus: c(2).least(1);
    drift2d_square: c(2);
    lbm2d_push: c(2);
    lbm2d_push_torus: c(2).least(3);
    lbm2d_cells_of_rows: c(2).least(4);
    shift2d_spacing: c(2);
    wind2d_donor: c(2).least(1);
    coil2d_downward: c(2).least(3);
    wave2d_point_source: c(2);
    shift2d_in_place: c(2).least(1);
    heat2d_watched: c(2).least(1);
    life2d_torus: c(2);
    life2d_sizes: c(2).least(3);
    channel2d_around: c(2).least(3);
    wave2d_refilled: c(2).least(3);
    react2d_sizes: c(2).least(2);
    flow2d_crests: c(2).host_only();
    heat2d_periodic: c(2).least(2);
    heat2d_pragmas: c(2);
    heat2d_observed: c(2).least(1);
    heat2d_shown: c(2);
    wave2d_rows_source: c(2).least(3);
    life2d_flat: c(2).least(2);
    heat2d_walled: c(2).least(3);
    relax2d_obstacles: c(2).least(3);
    heat2d_short: c(2);
    wave2d_pictures: c(2);
    heat2d_monitor: c(2).least(1).most(150);
    heat2d_between: c(2).least(1);
    heat2d_rounds: Program { expect: Expect::Transformed(2), ..c(2).least(1).most(150) };
    heat2d_sampled: c(2).least(1);
    cavity2d_lid: c(2).least(2);
    cavity2d_long: c(2).least(2);
    poisson2d_goto: c(2).least(1);
    heat2d_do_while: c(2);
    blur2d_kernel: c(2).least(1);

    heat3d7_swap: c(3);
    heat3d7_static_there_and_back: c(3).most(36);
    heat3d7_anisotropic_struct: c(3);
    jacobi3d7_memcpy_rows: c(3);
    heat3d7_flat_copyback: c(3).least(0);
    heat3d7_divided: c(3).least(3);
    heat3d7_edges: c(3).least(3);
    heat3d7_work: c(3).least(1);
    laplacian3d_vla_copyback: c(3).least(1);
    heat3d27_callee: c(3).least(0);
    heat3d27_parity: c(3).most(36);
    gradient3d_swap: c(3);
    gradient3d_copyback: c(3);
    wave3d_two_buffers: c(3);
    inside3d_guarded: c(3).least(2);
    border3d_clamped: c(3).least(2);
    faces3d_absorbed: c(3).least(2);
    far_side3d_swap: c(3).least(3);
    rows3d_swap: c(3);
    heat3d7_heap: c(3);
    yee3d_fields: c(3).least(1);

    rows2d_edges_cpp: cxx(2).least(4);
    rows2d_vectors_cpp: cxx(2).least(4);
    rows2d_checked_cpp: cxx(2).least(4);
    heat2d_sizes_cpp: cxx(2).least(4);
    heat2d_accessor_cpp: cxx(2).least(0);
    jacobi2d5_max_cpp: cxx(2).least(0);
    jacobi2d5_told_cpp: cxx(2).least(1);
    laplace2d_thrown_cpp: cxx(2).least(1);
    heat2d_unique_cpp: cxx(2).least(1);
    heat2d_virtual_cpp: cxx(2).least(1);
    heat2d_norm_cpp: cxx(2).least(0);
    // On smaller grids a condition leaves out a point that lies outside: the guard refuses that (lit/conditional-outside.c).
    wave2d_rotate_cpp: cxx(2).least(5);
    heat2d_first_cpp: cxx(2);
    heat2d_owners_cpp: cxx(2);
    fdtd2d_class_cpp: cxx(2).least(1);
    heat2d_clone_cpp: cxx(2);
    heat2d_assign_cpp: cxx(2);
    heat2d_refill_cpp: cxx(2);
    heat2d_flat_vectors_cpp: cxx(2).least(0);
    wave2d_pushed_cpp: cxx(2).least(2);
    heat2d_turns_cpp: cxx(2).least(0);
    heat2d_alternate_cpp: cxx(2).least(0);
    heat2d_clock_cpp: cxx(2).least(0);
    heat2d_paced_cpp: cxx(2).least(0);
    heat2d_fresh_cpp: cxx(2).least(0);
    heat2d_scratch_cpp: cxx(2).least(0);
    poisson2d_residual_cpp: cxx(2).least(0);
    heat2d_balance_cpp: cxx(2).least(0);
    schroedinger2d_complex_cpp: cxx(2).least(0);
    heat2d_valarray_cpp: cxx(2);
    reaction2d_assigned_cpp: cxx(2);
    heat2d_rows_cpp: cxx(2).least(4);
    life2d_array_cpp: cxx(2).least(2).most(150);
    lbm2d_cells_cpp: cxx(2);
    heat3d7_view_cpp: cxx(3);
    heat2d_expressions_cpp: cxx(2);
    blur2d_layout_cpp: cxx(2);
    wind2d_offset_cpp: cxx(2);
    heat2d_moved_cpp: cxx(2).least(0);
    heat2d_made_cpp: cxx(2).least(1);
    heat2d_grid_cpp: cxx(2).least(0);
    heat2d_swapped_cpp: cxx(2).least(1);
    jacobi2d_at_cpp: cxx(2).most(150);
    heat2d_nested_cpp: cxx(2).least(1);
    wave2d_nested_cpp: cxx(2).least(1);
    heat3d7_nested_cpp: cxx(3).least(1);
    react2d_nested_cpp: cxx(2).least(1);
    fdtd2d_part_cpp: cxx(2).least(1);
    rows2d_renewed_rs: rust(2).least(1).unsigned_steps();
    rows2d_fresh_rs: rust(2).least(1).unsigned_steps();
    heat3d7_cloned_rs: rust(3).least(1).unsigned_steps();
    rows2d_outgrown_rs: rust(2).least(1).unsigned_steps();
    rows2d_field_rs: rust(2).least(1).unsigned_steps();
    rows2d_lent_rs: rust(2).least(4).unsigned_steps();
    rows2d_failing_rs: rust(2).least(2).unsigned_steps();
    rows2d_heads_rs: rust(2).least(4).unsigned_steps();
    rows2d_empty_rs: rust(2).least(4).unsigned_steps();
    planes3d_empty_rs: rust(3).least(3).unsigned_steps();
    life2d_offsets_rs: rust(2).least(4).unsigned_steps();
    heat2d_overflows_rs: rust(2).least(1).unsigned_steps();
    life2d_around_rs: rust(2).least(4).unsigned_steps();
    ring2d_rows_rs: rust(2).least(4).unsigned_steps();
    copies2d_rows_rs: Program { expect: Expect::Transformed(2), ..rust(2).least(4).unsigned_steps() };
    heat2d_grown_cpp: cxx(2).least(1);
    heat2d_prints_cpp: cxx(2).least(0);
    heat2d_history_cpp: cxx(2).least(2);
    wave1d_history_cpp: cxx(1).least(2);
    heat2d_levels_cpp: cxx(2).least(4);
    heat2d_timers_cpp: cxx(2).least(2);
    heat2d_shared_cpp: cxx(2);
    heat2d_span_cpp: cxx(2).least(1).standard("c++20");
    heat2d_pragmas_cpp: cxx(2).least(1);
    heat2d_copied_cpp: cxx(2).least(2);
    heat2d_files_cpp: cxx(2).least(1);
    heat2d_endl_cpp: cxx(2);
    heat2d_silent_cpp: cxx(2);
    heat2d_written_between_cpp: cxx(2);
    wave2d_logged_cpp: cxx(2).least(1);
    wave2d_gather_cpp: cxx(2).least(2);
    wave2d_geophones_cpp: cxx(2).least(2);
    border2d_clamped_cpp: cxx(2).least(3);
    life2d_torus_cpp: cxx(2).least(4);
    lattice2d_members_cpp: cxx(2).least(3);
    heat2d_thrown_cpp: cxx(2).least(1);
    heat2d_counted_out_cpp: Program { expect: Expect::Transformed(2), ..cxx(2).least(2) };
    wave2d_std_copy_cpp: cxx(2).least(2);
    lattice2d_corners_cpp: cxx(2).least(2);
    heat2d_map_cpp: cxx(2).least(8);
    heat2d_numbers_cpp: cxx(2).least(3);
    shallow1d_dry_cpp: cxx(1).least(3);
    fdtd2d_torus_cpp: cxx(2).least(2);
    obstacle2d_switch_cpp: cxx(2).least(1);
    wave2d_mod3_cpp: cxx(2).least(1);
    yee3d_boxes_cpp: cxx(3).least(1);
    poisson2d_forever_cpp: cxx(2).least(1);
    poisson2d_every_cpp: cxx(2).least(1);
    shallow2d_fields_cpp: cxx(2).least(1);
    laplacian2d_static_cpp: cxx(2).most(150);
    sine_gordon1d_cpp: cxx(1).host_only();
    relax1d_red_black_cpp: cxx(1);
    relax1d_early_swap_cpp: cxx(1).least(1);
    heat2d_neighbours_cpp: cxx(2);
    wave1d_delayed_cpp: cxx(1);
    smooth1d_rounds_cpp: cxx(1).least(1);
    wave2d_class_cpp: cxx(2);
    heat1d_references_cpp: cxx(1);
    heat2d_derived_cpp: cxx(2);
    gas2d_cells_cpp: cxx(2).least(3);
    heat2d_throws_cpp: Program { expect: Expect::Transformed(2), ..cxx(2).least(1) };

    heat2d_constant_f90: fortran(2).least(0).most(150);
    shallow2d_cells_f90: fortran(2).least(2);
    heat2d_copyback_f90: fortran(2);
    heat2d_divided_f90: fortran(2).least(3);
    heat2d_realloc_told_f90: fortran(2).least(1);
    laplace2d_realloc_f90: fortran(2).least(1);
    poisson2d_realloc_f90: fortran(2).least(1);
    reaction2d_stepped_f90: fortran(2).least(1);
    wave2d_module_levels_f90: fortran(2).least(1);
    heat2d_counters_f90: fortran(2);
    heat2d_turns_f90: fortran(2);
    heat2d_alternate_f90: fortran(2);
    shallow2d_ghosts_f90: fortran(2).least(3);
    heat2d_clock_f90: fortran(2);
    heat2d_chosen_f90: fortran(2);
    poisson2d_maxval_f90: fortran(2);
    poisson2d_assumed_f90: fortran(2).least(1);
    laplace2d_sections_f90: fortran(2).least(2);
    schroedinger2d_complex_f90: fortran(2);
    poisson2d_logical_f90: fortran(2);
    laplace2d_rest_f90: fortran(2);
    heat2d_common_f90: fortran(2).most(150);
    laplace2d_common_f90: fortran(2).most(150);
    heat2d_bounds_f90: fortran(2);
    heat2d_across_f90: fortran(2);
    lbm2d_across_f90: fortran(2);
    pieces2d_branches_f90: fortran(2).least(1);
    heat2d_module_f90: fortran(2);
    heat2d_assumed_f90: fortran(2);
    heat2d_expressions_f90: fortran(2);
    obstacle2d_derived_f90: fortran(2);
    heat2d_output_f90: fortran(2);
    heat2d_numbered_f90: fortran(2);
    heat1d_lettered_f90: fortran(1);
    poisson2d_history_f90: fortran(2).least(2);
    poisson2d_sections_f90: fortran(2).least(2);
    shift2d_sections_f90: fortran(2);
    ring2d_cyclic_f90: fortran(2);
    lbm2d_work_f90: fortran(2);
    laplace2d_error_f90: fortran(2);
    laplace2d_norm_f90: fortran(2);
    laplace2d_moved_f90: fortran(2).least(1);
    laplace2d_assigned_f90: Program { expect: Expect::Transformed(2), ..fortran(2).least(1) };
    heat2d_told_f90: fortran(2);
    acoustic2d_snapshots_f90: fortran(2);
    heat2d_records_f90: fortran(2);
    heat2d_module_counters_f90: fortran(2);
    heat2d_columns_f90: fortran(2).least(3);
    heat2d_exits_f90: fortran(2).least(1);
    lattice2d_shapes_f90: fortran(2).least(1);
    heat2d_energies_f90: fortran(2).least(1);
    acoustics2d_filled_f90: fortran(2).least(1);
    heat2d_by_parity_f90: fortran(2).least(1);
    waves2d_interleaved_f90: fortran(2).least(1);
    flux2d_schemes_f90: fortran(2).least(2);
    heat2d_until_f90: fortran(2).least(2);
    heat2d_land_f90: fortran(2).least(3);
    heat2d_assigned_until_f90: fortran(2).least(2);
    advection2d_shape_modulo_f90: fortran(2).least(3);
    heat2d_numbers_f90: fortran(2).least(3);
    laplace2d_logged_f90: fortran(2);
    laplace2d_told_f90: fortran(2);
    coupled2d_looked_at_f90: fortran(2);
    shallow1d_speed_f90: fortran(1);
    heat2d_residual_f90: fortran(2);
    heat2d_probe_f90: fortran(2);
    heat3d7_copyback_f90: fortran(3);
    shift1d_in_place_f90: fortran(1);
    shift2d_lag_f90: fortran(2);
    wind2d_upwind_f90: fortran(2);
    heat2d_move_alloc_f90: fortran(2);
    wave2d_moved_f90: fortran(2);
    heat2d_shown_f90: fortran(2).least(2);
    jacobi2d_there_and_back_f90: fortran(2);

    heat2d_pointers_f90: fortran(2);
    heat2d_swapped_main_f90: fortran(2).least(3);
    heat2d_realloc_f90: fortran(2);
    heat2d_increment_f90: fortran(2);
    heat2d_function_f90: fortran(2);
    heat2d_automatic_f90: fortran(2);
    burgers1d_automatic_f90: fortran(1);
    heat2d_reshaped_f90: fortran(2);
    wave2d_assigned_f90: fortran(2);
    heat3d7_assigned_f90: fortran(3);
    heat2d_parity_f90: fortran(2);
    heat2d_directives_f90: fortran(2);
    obstacle2d_where_f90: fortran(2);
    // On smaller grids a condition leaves out a point that lies outside: the guard refuses that (lit/conditional-outside.c).
    wave2d_levels_f90: fortran(2).least(5);
    wave2d_source_f90: fortran(2).least(0);
    wave2d_trace_f90: fortran(2).least(2);
    wave2d_gather_f90: fortran(2).least(2);
    wave2d_geophones_f90: fortran(2).least(2);
    wave2d_solver_f90: fortran(2).least(2);
    poisson2d_solver_f90: fortran(2).least(2);
    wave2d_first_f90: fortran(2);
    fdtd2d_fields_f90: fortran(2).least(3);
    life2d_integer_f90: fortran(2).least(3);
    life2d_counted_f90: fortran(2).least(1);
    life2d_inside_f90: fortran(2).least(2);
    phase2d_called_f90: fortran(2);
    lbm2d_populations_f90: fortran(2);
    shallow2d_planes_f90: fortran(2).least(2);
    acoustics2d_planes_f90: fortran(2).least(2);
    border2d_clamped_f90: fortran(2).least(2);
    heat2d_timers_f90: fortran(2);
    heat2d_class_f90: fortran(2);
    heat2d_bound_f90: fortran(2);
    heat2d_periodic_f90: fortran(2).least(2);
    drift2d_refilled_f90: fortran(2).least(2);
    heat2d_associate_f90: fortran(2);
    obstacle2d_merge_f90: fortran(2);
    poisson2d_every_f90: fortran(2).least(1);
    wave2d_pointers_f90: fortran(2);
    life2d_logical_f90: fortran(2).least(2);
    obstacle2d_cycle_f90: fortran(2);
    wave2d_mod3_f90: fortran(2);
    blur2d_kernel_f90: fortran(2).least(2);
    yee3d_fields_f90: fortran(3);
    lbm2d_cells_f90: fortran(2);
    front2d_steep_f90: fortran(2);
    sine_gordon1d_f90: fortran(1).host_only();
    relax1d_red_black_f90: fortran(1);
    relax1d_history_f90: fortran(1).least(1);
    shallow2d_counters_f90: fortran(2).least(3);
    heat2d_aside_f90: fortran(2);
    heat2d_halo_f90: fortran(2).least(3);
    heat2d_object_f90: fortran(2).least(3);
    fdtd2d_mur_f90: fortran(2).least(3);
    heat2d_monitored_f90: fortran(2).least(1);
    relaxed1d_flag_f90: fortran(1);
    slots1d_called_f90: fortran(1);

    jacobi1d_slices_rs: rust(1);
    heat2d_vec_rs: rust(2).least(1).unsigned_steps();
    pieces2d_branches_rs: rust(2).least(1).unsigned_steps();
    heat2d_divided_rs: rust(2).least(3).unsigned_steps();
    rows2d_vec_rs: rust(2).least(4).unsigned_steps();
    rows2d_cloned_rs: rust(2).least(4).unsigned_steps();
    rows2d_lines_rs: rust(2).least(4).unsigned_steps();
    smooth1d_windows_rs: rust(1).least(2).unsigned_steps();
    heat2d_while_rs: rust(2).least(1);
    heat2d_chosen_rs: rust(2).least(1).unsigned_steps();
    laplace2d_change_rs: rust(2).least(1);
    laplace2d_plate_rs: rust(2).least(1);
    wave1d_pulse_rs: rust(1).least(1).unsigned_steps();
    laplace2d_norm_rs: rust(2).least(1);
    poisson2d_reduced_rs: rust(2).least(1);
    heat2d_sums_rs: rust(2).least(1);
    wave2d_rotate_rs: rust(2).least(1).unsigned_steps();
    wave2d_probe_rs: rust(2).least(2).unsigned_steps();
    heat2d_objects_rs: rust(2).least(2).unsigned_steps();
    heat2d_exchanged_rs: rust(2).least(2).unsigned_steps();
    wave2d_mod3_rs: rust(2).least(2).unsigned_steps();
    wave2d_first_rs: rust(2).least(2).unsigned_steps();
    fdtd2d_struct_rs: rust(2).least(1).unsigned_steps();
    heat2d_copyback_rs: rust(2).least(1).unsigned_steps();
    heat2d_parity_rs: rust(2).least(1).unsigned_steps();
    heat2d_turns_rs: rust(2).least(1).unsigned_steps();
    heat2d_alternate_rs: rust(2).least(1).unsigned_steps();
    heat2d_either_rs: rust(2).least(1).unsigned_steps();
    heat2d_counted_rs: rust(2).least(1).unsigned_steps();
    heat2d_references_rs: rust(2).least(3).unsigned_steps();
    lattice2d_inclusive_rs: rust(2).least(3).unsigned_steps();
    lattice2d_scattered_rs: rust(2).least(4).unsigned_steps();
    heat2d_finite_rs: rust(2).least(1).unsigned_steps();
    lattice2d_chunks_rs: rust(2).least(2).unsigned_steps();
    heat2d_numbers_rs: rust(2).least(3).unsigned_steps();
    heat2d_clock_rs: rust(2).least(1).unsigned_steps();
    heat2d_renewed_rs: rust(2).least(1);
    schroedinger1d_complex_rs: rust(1).least(1).unsigned_steps();
    poisson2d_settled_rs: rust(2).least(1).unsigned_steps();
    poisson2d_cloned_rs: rust(2).least(2);
    smooth1d_handed_rs: rust(1).least(3);
    life2d_wrapped_rs: rust(2).least(2);
    ring2d_collected_rs: rust(2).least(3).unsigned_steps();
    yee1d_struct_rs: rust(1).least(0).unsigned_steps();
    heat2d_chunks_rs: rust(2).least(1).unsigned_steps();
    heat2d_rows_rs: rust(2).least(3).unsigned_steps();
    life2d_bytes_rs: rust(2).least(3).unsigned_steps();
    border2d_clamped_rs: rust(2).least(3).unsigned_steps();
    jacobi2d_arrays_rs: rust(2).least(1).most(150).unsigned_steps();
    lbm2d_cells_rs: rust(2).least(1).unsigned_steps();
    shift1d_lag_rs: rust(1).least(6).unsigned_steps();
    wind2d_match_rs: rust(2).least(1).unsigned_steps();
    smooth1d_zip_rs: rust(1).least(0).unsigned_steps();
    smooth1d_enumerate_rs: rust(1).least(3).unsigned_steps();
    smooth1d_skip_rs: rust(1).least(3).unsigned_steps();
    heat2d_skip_rs: rust(2).least(3).unsigned_steps();
    heat2d_windows_rs: rust(2).least(3).unsigned_steps();
    heat2d_clone_rs: rust(2).least(1).unsigned_steps();
    heat2d_fresh_rs: rust(2).least(1).unsigned_steps();
    heat2d_filled_rs: rust(2).least(1).unsigned_steps();
    heat2d_walls_rs: rust(2).least(3).unsigned_steps();
    heat2d_kinds_rs: rust(2).least(8).unsigned_steps();
    heat2d_cells_walled_rs: rust(2).least(3).unsigned_steps();
    heat2d_collect_rs: rust(2).least(3).unsigned_steps();
    heat2d_swapped_rs: rust(2).least(1).unsigned_steps();
    heat2d_laplacian_rs: rust(2).least(1).unsigned_steps();
    heat2d_grid_rs: rust(2).least(3).unsigned_steps();
    smooth1d_fresh_rs: rust(1).least(1).unsigned_steps();
    heat2d_inclusive_rs: rust(2).least(2).unsigned_steps();
    transport1d_downwards_rs: rust(1).least(1).unsigned_steps();
    flow2d_faces_rs: rust(2).least(2);
    laplace2d_shown_rs: rust(2).least(1);
    front2d_steep_rs: rust(2).least(1).unsigned_steps();
    sine_gordon1d_rs: rust(1).least(1).unsigned_steps().host_only();
    smooth1d_own_rs: rust(1).least(1).unsigned_steps();
    rows2d_change_rs: rust(2).least(4).unsigned_steps();
    heat2d_array2_rs: rust(2).least(1).unsigned_steps();
    heat2d_owned_rs: rust(2).least(1).unsigned_steps();
    heat3d7_grid_rs: rust(3).least(1).unsigned_steps();
    heat2d_printed_rs: rust(2).least(1).unsigned_steps();
    heat2d_watched_rs: rust(2).least(1).unsigned_steps();
    heat2d_panics_rs: rust(2).least(1).unsigned_steps();
    heat2d_slots_rs: rust(2).least(1).unsigned_steps();
    life2d_inside_rs: rust(2).least(3).unsigned_steps();
    heat2d_zipped_rs: rust(2).least(3).unsigned_steps();
    heat2d_split_rs: rust(2).least(3).unsigned_steps();
    heat2d_history_rs: rust(2).least(1).unsigned_steps();
    wave1d_history_rs: rust(1).least(1).unsigned_steps();
    heat2d_timers_rs: rust(2).least(1).unsigned_steps();
    poisson2d_every_rs: rust(2).least(1);
    poisson2d_forever_rs: rust(2).least(1);
    heat2d_files_rs: rust(2).least(1).unsigned_steps();
    life2d_cells_rs: rust(2).least(1).unsigned_steps();
    heat2d_periodic_rs: rust(2).least(2).unsigned_steps();
    heat2d_neumann_rs: rust(2).least(2).unsigned_steps();
    wave2d_source_rs: rust(2).least(2).unsigned_steps();
    wave2d_gather_rs: rust(2).least(2).unsigned_steps();
    burgers1d_collected_rs: rust(1).least(2).unsigned_steps();
    lbm2d_outflow_rs: rust(2).least(2).unsigned_steps();
    phase2d_stages_rs: rust(2).least(2).unsigned_steps();
    wave1d_study_rs: rust(1).least(6).unsigned_steps();
    fluid2d_solves_rs: rust(2).least(2).unsigned_steps();
    shallow2d_cells_rs: rust(2).least(3).unsigned_steps();
    reaction2d_cells_rs: rust(2).least(2).unsigned_steps();
    life2d_world_rs: rust(2).least(2).unsigned_steps();
    shallow2d_struct_rs: rust(2).least(1).unsigned_steps();
    jacobi2d_boxed_rs: rust(2).least(1).unsigned_steps();
    relax1d_red_black_rs: rust(1).least(1).unsigned_steps();
    wave2d_levels_rs: rust(2).least(1).unsigned_steps();
    obstacle2d_continue_rs: rust(2).least(1).unsigned_steps();
    blur2d_kernel_rs: rust(2).least(1).unsigned_steps();
    rows2d_iterated_rs: rust(2).least(4).unsigned_steps();
    yee3d_fields_rs: rust(3).least(1).unsigned_steps();
    heat2d_ndarray_rs: rust(2).least(1).unsigned_steps().ndarray();
    poisson2d_ndarray_rs: rust(2).least(1).unsigned_steps().ndarray();
    heat2d_probed_rs: rust(2).least(1).unsigned_steps();
    reaction2d_ndarray_rs: rust(2).least(1).unsigned_steps().ndarray();
    jacobi2d_ndarray_rs: rust(2).least(1).unsigned_steps().ndarray();
    heat3d7_ndarray_rs: rust(3).least(1).unsigned_steps().ndarray();
}
