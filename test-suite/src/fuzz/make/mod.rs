//! Chooses a program: what people write, with weights under which most programs are tiled, and the rest spread over what
//! is refused or has to be guarded.

mod extras;
mod round;
mod step;
mod values;

use crate::fuzz::choice::Choice;
use crate::fuzz::program::*;
use crate::fuzz::sound;
use crate::fuzz::writing::folds_of;
use crate::table::Language;

/// The program of this seed: in every language the same, but for what the language has not.
pub fn program(language: Language, seed: u64) -> Program {
    let mut choice = Choice::seeded(seed);
    loop {
        let mut maker = Maker::new(seed, &mut choice);
        let program = suited(maker.program(), language);
        let fits = |least: [i32; 3]| least.iter().all(|&n| n <= LARGEST_LEAST);
        if sound::least(&program).is_ok_and(fits) {
            return extras::with(program, fits);
        }
    }
}

/// The program as this language can say it.
fn suited(mut program: Program, language: Language) -> Program {
    let mut choice = Choice::seeded(program.seed ^ 0x3a15);
    program.language = language;
    program.ways = Ways([0; 12].map(|_| choice.between(0, 99).to_le_bytes()[0]));
    if language != Language::C {
        // Pointers to the same memory are C's.
        program.overlap = Overlap::None;
    }
    if language == Language::Rust {
        // Most people count in what subscripts are.
        program.style.counter = match program.style.counter {
            Counter::Int => Counter::Size,
            Counter::Size => Counter::Int,
            other => other,
        };
        if program.storage == Storage::Static {
            program.style.counter = Counter::Size;
        }
    }
    program
}

/// A program that is well-defined for no smaller size would hardly be tried.
const LARGEST_LEAST: i32 = 40;

/// A dimension's reach: how far from the border a usual sweep keeps, at its two ends.
type Reach = (i32, i32);

struct Maker<'a> {
    choice: &'a mut Choice,
    p: Program,
    reach: [Reach; 3],
    border: Border,
    locals: usize,
}

/// What happens at the border in the sweeps themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Border {
    KeptAway,
    Wrapped,
    Clamped,
    Branch,
}

