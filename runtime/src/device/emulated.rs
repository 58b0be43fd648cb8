//! placeholder
use super::Device;
use crate::error::{Reason, Refusal};
use crate::record::Nest;
use crate::transfer::Rows;
use hexpass_abi::Variant;

#[derive(Debug)]
pub struct Parsed;

pub struct Emulated;

impl Emulated {
    pub fn open(_: &Nest, _: &Variant, _: usize) -> Result<Emulated, Refusal> {
        Err(Refusal::new(Reason::NoDevice, "the emulated grid is not there yet"))
    }
}

impl Device for Emulated {
    fn alloc(&mut self, _: u64) -> Result<u64, Refusal> {
        unimplemented!()
    }
    fn upload(&mut self, _: &Rows) -> Result<(), Refusal> {
        unimplemented!()
    }
    fn download(&mut self, _: &Rows) -> Result<(), Refusal> {
        unimplemented!()
    }
    fn launch(&mut self, _: usize, _: u64, _: &[u64]) -> Result<(), Refusal> {
        unimplemented!()
    }
    fn finish(&mut self) -> Result<(), Refusal> {
        unimplemented!()
    }
}
