//! Programs that only run time can tell apart: arrays that overlap, a bounds check that fails. The original loop runs.

use hexpass_test_suite::cases::Case;
use hexpass_test_suite::check::{self, Pair};
use hexpass_test_suite::table::GUARDED;

fn falls_back(name: &str) {
    let (program, reason) = GUARDED.iter().find(|(program, _)| program.name == name).unwrap();
    check::falls_back(program, reason);
}

#[test]
fn overlapping_arrays() {
    falls_back("overlap2d");
}

#[test]
fn values_kept_in_the_grid_that_they_are_of() {
    falls_back("trace2d_inside");
}

/// Two words that the loop exchanges are one.
#[test]
fn words_handed_over_twice() {
    falls_back("jacobi2d5_twice");
}

/// A copy of the whole grid in one loop is taken for whole rows, and its arrays for separate ones.
#[test]
fn flat_copies() {
    falls_back("apart2d");
    falls_back("length2d");
}

/// Rows that lie anywhere are copied together, but for those that are one row, or that change places with each step.
#[test]
fn two_entries_for_one_row() {
    falls_back("rows2d_same");
    falls_back("rows2d_exchanged");
}

/// Vectors that change places are not of one length.
#[test]
fn vectors_of_two_lengths() {
    falls_back("heat1d_longer_cpp");
}

/// An array is touched where a mask says so, and nowhere else; steps that run ahead would have to take that back.
#[test]
fn elements_that_only_a_mask_knows() {
    falls_back("wear2d_settled");
}

/// A mask lets a sweep through at the start of a row.
#[test]
fn masks_with_a_gate_in_the_border() {
    falls_back("heat2d_gate");
}

/// A neighbour's number is another one than the loop that filled the table has stored.
#[test]
fn numbers_that_somebody_has_changed() {
    falls_back("numbers2d_changed");
    falls_back("numbers2d_skipped");
}

#[test]
fn failing_bounds_check() {
    falls_back("short_vec_rs");
    falls_back("short_inclusive_rs");
}

/// What the function owns is freed on the way out, in the function of the sweeps.
#[test]
fn failing_bounds_check_with_owners() {
    falls_back("short_owned_rs");
}

/// A sum that the source asks about overflows.
#[test]
fn failing_overflow_check() {
    falls_back("sum_overflows_rs");
}

/// A division that could overflow, by what only the run knows.
#[test]
fn remainders_by_minus_one() {
    falls_back("ring_minus_rs");
}

/// Of rows whose lengths are taken to be the same, one is shorter, or longer, than the others.
#[test]
fn rows_of_other_lengths() {
    falls_back("short_row_rs");
    falls_back("rows2d_torn_rs");
    falls_back("rows2d_ragged_cpp");
    falls_back("rows2d_unequal_cpp");
}

/// A function is told another length of an array's rows than the one with which it was swept.
#[test]
fn rows_of_two_lengths() {
    falls_back("heat2d_called_shorter");
}

/// A part of a grid that goes beyond the ends of its rows.
#[test]
fn parts_beyond_the_row() {
    falls_back("fdtd2d_beyond_cpp");
}

/// Arrays that were turned have their elements in columns.
#[test]
fn columns_for_rows() {
    falls_back("turned_ndarray_rs");
}

/// Of two pointers that are swapped, one leads to every other element of an array.
#[test]
fn pointers_with_other_strides() {
    falls_back("heat2d_other_strides_f90");
}

/// A pointer's descriptor says that its elements lie apart.
#[test]
fn pointers_to_every_other_element() {
    falls_back("heat2d_turned_f90");
}

/// What each step clones begins behind its storage: no step does without asking where.
#[test]
fn cut_off_elements() {
    let pair = Pair::usual("cut_ndarray_rs").unwrap();
    pair.compiled_as_expected().unwrap();
    let cases = [Case { sizes: [30, 20, 1], steps: 9 }, Case { sizes: [9, 40, 1], steps: 3 }];
    for device in ["cpu", "emulated"] {
        let outcome = pair.outcome(&[("HEXPASS_DEVICE", device)], &cases).unwrap();
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        let left = |e: &String| e == "original check-rare" || e == "empty";
        assert!(outcome.executions.iter().all(left), "{outcome:?}");
    }
}
