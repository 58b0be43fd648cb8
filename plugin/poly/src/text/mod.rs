//! Text forms at the seams: what detection saw and what the model made of it can be written down, so that every stage
//! is testable alone.
//!
//! One declaration stands on each line; `#` starts a comment. Integer expressions are written with the names of the
//! integer parameters, `t` for the time loop's counter, `i0`, `i1`, … for loops or space coordinates, `m0`, … for
//! modular terms. A parameter whose name can't be written stands as `p` and its number.

mod body;
mod expr;
mod facts;
mod lexer;

pub use body::{body_lines, parse_value};
pub use expr::Names;
pub use facts::{
    bracketed, check_name, entry_text, fence_text, line_suffix, lookup_text, parse_check,
    parse_entry, parse_fence, parse_fp, parse_line_suffix, parse_lookup, parse_name, parse_table,
    table_text,
};
pub use lexer::{Line, TextError, lines, quote};

use hexpass_abi::ElemType;

/// The word for an element type.
pub fn elem_name(e: ElemType) -> &'static str {
    match e {
        ElemType::F32 => "f32",
        ElemType::F64 => "f64",
        ElemType::I8 => "i8",
        ElemType::I16 => "i16",
        ElemType::I32 => "i32",
        ElemType::I64 => "i64",
    }
}

/// The element type of that word.
pub fn parse_elem(line: &mut Line) -> Result<ElemType, TextError> {
    use ElemType::{F32, F64, I8, I16, I32, I64};
    let word = line.ident()?;
    [F32, F64, I8, I16, I32, I64]
        .into_iter()
        .find(|&e| elem_name(e) == word)
        .ok_or_else(|| line.error(format!("no element type is called `{word}`")))
}
