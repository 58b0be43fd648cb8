//! Rows: loops that run through several as if they were one, the ends of rows, and how long and how far apart they are.

use super::{
    FLAT, INSIDE, Names, NestFacts, Reason, Scop, Statement, analyse, boxes, changed, nest, problem,
};
use pretty_assertions::assert_eq;

#[test]
fn flat_loops_are_cut_into_rows() {
    let (grid, inner) = ("0..n - 1 x 0..m - 1", "1..n - 2 x 1..m - 2");
    assert_eq!(boxes(&problem(FLAT)), [grid, inner]);
    let cut = |from: &str, to: &str| {
        assert!(FLAT.contains(from));
        problem(&FLAT.replace(from, to))
    };
    // Whole rows, but not all of them; from the last element to the first; a length of its own.
    let some = cut("loop n*m", "loop (n - 3)*m");
    assert_eq!(boxes(&some), ["0..n - 4 x 0..m - 1", inner]);
    let copy = "@1 [8*i0] = @0 [8*i0]";
    let later = cut(copy, "@1 [8*i0 + 16*m] = @0 [8*i0 + 16*m]");
    assert_eq!(boxes(&later), ["2..n + 1 x 0..m - 1", inner]);
    let back = cut(copy, "@1 [8*n*m - 8 - 8*i0] = @0 [8*n*m - 8 - 8*i0]");
    assert_eq!(boxes(&back), [grid, inner]);
    let opaque = cut("loop n*m", "loop length");
    assert_eq!(boxes(&opaque), [grid, inner]);
    let names = Names::new(&opaque.stencil.ints);
    let checks: Vec<String> = opaque.stencil.checks.iter().map(|c| names.poly(&c.value)).collect();
    assert_eq!(checks, ["n*m - length", "-n*m + length", "m", "-length"]);
    // An array that is seen in one loop only takes its rows from the others.
    let further = cut(copy, "@2 [8*i0] = @0 [8*i0], @2 [8*i0]");
    assert_eq!(boxes(&further), [grid, inner]);
    // What lies further on is touched from all rows but the last.
    let (before, sweep) = FLAT.split_once("statement 1 2 line 7\n").expect("two statements");
    let further = sweep.replace("= @1 [8*m*i1", "= @1 [8*m*i1 + 24*m");
    let parts = format!(
        "{}statement 1 2 line 7\n  where [n - 4 - i1]\n{further}statement 1 2 line 8\n  where [i1 - n + 3]\n{sweep}",
        before.replace("loop n*m", "loop length")
    );
    assert_eq!(boxes(&problem(&parts))[0], grid);
    // A single row stays one, whatever it is called.
    assert_eq!(boxes(&cut("loop n*m", "loop m"))[0], "0..0 x 0..m - 1");
    assert_eq!(boxes(&cut("loop n*m", "loop m - 2"))[0], "0..0 x 0..m - 3");
}

/// An array that is cleared, and of which the sweeps leave out the first and the last row.
const CLEARED: &str = "
nest \"cleared\" line 3
int n
int m
int length
int chosen
int steps
pointer u
pointer force
steps steps
loop length
loop n - 2
loop m - 2
loop n - 2
loop m - 2
fp exact
statement 0 line 4
  v0 f64 = float 0x0
  store f64 @1 [8*i0] = v0
statement 1 2 line 5
  f64 @1 [8*m*i1 + 8*m + 8*i2 + 8] = @0 [8*m*i1 + 8*i2 + 8], @0 [8*m*i1 + 16*m + 8*i2 + 8]
statement 3 4 line 6
  f64 @0 [8*m*i3 + 8*m + 8*i4 + 8] = @0 [8*m*i3 + 8*m + 8*i4 + 8], @1 [8*m*i3 + 8*m + 8*i4 + 8]
";

/// Rows that are left out at the start are those that others read, or as many as at the end; under a condition, no row is
/// cleared.
#[test]
fn flat_loops_over_rows_that_sweeps_leave_out() {
    assert_eq!(boxes(&problem(CLEARED))[0], "0..n - 1 x 0..m - 1");
    let alone = CLEARED.replace(
        "@0 [8*m*i1 + 8*i2 + 8], @0 [8*m*i1 + 16*m + 8*i2 + 8]",
        "@0 [8*m*i1 + 8*m + 8*i2 + 8]",
    );
    assert_eq!(boxes(&problem(&alone))[0], "0..n - 1 x 0..m - 1");
    let condition = "loop min(length, max(2147483648*chosen, -2147483648*chosen))";
    let chosen = CLEARED.replace("loop length", condition);
    let rows = "0..min(n - 1, max(2147483648*chosen - 1, -2147483648*chosen - 1))";
    assert_eq!(boxes(&problem(&chosen))[0], format!("{rows} x 0..m - 1"));
}