impl<'a> Maker<'a> {
    fn new(seed: u64, choice: &'a mut Choice) -> Maker<'a> {
        let dims = choice.weighted(&[(30, 1), (48, 2), (22, 3)]);
        let element = choice.weighted(&[
            (50, Element::Double),
            (25, Element::Float),
            (16, Element::Int),
            (9, Element::Byte),
        ]);
        let storage = storage(choice, dims);
        let idiom = idiom(choice, storage);
        let reach = [0; 3].map(|_| reach(choice));
        let border = choice.weighted(&[
            (76, Border::KeptAway),
            (7, Border::Wrapped),
            (7, Border::Clamped),
            (10, Border::Branch),
        ]);
        let style = style(choice);
        let p = Program {
            seed,
            language: Language::C,
            dims,
            element,
            extents: None,
            storage,
            idiom,
            overlap: Overlap::None,
            fields: Vec::new(),
            inputs: Vec::new(),
            folds: Vec::new(),
            parts: Vec::new(),
            style,
            ways: Ways([0; 12]),
        };
        Maker { choice, p, reach, border, locals: 0 }
    }

    fn program(&mut self) -> Program {
        self.fields();
        self.inputs();
        self.collects();
        self.step();
        self.side();
        self.extents();
        self.overlap();
        self.p.clone()
    }

    /// Now and then pointers lead to the same memory: results are then those of the loops as they stand.
    fn overlap(&mut self) {
        if self.choice.chance(8) {
            let shift = self.choice.between(1, 40);
            self.p.overlap = self.choice.of(&[Overlap::Same, Overlap::Shifted(shift)]);
            if sound::least(&self.p).is_err() {
                self.p.overlap = Overlap::None;
            }
        }
    }

    fn extents(&mut self) {
        let fixed = self.p.storage == Storage::Static || self.choice.chance(12);
        if !fixed {
            return;
        }
        let (lo, hi) = [(1, 400), (3, 60), (3, 18)][self.p.dims - 1];
        let extents = [0; 3].map(|_| self.choice.between(lo, hi));
        let least = sound::least(&self.p).unwrap_or([1; 3]);
        self.p.extents = Some(std::array::from_fn(|d| extents[d].max(least[d]).max(1)));
    }

    fn fields(&mut self) {
        let count = self.choice.weighted(&[(52, 1), (34, 2), (14, 3)]);
        let three = match self.p.idiom {
            Idiom::Swap | Idiom::Modulo | Idiom::Turn => self.choice.chance(22),
            Idiom::CopyLoop | Idiom::CopyMemory => self.choice.chance(12),
            Idiom::ThereAndBack | Idiom::Alternate | Idiom::Fresh => false,
        };
        let in_place = self.p.idiom == Idiom::CopyLoop && self.choice.chance(35);
        for f in 0..count {
            let single = in_place || f > 0 && self.choice.chance(30);
            let buffers = if single { 1 } else { 2 + usize::from(three) };
            self.p.fields.push(Field { buffers });
        }
    }

    fn inputs(&mut self) {
        for _ in 0..self.choice.weighted(&[(55, 0), (33, 1), (12, 2)]) {
            let axis = self.choice.chance(30).then(|| self.choice.below(self.p.dims));
            let mask = self.choice.chance(35);
            self.p.inputs.push(Input { axis, mask });
        }
    }

    fn collects(&mut self) {
        if !self.choice.chance(16) {
            return;
        }
        let collects = self.choice.weighted(&[
            (40, Collects::Most),
            (6, Collects::Least),
            (30, Collects::Sum),
            (12, Collects::Flag),
            (12, Collects::Count),
        ]);
        let renewed = self.choice.chance(85);
        self.p.folds.push(Fold { collects, renewed });
    }
}

fn storage(choice: &mut Choice, dims: usize) -> Storage {
    let rows = choice.of(&[Rows::Dense, Rows::Padded, Rows::Shuffled]);
    let storage = choice.weighted(&[
        (34, Storage::Flat),
        (8, Storage::OneBlock),
        (13, Storage::Vla),
        (13, Storage::Static),
        (10, Storage::Rows(rows)),
        (13, Storage::Members),
        (9, Storage::Structures),
    ]);
    match storage {
        Storage::Rows(_) | Storage::Vla if dims == 1 => Storage::Flat,
        other => other,
    }
}

fn idiom(choice: &mut Choice, storage: Storage) -> Idiom {
    loop {
        let idiom = choice.weighted(&[
            (27, Idiom::Swap),
            (24, Idiom::CopyLoop),
            (8, Idiom::CopyMemory),
            (12, Idiom::Modulo),
            (9, Idiom::Turn),
            (9, Idiom::ThereAndBack),
            (7, Idiom::Alternate),
            (4, Idiom::Fresh),
        ]);
        let fits = match idiom {
            Idiom::Swap => storage != Storage::Static,
            Idiom::Fresh => storage == Storage::Flat,
            Idiom::CopyMemory => !matches!(storage, Storage::Rows(_)),
            _ => true,
        };
        if fits {
            return idiom;
        }
    }
}

fn reach(choice: &mut Choice) -> Reach {
    let far = choice.weighted(&[(66, 1), (18, 2), (6, 3), (6, 4), (4, 7)]);
    match choice.weighted(&[(78, 0), (8, 1), (8, 2), (6, 3)]) {
        0 => (far, far),
        1 => (far, 0),
        2 => (0, far),
        _ => (far, choice.between(0, far)),
    }
}

fn style(choice: &mut Choice) -> Style {
    Style {
        counter: choice.weighted(&[
            (66, Counter::Int),
            (12, Counter::Long),
            (14, Counter::Size),
            (8, Counter::Unsigned),
        ]),
        clock: choice.weighted(&[
            (56, Clock::Up),
            (12, Clock::FromOne),
            (5, Clock::Down),
            (11, Clock::While),
            (10, Clock::Real),
            (6, Clock::DoWhile),
        ]),
        home: choice.weighted(&[(25, Home::Main), (30, Home::Static), (45, Home::External)]),
        restricted: choice.chance(30),
        pointers: choice.chance(35),
        macros: choice.chance(20),
        wide: choice.chance(30),
        far: choice.chance(50),
        continues: choice.chance(30),
        ternary: choice.chance(50),
        stepper: choice.chance(22),
        rounds: choice.weighted(&[(92, 1), (8, 3)]),
        stop: choice.chance(5).then(|| choice.between(0, 9)),
        twice: false,
        places: false,
        cleared: false,
    }
}

fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, a.into(), b.into())
}

fn sum(terms: Vec<Expr>) -> Expr {
    let all = terms.into_iter().reduce(|a, b| binary(Binary::Add, a, b));
    all.unwrap_or(Expr::Number(0))
}

/// Sizes and steps to run a program on: those for every device, and those for fast ones.
pub fn cases(program: &Program, least: [i32; 3]) -> (Vec<Case>, Vec<Case>) {
    let mut choice = Choice::seeded(program.seed ^ 0x5ca1_ab1e);
    let d = program.dims - 1;
    let some = |choice: &mut Choice, lo: i32, hi: i32| {
        [0, 1, 2].map(|k| if k > d { 1 } else { choice.between(lo, hi).max(least[k]) })
    };
    let small = [90, 24, 10][d];
    let mut few = vec![
        Case { sizes: least, steps: 3 },
        Case { sizes: [7, 5, 6], steps: 0 },
        Case { sizes: [9, 8, 7], steps: 1 },
        Case { sizes: least.map(|n| n + 1), steps: 2 },
        Case { sizes: some(&mut choice, 3, small / 2), steps: choice.between(2, 9) },
        Case { sizes: some(&mut choice, small / 2, small), steps: choice.between(3, 12) },
        Case { sizes: some(&mut choice, 5, small * 2), steps: choice.between(8, 20) },
    ];
    let (lo, hi) = [(300, 5000), (40, 200), (14, 40)][d];
    let many = vec![
        Case { sizes: some(&mut choice, lo, hi), steps: choice.between(20, 50) },
        Case { sizes: some(&mut choice, lo / 3, lo), steps: choice.between(33, 70) },
    ];
    if choice.chance(30) {
        few.push(Case { sizes: [8, 8, 8], steps: -2 });
    }
    (few, many)
}
