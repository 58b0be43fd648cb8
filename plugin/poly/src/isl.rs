//! isl behind `Result` and an operation budget: the only place that names `isl_rs`.
//!
//! An [`Isl`] is one isl context. isl's contexts are not thread-safe while isl_rs's objects are plain integers, so
//! everything here borrows its `Isl`, which is neither `Send` nor `Sync` and outlives all of it. isl is told to keep
//! silent about errors; each call returns a [`Rejection`]: `budget` when the operations are used up, `bug` otherwise.
//!
//! Texts that isl prints are never freed by isl_rs; a nest prints a few kilobytes.

use crate::rejection::{Reason, Rejection};
use isl_rs as raw;
use std::cell::Cell;
use std::marker::PhantomData;
use std::rc::Rc;

/// `ISL_ON_ERROR_CONTINUE`: no text on stderr, no abort.
const ON_ERROR_CONTINUE: i32 = 1;

/// Operations (isl counts its allocations; some four thousand take a millisecond) that one check of a nest may use.
pub const BUDGET: u64 = 20_000_000;

/// Operations that the dependences of a nest may use. The largest of the papers' stencils (27 points) needs a fortieth; the
/// eighty statements of a step of Runge and Kutta on several fields, or of a lattice with walls and corners, up to a half.
pub const ANALYSIS_BUDGET: u64 = 20_000_000;

/// One isl context with its budget.
pub struct Isl {
    context: raw::Context,
    budget: u64,
    exhausted: Cell<bool>,
    not_send: PhantomData<Rc<()>>,
}

impl std::fmt::Debug for Isl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Isl").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl Isl {
    /// A context that may use so many operations (0: no limit).
    pub fn new(budget: u64) -> Result<Isl, Rejection> {
        let context = raw::Context::alloc();
        if context.ptr == 0 {
            return Err(Rejection::new(Reason::Bug, "isl has no memory for a context"));
        }
        let isl = Isl { context, budget, exhausted: Cell::new(false), not_send: PhantomData };
        isl.check(raw::Options::set_on_error(&isl.context, ON_ERROR_CONTINUE))?;
        isl.context.set_max_operations(budget);
        Ok(isl)
    }

    /// isl_rs's result as ours.
    fn check<T>(&self, result: Result<T, raw::LibISLError>) -> Result<T, Rejection> {
        result.map_err(|e| self.refuse(&e.to_string()))
    }

    fn refuse(&self, message: &str) -> Rejection {
        self.context.reset_error();
        if self.is_exhausted() {
            return Rejection::new(
                Reason::Budget,
                "the dependences of this loop are too complicated to analyse within the budget",
            );
        }
        Rejection::new(Reason::Bug, format!("isl: {message}"))
    }

    /// True once the budget is used up. Asked by trying, since what isl says last may be a consequence.
    fn is_exhausted(&self) -> bool {
        if !self.exhausted.get() {
            self.exhausted.set(raw::Val::zero(&self.context).is_err());
            self.context.reset_error();
        }
        self.exhausted.get()
    }

    /// Text that isl prints. Printing is exempt from the budget: isl_rs reads the text before it looks for an error.
    fn print<'a>(
        &self,
        to_str: impl FnOnce() -> Result<&'a str, raw::LibISLError>,
    ) -> Result<String, Rejection> {
        if self.exhausted.get() {
            return Err(self.refuse("printing"));
        }
        self.context.set_max_operations(0);
        let text = to_str().map(str::to_owned);
        self.context.set_max_operations(self.budget);
        self.check(text)
    }
}

macro_rules! objects {
    ($($(#[doc = $doc:literal])+ $name:ident),+) => { $(
        $(#[doc = $doc])+
        pub struct $name<'c> {
            isl: &'c Isl,
            raw: raw::$name,
        }

        impl<'c> $name<'c> {
            /// Reads isl's notation.
            pub fn parse(isl: &'c Isl, text: &str) -> Result<$name<'c>, Rejection> {
                if text.contains('\0') {
                    return Err(isl.refuse("a text holds a zero byte"));
                }
                let raw = isl.check(raw::$name::read_from_str(&isl.context, text))?;
                Ok($name { isl, raw })
            }

            /// In isl's notation.
            pub fn text(&self) -> Result<String, Rejection> {
                self.isl.print(|| self.raw.to_str())
            }

            /// Another one, equal.
            pub fn copy(&self) -> Result<$name<'c>, Rejection> {
                self.make(self.raw.copy())
            }

            fn make(
                &self,
                raw: Result<raw::$name, raw::LibISLError>,
            ) -> Result<$name<'c>, Rejection> {
                Ok($name { isl: self.isl, raw: self.isl.check(raw)? })
            }
        }

        impl std::fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.text().unwrap_or_else(|e| e.to_string()))
            }
        }
    )+ };
}