#[test]
fn flat_loops_whose_ends_are_no_rows_are_cut_into_pieces() {
    assert_eq!(
        boxes(&problem(INSIDE)),
        [
            "1..n - 2 x 1..m - 2",
            "1..1 x 1..min(m - 1, n*m - 2*m - 2)",
            "2..n - 3 x 0..m - 1",
            "n - 2..n - 2 x 0..min(m - 2, 2147483648*n - 6442450945)",
        ]
    );
}

#[test]
fn flat_loops_that_can_not_be_cut() {
    let copy = "@1 [8*i0] = @0 [8*i0]";
    // Neighbours; from the last element but one on; to somewhere.
    for to in ["@1 [8*i0] = @0 [8*i0 + 8]", "@1 [8*n*m - 16 - 8*i0] = @0 [8*n*m - 16 - 8*i0]"] {
        let refusal = changed(FLAT, copy, to);
        assert_eq!((refusal.reason, refusal.line), (Reason::WriteShape, Some(4)), "{to}");
    }
    assert_eq!(changed(FLAT, "loop n*m", "loop n*m - length").reason, Reason::WriteShape);
}

/// A view that holds its strides: no parameter is larger than another, and the inner loop runs through neighbours.
#[test]
fn strides_of_a_view_go_by_the_loops() {
    let p = problem(
        r#"nest "view"
int T
int n
int inner
int middle
int outer
pointer a
pointer b
disjoint 0 1
steps T
loop n - 2
loop n - 2
loop n - 2
loop n - 2
loop n - 2
loop n - 2
fp exact
statement 0 1 2
  load f64 @0 [8*outer*i0 + 8*middle*i1 + 8*inner*i2]
  load f64 @0 [8*outer*i0 + 8*middle*i1 + 8*inner*i2 + 16*inner]
  v0 f64 = load 0
  v1 f64 = load 1
  v2 f64 = fadd v0 v1
  store f64 @1 [8*outer*i0 + 8*middle*i1 + 8*inner*i2 + 8*inner] = v2
statement 3 4 5
  load f64 @1 [8*outer*i3 + 8*middle*i4 + 8*inner*i5 + 8*inner]
  v0 f64 = load 0
  store f64 @0 [8*outer*i3 + 8*middle*i4 + 8*inner*i5 + 8*inner] = v0
"#,
    );
    let names = Names::new(&p.stencil.ints);
    for array in &p.stencil.arrays {
        let strides: Vec<String> = array.strides.iter().map(|s| names.poly(s)).collect();
        assert_eq!(strides, ["8*outer", "8*middle", "8"], "{}", array.name);
    }
}

/// At the first column of a torus the neighbour to the left is the last one of the row before.
#[test]
fn what_wraps_round_at_one_iteration_is_the_end_of_a_row() {
    let p = problem(
        r#"nest "torus"
int T
int n
int m
pointer a
pointer b
disjoint 0 1
steps T
loop n - 1
loop m
loop n - 1
loop m
fp exact
statement 0 1
  where [i1 - 1]
  load f64 @0 [8*m*i0 + 8*m + 8*i1 - 8]
  v0 f64 = load 0
  store f64 @1 [8*m*i0 + 8*m + 8*i1] = v0
statement 0 1
  where [-i1]
  load f64 @0 [8*m*i0 + 8*m + 8*i1 - 8]
  v0 f64 = load 0
  store f64 @1 [8*m*i0 + 8*m + 8*i1] = v0
statement 2 3
  load f64 @1 [8*m*i2 + 8*m + 8*i3]
  v0 f64 = load 0
  store f64 @0 [8*m*i2 + 8*m + 8*i3] = v0
"#,
    );
    let names = Names::new(&p.stencil.ints);
    let column = |s: &Statement| names.poly(&s.reads[0].subscripts[1].offset);
    let columns: Vec<String> = p.stencil.statements.iter().map(column).collect();
    assert!(
        columns.contains(&"m - 1".to_owned()) && columns.contains(&"-1".to_owned()),
        "{columns:?}"
    );
}

