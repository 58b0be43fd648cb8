//! What a program of the corpus leaves in memory: `corpus/c/corpus.h` documents the file.

use std::fmt;
use std::path::Path;

use crate::cases::Case;

/// Everything after one case.
#[derive(Debug, PartialEq)]
pub struct Memory {
    pub case: Case,
    pub items: Vec<Item>,
}

/// One array with its guards, or one scalar.
#[derive(Debug, PartialEq)]
pub struct Item {
    pub name: String,
    /// Elements before (and after) the array proper.
    pub guard: usize,
    pub data: Data,
}

/// Elements as the bits they are.
#[derive(Debug, PartialEq)]
pub enum Data {
    Float(Vec<u32>),
    Double(Vec<u64>),
    Int(Vec<u32>),
    Byte(Vec<u8>),
    Scalar(i64),
}

impl Data {
    fn len(&self) -> usize {
        match self {
            Data::Float(v) => v.len(),
            Data::Double(v) => v.len(),
            Data::Int(v) => v.len(),
            Data::Byte(v) => v.len(),
            Data::Scalar(_) => 1,
        }
    }
}

/// Reads a whole file; `Err` says what is wrong with it.
pub fn read(path: &Path) -> Result<Vec<Memory>, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    parse(&bytes).ok_or_else(|| format!("{}: not a dump of the corpus", path.display()))
}

fn parse(bytes: &[u8]) -> Option<Vec<Memory>> {
    let mut reader = Reader(bytes);
    let mut out: Vec<Memory> = Vec::new();
    while !reader.0.is_empty() {
        match reader.byte()? {
            b'C' => {
                let sizes = [reader.i32()?, reader.i32()?, reader.i32()?];
                let case = Case { sizes, steps: reader.i32()? };
                out.push(Memory { case, items: Vec::new() });
            }
            b'A' => {
                let name = reader.name()?;
                let kind = reader.byte()?;
                let guard = reader.size()?;
                let total = reader.size()? + 2 * guard;
                let data = match kind {
                    b'f' => Data::Float(reader.elements(total, u32::from_ne_bytes)?),
                    b'd' => Data::Double(reader.elements(total, u64::from_ne_bytes)?),
                    b'i' => Data::Int(reader.elements(total, u32::from_ne_bytes)?),
                    b'b' => Data::Byte(reader.elements(total, u8::from_ne_bytes)?),
                    _ => return None,
                };
                out.last_mut()?.items.push(Item { name, guard, data });
            }
            b'V' => {
                let name = reader.name()?;
                let data = Data::Scalar(i64::from_ne_bytes(reader.array()?));
                out.last_mut()?.items.push(Item { name, guard: 0, data });
            }
            _ => return None,
        }
    }
    Some(out)
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take(&mut self, n: usize) -> Option<&[u8]> {
        let (head, tail) = self.0.split_at_checked(n)?;
        self.0 = tail;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[b]| b)
    }

    fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_ne_bytes)
    }

    fn size(&mut self) -> Option<usize> {
        usize::try_from(u64::from_ne_bytes(self.array()?)).ok()
    }

    fn name(&mut self) -> Option<String> {
        let length = u32::from_ne_bytes(self.array()?) as usize;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    fn elements<T, const N: usize>(&mut self, n: usize, from: fn([u8; N]) -> T) -> Option<Vec<T>> {
        let bytes = self.take(n.checked_mul(N)?)?;
        Some(bytes.as_chunks::<N>().0.iter().map(|&b| from(b)).collect())
    }
}

/// What counts as the same number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Equality {
    /// Equal bits, any NaN equal to any other.
    Bits,
    /// |a − b| ≤ tolerance · max(1, |a|, |b|).
    Within(f64),
}

/// The first element that differs, and how many do.
#[derive(Debug, PartialEq)]
pub struct Difference {
    pub case: Case,
    pub array: String,
    /// Counted from the array's first element: negative in the guard before it.
    pub index: i64,
    pub length: usize,
    pub count: usize,
    pub expected: String,
    pub got: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { case, array, index, length, count, expected, got } = self;
        write!(f, "case {case}: `{array}`")?;
        if *length > 1 {
            write!(f, "[{index}] ({} of {length} elements", place(*index, *length))?;
            write!(f, "; {count} differ)")?;
        }
        write!(f, " is {got}, should be {expected}")
    }
}

fn place(index: i64, length: usize) -> &'static str {
    match index {
        ..0 => "in the guard before",
        i if i >= length as i64 => "in the guard after",
        _ => "one",
    }
}