objects! {
    /// A set of integer points in several spaces.
    UnionSet,
    /// A relation between integer points in several spaces.
    UnionMap,
    /// A set of integer points in one space.
    Set
}

macro_rules! forward {
    ($object:ident { $($(#[doc = $doc:literal])+ $name:ident($($arg:ident: $ty:ident),*) -> $out:ident;)+ }) => {
        impl<'c> $object<'c> { $(
            $(#[doc = $doc])+
            pub fn $name(self $(, $arg: $ty<'c>)*) -> Result<$out<'c>, Rejection> {
                Ok($out { isl: self.isl, raw: self.isl.check(self.raw.$name($($arg.raw),*))? })
            }
        )+ }
    };
}

forward! { UnionMap {
    /// Both.
    intersect(o: UnionMap) -> UnionMap;
    /// Either.
    union(o: UnionMap) -> UnionMap;
    /// Without those of `o`.
    subtract(o: UnionMap) -> UnionMap;
    /// Pairs turned round.
    reverse() -> UnionMap;
    /// x → z where x → y here and y → z in `o`.
    apply_range(o: UnionMap) -> UnionMap;
    /// z → y where x → y here and x → z in `o`.
    apply_domain(o: UnionMap) -> UnionMap;
    /// x → [y → z] where x → y here and x → z in `o`.
    range_product(o: UnionMap) -> UnionMap;
    /// Pairs whose first lies in `o`.
    intersect_domain(o: UnionSet) -> UnionMap;
    /// Pairs whose second lies in `o`.
    intersect_range(o: UnionSet) -> UnionMap;
    /// Pairs whose first does not lie in `o`.
    subtract_domain(o: UnionSet) -> UnionMap;
    /// Pairs whose second does not lie in `o`.
    subtract_range(o: UnionSet) -> UnionMap;
    /// All firsts.
    domain() -> UnionSet;
    /// All seconds.
    range() -> UnionSet;
    /// All differences second − first.
    deltas() -> UnionSet;
    /// Only the smallest second of each first.
    lexmin() -> UnionMap;
    /// Only the largest second of each first.
    lexmax() -> UnionMap;
    /// Fewer pieces, same relation.
    coalesce() -> UnionMap;
    /// For any value of the parameters.
    project_out_all_params() -> UnionMap;
}}

forward! { UnionSet {
    /// Both.
    intersect(o: UnionSet) -> UnionSet;
    /// Either.
    union(o: UnionSet) -> UnionSet;
    /// Without those of `o`.
    subtract(o: UnionSet) -> UnionSet;
    /// Image.
    apply(o: UnionMap) -> UnionSet;
    /// Identity on the set.
    identity() -> UnionMap;
    /// Fewer pieces, same set.
    coalesce() -> UnionSet;
    /// For any value of the parameters.
    project_out_all_params() -> UnionSet;
}}

forward! { Set {
    /// Either, in the same space.
    union(o: Set) -> Set;
    /// Fewer pieces, same set.
    coalesce() -> Set;
    /// For any value of the parameters.
    project_out_all_params() -> Set;
}}

impl<'c> UnionMap<'c> {
    pub fn is_empty(&self) -> Result<bool, Rejection> {
        self.isl.check(self.raw.is_empty())
    }

    pub fn is_subset(&self, o: &UnionMap<'c>) -> Result<bool, Rejection> {
        self.isl.check(self.raw.is_subset(&o.raw))
    }

    pub fn is_equal(&self, o: &UnionMap<'c>) -> Result<bool, Rejection> {
        self.isl.check(self.raw.is_equal(&o.raw))
    }

    /// True if no two pairs share a first.
    pub fn is_single_valued(&self) -> Result<bool, Rejection> {
        self.isl.check(self.raw.is_single_valued())
    }

    /// True if no two pairs share a second.
    pub fn is_injective(&self) -> Result<bool, Rejection> {
        self.isl.check(self.raw.is_injective())
    }
}

impl<'c> UnionSet<'c> {
    pub fn is_empty(&self) -> Result<bool, Rejection> {
        self.isl.check(self.raw.is_empty())
    }

    pub fn is_subset(&self, o: &UnionSet<'c>) -> Result<bool, Rejection> {
        self.isl.check(self.raw.is_subset(&o.raw))
    }

    pub fn is_equal(&self, o: &UnionSet<'c>) -> Result<bool, Rejection> {
        self.isl.check(self.raw.is_equal(&o.raw))
    }

    /// One set for each space.
    pub fn sets(&self) -> Result<Vec<Set<'c>>, Rejection> {
        let list = self.isl.check(self.raw.get_set_list())?;
        let size = self.isl.check(list.size())?;
        (0..size).map(|i| Ok(Set { isl: self.isl, raw: self.isl.check(list.get_at(i))? })).collect()
    }
}

impl<'c> Set<'c> {
    pub fn is_empty(&self) -> Result<bool, Rejection> {
        self.isl.check(self.raw.is_empty())
    }

    /// Number of dimensions.
    pub fn dims(&self) -> Result<usize, Rejection> {
        let n = self.isl.check(self.raw.dim(raw::DimType::Set))?;
        usize::try_from(n).map_err(|_| self.isl.refuse("a set has no dimensions"))
    }

    /// The convex pieces.
    pub fn pieces(&self) -> Result<Vec<Set<'c>>, Rejection> {
        let list = self.isl.check(self.raw.get_basic_set_list())?;
        let size = self.isl.check(list.size())?;
        (0..size)
            .map(|i| {
                let piece = self.isl.check(list.get_at(i))?;
                Ok(Set { isl: self.isl, raw: self.isl.check(piece.to_set())? })
            })
            .collect()
    }

    /// All points if they lie in a small box (isl writes neighbouring points as one piece).
    pub fn points(&self) -> Result<Option<Vec<Vec<i64>>>, Rejection> {
        if !self.lies_in_small_box()? {
            return Ok(None);
        }
        let mut rest = self.copy()?;
        let mut out = Vec::new();
        while !rest.is_empty()? {
            let point = self.isl.check(rest.copy()?.raw.sample_point())?;
            out.push(self.coordinates(&point)?);
            let one = self.isl.check(raw::Set::from_point(point))?;
            rest.raw = self.isl.check(rest.raw.subtract(one))?;
        }
        out.sort_unstable();
        Ok(Some(out))
    }

    fn lies_in_small_box(&self) -> Result<bool, Rejection> {
        const FEW: i64 = 128;
        let mut volume = 1i64;
        for d in 0..self.dims()? {
            let at = i32::try_from(d).map_err(|_| self.isl.refuse("too many dimensions"))?;
            let lo = self.isl.check(self.copy()?.raw.dim_min_val(at))?;
            let hi = self.isl.check(self.copy()?.raw.dim_max_val(at))?;
            let width = self.isl.check(hi.sub(lo))?;
            if !self.isl.check(width.is_int())? || self.isl.check(width.cmp_si(FEW))? > 0 {
                return Ok(false);
            }
            volume = volume.saturating_mul(self.isl.check(width.get_num_si())? + 1);
        }
        Ok(volume <= FEW)
    }

    fn coordinates(&self, point: &raw::Point) -> Result<Vec<i64>, Rejection> {
        (0..self.dims()?)
            .map(|d| {
                let at = i32::try_from(d).map_err(|_| self.isl.refuse("too many dimensions"))?;
                let value = self.isl.check(point.get_coordinate_val(raw::DimType::Set, at))?;
                self.isl.check(value.get_num_si())
            })
            .collect()
    }

    /// Only dimensions `keep`, for any value of the others.
    pub fn project_onto(self, keep: &[usize]) -> Result<Set<'c>, Rejection> {
        let mut out = self;
        for d in (0..out.dims()?).rev() {
            if !keep.contains(&d) {
                let at = u32::try_from(d).map_err(|_| out.isl.refuse("too many dimensions"))?;
                out.raw = out.isl.check(out.raw.project_out(raw::DimType::Set, at, 1))?;
            }
        }
        Ok(out)
    }

    /// For a set without parameters: the set of all `[c0, c1, …]` with `Σ c_d · x_d >= 0` for every point x of the
    /// set's convex hull (Farkas' lemma; isl calls it `coefficients`).
    fn valid_homogeneous(self) -> Result<raw::BasicSet, Rejection> {
        let isl = self.isl;
        let all = isl.check(self.raw.coefficients())?;
        // { coefficients[[constant] -> [c0, c1, …]] }: only constant <= 0 holds for the cone; 0 is the weakest.
        let flat = isl.check(all.flatten())?;
        isl.check(flat.fix_si(raw::DimType::Set, 0, 0))
    }

    /// The smallest rational δ >= 0 with `sign · x_1 <= δ · x_0` for every point `[x_0, x_1]` of a set without
    /// parameters; `None` if there is none. As a fraction. Of a set with gaps, all that lies in between counts.
    pub fn slope(&self, sign: i32) -> Result<Option<(i64, i64)>, Rejection> {
        let isl = self.isl;
        let mut whole = self.copy()?;
        whole.raw = isl.check(whole.raw.remove_divs())?;
        let valid = whole.valid_homogeneous()?;
        let valid = isl.check(valid.fix_si(raw::DimType::Set, 2, -sign))?;
        let at_least_zero = isl.check(raw::Val::zero(&isl.context))?;
        let valid = isl.check(valid.lower_bound_val(raw::DimType::Set, 1, at_least_zero))?;
        let local = isl.check(valid.get_local_space())?;
        let delta = isl.check(raw::Aff::var_on_domain(local, raw::DimType::Set, 1))?;
        let least = isl.check(valid.min_lp_val(&delta))?;
        if !isl.check(least.is_rat())? {
            return Ok(None);
        }
        let den = isl.check(isl.check(least.get_den_val())?.get_num_si())?;
        Ok(Some((isl.check(least.get_num_si())?, den)))
    }
}

/// Checks that the isl behind [`isl_rs`] is the one it was built with, not one that the host process exports (LLVM
/// carries its own). To be called once, before anything else.
pub fn check_version() -> Result<(), String> {
    let version = version::text();
    if version.starts_with("UNKNOWN-IMath") {
        return Ok(());
    }
    Err(format!("another isl ({}) has taken the place of our own", version.trim()))
}

/// isl_rs does not bind `isl_version`.
#[allow(unsafe_code)]
mod version {
    use std::ffi::{CStr, c_char};

    unsafe extern "C" {
        fn isl_version() -> *const c_char;
    }

    pub fn text() -> String {
        // SAFETY: isl/version.h: takes nothing, returns a static zero-terminated text.
        let version = unsafe { CStr::from_ptr(isl_version()) };
        version.to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_isl() {
        assert_eq!(check_version(), Ok(()));
    }

    #[test]
    fn slope_of_a_cone() {
        let isl = Isl::new(BUDGET).unwrap();
        let set = Set::parse(&isl, "{ [1, -2]; [2, 1]; [3, 1] }").unwrap();
        assert_eq!(set.slope(1).unwrap(), Some((1, 2)));
        assert_eq!(set.slope(-1).unwrap(), Some((2, 1)));
        let set = Set::parse(&isl, "{ [1, x] : x >= 3 }").unwrap();
        assert_eq!(set.slope(1).unwrap(), None);
        assert_eq!(set.slope(-1).unwrap(), Some((0, 1)));
    }

    #[test]
    fn budget_runs_out_silently() {
        let isl = Isl::new(200).unwrap();
        let all =
            UnionMap::parse(&isl, "[n] -> { A[i, j] -> B[i + j, j] : 0 <= i < n and 0 <= j < i }")
                .and_then(|m| m.copy()?.reverse()?.apply_range(m))
                .and_then(|m| m.is_empty());
        assert_eq!(all.unwrap_err().reason, Reason::Budget);
        assert_eq!(Set::parse(&isl, "{ [1, 1] }").unwrap_err().reason, Reason::Budget);
    }

    #[test]
    fn nonsense_is_a_bug() {
        let isl = Isl::new(BUDGET).unwrap();
        assert_eq!(Set::parse(&isl, "{ [i : }").unwrap_err().reason, Reason::Bug);
        assert_eq!(Set::parse(&isl, "{ [\0] }").unwrap_err().reason, Reason::Bug);
        assert!(Set::parse(&isl, "{ [1, 1] }").is_ok());
    }
}