/// At the last column of a torus the neighbour to the right in the row above was the first column of one row further:
/// what is left of its offset, (i + 1)·m − m + j + 1, says (i, j + 1), where j + 1 is m.
#[test]
fn what_lies_beyond_the_row_throughout_is_the_start_of_the_next() {
    let p = problem(
        r#"nest "torus"
int T
int n
int m
pointer a
pointer b
disjoint 0 1
steps T
loop n - 1
loop m
loop n - 1
loop m
fp exact
statement 0 1
  where [-m + i1 + 1]
  load f64 @0 [8*m*i0 + 8*i1 + 8]
  v0 f64 = load 0
  store f64 @1 [8*m*i0 + 8*i1] = v0
statement 2 3
  load f64 @1 [8*m*i2 + 8*i3]
  v0 f64 = load 0
  store f64 @0 [8*m*i2 + 8*i3] = v0
"#,
    );
    let names = Names::new(&p.stencil.ints);
    let read = &p.stencil.statements[0].reads[0];
    let places: Vec<String> = read.subscripts.iter().map(|s| names.poly(&s.offset)).collect();
    assert_eq!(places, ["1", "-m + 1"]);
}

const CYCLIC: &str = "
nest \"cyclic\" line 3
int n
int m
int s
int steps
pointer a
pointer b
steps steps
loop n
loop min(s, m)
loop m - s
loop n
loop m
fp exact
statement 0 1
  f64 @1 [8*m*i0 + 8*m - 8*s + 8*i1] = @0 [8*m*i0 + 8*i1]
statement 0 2
  f64 @1 [8*m*i0 + 8*i2] = @0 [8*m*i0 + 8*s + 8*i2]
statement 3 4
  f64 @0 [8*m*i3 + 8*i4] = @1 [8*m*i3 + 8*i4]
";

/// What a cyclic shift moves to the end of a row is in that row; with one iteration more, it is not known to be.
#[test]
fn ends_of_rows() {
    let text = Scop::build(&nest(CYCLIC)).unwrap().to_string();
    assert!(text.contains("  write A1.0 [i0] [i1 + m - s] = v0"), "{text}");
    let longer = CYCLIC.replace("loop min(s, m)", "loop s + 1");
    let text = Scop::build(&nest(&longer)).unwrap().to_string();
    assert!(text.contains("  write A1.0 [i0 + 1] [i1 - s] = v0"), "{text}");
}

const TWO_LENGTHS: &str = "
nest \"two_lengths\" line 3
int n
int m
int pitch
int length
int steps
pointer a
pointer b
steps steps
loop n - 2
loop m - 2
loop m
loop n - 2
loop m - 2
fp exact
statement 0 1
  f64 @1 [8*pitch*i0 + 8*pitch + 8*i1 + 8] = @0 [8*pitch*i0 + 8*i1 + 8], @0 [8*pitch*i0 + 16*pitch + 8*i1 + 8]
statement 2
  f64 @1 [8*length*i2] =
statement 3 4
  f64 @0 [8*pitch*i3 + 8*pitch + 8*i4 + 8] = @1 [8*pitch*i3 + 8*pitch + 8*i4 + 8]
";

/// Two names for one length: both ways, checked against each other; what is no length stays what it is.
#[test]
fn rows_that_two_names_measure() {
    let equal = Scop::with_equal_rows(&nest(TWO_LENGTHS)).unwrap().unwrap();
    let text = equal.to_string();
    assert!(text.contains("store f64 @1 [8*pitch*i2]"), "{text}");
    for check in ["check size [-pitch + length]", "check size [pitch - length]"] {
        assert!(text.contains(check), "{check}\n{text}");
    }
    assert_eq!(boxes(&analyse(&equal).unwrap()).len(), 3);
    let one = TWO_LENGTHS.replace("length*", "pitch*");
    assert_eq!(Scop::with_equal_rows(&nest(&one)).unwrap(), None);
    // A copy of all of it says so, too, once it is cut into rows.
    let copied = TWO_LENGTHS
        .replace("loop m\n", "loop n*pitch\n")
        .replace("f64 @1 [8*length*i2] =", "f64 @1 [8*i2] = @0 [8*i2]");
    let copied = copied.replace("f64 @0 [8*pitch*i3 + 8*pitch", "f64 @0 [8*length*i3 + 8*length");
    let equal = Scop::with_equal_rows(&nest(&copied)).unwrap().unwrap().to_string();
    assert!(equal.contains("check size [-pitch + length]"), "{equal}");
    let product = TWO_LENGTHS.replace("8*length*i2", "8*length*length*i2");
    assert_eq!(Scop::with_equal_rows(&nest(&product)).unwrap(), None);
    let elsewhere = TWO_LENGTHS.replace("pitch*i", "n*i").replace("*pitch ", "*n ");
    let other = elsewhere.replace("f64 @1 [8*length*i2]", "f64 @2 [8*length*i2]");
    let other = other.replace("pointer b\n", "pointer b\npointer c\n");
    assert_eq!(Scop::with_equal_rows(&nest(&other)).unwrap(), None);
}