/// Compares everything; `Err` if the two files do not even hold the same arrays.
pub fn compare(
    expected: &[Memory],
    got: &[Memory],
    equality: Equality,
) -> Result<Option<Difference>, String> {
    for (e, g) in expected.iter().zip(got) {
        if e.case != g.case || e.items.len() != g.items.len() {
            return Err(format!("case {}: other arrays than in case {}", g.case, e.case));
        }
        for (e_item, g_item) in e.items.iter().zip(&g.items) {
            if e_item.name != g_item.name || e_item.data.len() != g_item.data.len() {
                return Err(format!("case {}: another array {}", g.case, g_item.name));
            }
            if let Some(difference) = differ(e.case, e_item, g_item, equality) {
                return Ok(Some(difference));
            }
        }
    }
    if expected.len() != got.len() {
        return Err(format!("{} cases instead of {}", got.len(), expected.len()));
    }
    Ok(None)
}

fn differ(case: Case, expected: &Item, got: &Item, equality: Equality) -> Option<Difference> {
    let differing: Vec<usize> = match (&expected.data, &got.data) {
        (Data::Float(a), Data::Float(b)) => unequal(a, b, |&x| same32(x, equality)),
        (Data::Double(a), Data::Double(b)) => unequal(a, b, |&x| same64(x, equality)),
        (Data::Int(a), Data::Int(b)) => unequal(a, b, |(x, y)| x == y),
        (Data::Byte(a), Data::Byte(b)) => unequal(a, b, |(x, y)| x == y),
        (a, b) if a == b => Vec::new(),
        _ => vec![0],
    };
    let &first = differing.first()?;
    Some(Difference {
        case,
        array: expected.name.clone(),
        index: first as i64 - expected.guard as i64,
        length: expected.data.len() - 2 * expected.guard,
        count: differing.len(),
        expected: show(&expected.data, first),
        got: show(&got.data, first),
    })
}

fn unequal<T: Copy>(a: &[T], b: &[T], same: impl Fn(&(T, T)) -> bool) -> Vec<usize> {
    (0..a.len()).filter(|&i| !same(&(a[i], b[i]))).collect()
}

fn same32((a, b): (u32, u32), equality: Equality) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    a == b || x.is_nan() && y.is_nan() || close(x.into(), y.into(), equality)
}

fn same64((a, b): (u64, u64), equality: Equality) -> bool {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    a == b || x.is_nan() && y.is_nan() || close(x, y, equality)
}

fn close(x: f64, y: f64, equality: Equality) -> bool {
    match equality {
        Equality::Bits => false,
        Equality::Within(tolerance) => (x - y).abs() <= tolerance * x.abs().max(y.abs()).max(1.0),
    }
}

fn show(data: &Data, i: usize) -> String {
    match data {
        Data::Float(v) => format!("{:e} ({:08x})", f32::from_bits(v[i]), v[i]),
        Data::Double(v) => format!("{:e} ({:016x})", f64::from_bits(v[i]), v[i]),
        Data::Int(v) => (v[i] as i32).to_string(),
        Data::Byte(v) => v[i].to_string(),
        Data::Scalar(value) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    const CASE: Case = Case { sizes: [3, 3, 3], steps: 1 };

    fn memory(values: [f64; 5]) -> Vec<Memory> {
        let data = Data::Double(values.map(f64::to_bits).to_vec());
        vec![Memory { case: CASE, items: vec![Item { name: "u".into(), guard: 1, data }] }]
    }

    #[test]
    fn nan_equals_nan_and_minus_zero_is_not_zero() {
        let a = memory([1.0, f64::NAN, 2.0, 0.0, 5.0]);
        let b = memory([1.0, -f64::NAN, 2.0, 0.0, 5.0]);
        assert_eq!(compare(&a, &b, Equality::Bits), Ok(None));
        let c = memory([1.0, f64::NAN, 2.0, -0.0, 5.0]);
        let difference = compare(&a, &c, Equality::Bits).unwrap().unwrap();
        assert_eq!((difference.index, difference.length, difference.count), (2, 3, 1));
        assert_eq!(compare(&a, &c, Equality::Within(1e-12)), Ok(None));
    }

    #[test]
    fn guards_are_compared_too() {
        let a = memory([1.0, 2.0, 3.0, 4.0, 5.0]);
        let b = memory([9.0, 2.0, 3.0, 4.0, 9.0]);
        let difference = compare(&a, &b, Equality::Bits).unwrap().unwrap();
        assert_eq!((difference.index, difference.count), (-1, 2));
    }

    #[test]
    fn a_missing_case_is_no_success() {
        assert!(compare(&memory([0.0; 5]), &[], Equality::Bits).is_err());
    }

    #[test]
    fn reads_what_the_header_documents() {
        let mut bytes = b"C".to_vec();
        for n in [3i32, 3, 3, 1] {
            bytes.extend(n.to_ne_bytes());
        }
        bytes.extend(b"A\x01\0\0\0ud");
        bytes.extend(1u64.to_ne_bytes());
        bytes.extend(3u64.to_ne_bytes());
        for x in [1.0f64, 2.0, 3.0, 4.0, 5.0] {
            bytes.extend(x.to_ne_bytes());
        }
        assert_eq!(parse(&bytes), Some(memory([1.0, 2.0, 3.0, 4.0, 5.0])));
        bytes.pop();
        assert_eq!(parse(&bytes), None);
    }
}
