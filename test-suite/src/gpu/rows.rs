//! The rows of the GPU table: a benchmark program and how large it is run.

use std::fmt;

use crate::bench::{Extent, Kernel, fast_kernels, kernels};

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub kernel: Kernel,
    pub extent: Extent,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kernel, self.extent.sizes_word())
    }
}

/// Sizes and steps by dimensions: the papers', then larger ones.
fn extents(dims: usize) -> Vec<Extent> {
    match dims {
        1 => vec![Extent::new(&[1 << 26], 512)],
        2 => vec![Extent::new(&[3072; 2], 512), Extent::new(&[16384; 2], 240)],
        _ => vec![
            Extent::new(&[384; 3], 128),
            Extent::new(&[512; 3], 120),
            Extent::new(&[768; 3], 120),
        ],
    }
}

/// All rows, the largest sizes in space last: they are what a small budget leaves out.
pub fn full() -> Vec<Row> {
    let rows = |kernel: Kernel| {
        extents(kernel.stencil.dims).into_iter().map(move |extent| Row { kernel, extent })
    };
    let mut rows: Vec<Row> = kernels().into_iter().chain(fast_kernels()).flat_map(rows).collect();
    rows.sort_by_key(|row| row.extent.sizes == [768; 3]);
    rows
}

/// One row for each program, small enough for a device that interprets.
pub fn tiny() -> Vec<Row> {
    let row = |kernel: Kernel| {
        let extent = match kernel.stencil.dims {
            1 => Extent::new(&[4001], 40),
            2 => Extent::new(&[131, 200], 20),
            _ => Extent::new(&[21, 24, 40], 12),
        };
        Row { kernel, extent }
    };
    kernels().into_iter().map(row).collect()
}