/// A name and a number for one length; numbers that are no rows of whole elements, or too short for rows, are none.
#[test]
fn rows_that_a_number_measures() {
    let constant = TWO_LENGTHS.replace("8*length*i2", "800*i2").replace("int length\n", "");
    let equal = Scop::with_equal_rows(&nest(&constant)).unwrap().unwrap();
    let text = equal.to_string();
    assert!(text.contains("store f64 @1 [800*i0 + 8*i1 + 808]"), "{text}");
    for check in ["check size [pitch - 100]", "check size [-pitch + 100]"] {
        assert!(text.contains(check), "{check}\n{text}");
    }
    assert_eq!(boxes(&analyse(&equal).unwrap()).len(), 3);
    for other in ["804*i2", "24*i2"] {
        let other = TWO_LENGTHS.replace("8*length*i2", other).replace("int length\n", "");
        assert_eq!(Scop::with_equal_rows(&nest(&other)).unwrap(), None, "{other}");
    }
}

const ZIPPED: &str = "
nest \"zipped\" line 3
int n
int m
int first
int second
int third
int steps
pointer a
pointer b
steps steps
loop n - 2
loop m - 2
loop min(min(second, first), third)
fp exact
statement 0 1
  f64 @1 [8*m*i0 + 8*m + 8*i1 + 8] = @0 [8*m*i0 + 8*i1 + 8], @0 [8*m*i0 + 16*m + 8*i1 + 8]
statement 2
  f64 @0 [8*i2] = @0 [8*i2], @1 [8*i2]
";

/// Of three lengths one is taken for all rows, and for the smallest: no other is less.
#[test]
fn three_lengths_that_are_zipped() {
    let scop = Scop::build(&nest(ZIPPED)).unwrap();
    let text = scop.to_string();
    for check in ["n*m - second", "-n*m + second", "first - second", "-second + third"] {
        assert!(text.contains(&format!("check size [{check}]")), "{check}\n{text}");
    }
    let other = ZIPPED.replace("min(min(second, first), third)", "max(second, first)");
    assert!(
        !Scop::build(&nest(&other)).is_ok_and(|scop| scop.to_string().contains("first - second"))
    );
}

const TURNED: &str = "
nest \"turned\" line 3
int n
int m
int first
int second
int steps
pointer a
pointer b
descriptor @0 [first]
steps steps
loop n
loop m
fp exact
statement 0 1
  f64 @0 [first*i0 + second*i1] = @1 [8*n*i1 + 8*i0]
";

/// The stride that a descriptor has for its first dimension is an element's size, whatever loop is the inner one.
#[test]
fn first_dimensions_of_descriptors() {
    let text = Scop::build(&nest(TURNED)).unwrap().to_string();
    assert!(text.contains("check size [first - 8]"), "{text}");
    let unknown = TURNED.replace("descriptor @0 [first]\n", "");
    let text = Scop::build(&nest(&unknown)).unwrap().to_string();
    assert!(text.contains("check size [second - 8]"), "{text}");
    // A view that counts in elements is none, whatever lies where a descriptor has its strides.
    let view = TURNED.replace("first*i0 + second*i1", "8*first*i0 + 8*second*i1");
    let text = Scop::build(&nest(&view)).unwrap().to_string();
    assert!(text.contains("check size [second - 1]"), "{text}");
    let facts = nest(TURNED);
    assert_eq!(facts.to_string().parse::<NestFacts>().unwrap(), facts);
}

const TURNED_PLANES: &str = "
nest \"turned planes\" line 3
int n
int m
int first
int second
int third
int steps
pointer a
pointer b
descriptor @0 [first]
descriptor @0 [second] dimension 1
descriptor @0 [third] dimension 2
steps steps
loop n
loop m
loop 9
fp exact
statement 0 1 2
  f64 @0 [second*i0 + third*i1 + first*i2] = @1 [72*n*i1 + 72*i0 + 8*i2]
";

/// Of the strides that one descriptor has, that of the further dimension is larger, whatever loop is the outer one.
#[test]
fn further_dimensions_of_descriptors() {
    let strides = |facts: &NestFacts| {
        let text = Scop::build(facts).unwrap().to_string();
        let array =
            text.lines().find(|l| l.starts_with("array \"a\"")).unwrap_or_default().to_string();
        (array.find("third"), array.find("second"), text)
    };
    let facts = nest(TURNED_PLANES);
    assert_eq!(facts.to_string().parse::<NestFacts>().unwrap(), facts);
    let (third, second, text) = strides(&facts);
    assert!(third.is_some() && third < second, "{text}");
    let of_two = TURNED_PLANES.replace("@0 [third]", "@1 [third]");
    let (third, second, text) = strides(&nest(&of_two));
    assert!(second.is_some() && second < third, "{text}");
}
