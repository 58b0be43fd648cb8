//! placeholder
use super::Device;
use crate::error::{Reason, Refusal};
use crate::record::Nest;
use crate::transfer::Rows;
use hexpass_abi::Variant;

#[derive(Debug)]
pub struct Loaded;

pub struct Cuda;

pub fn is_started() -> bool {
    false
}
pub fn is_loaded(_: &Nest) -> bool {
    false
}
pub fn is_known_absent() -> bool {
    true
}
pub fn is_present() -> bool {
    false
}

impl Cuda {
    pub fn open(_: &Nest, _: &Variant, _: Option<u32>) -> Result<Cuda, Refusal> {
        Err(Refusal::new(Reason::NoDevice, "not there yet"))
    }
    pub fn name(&self) -> String {
        String::new()
    }
}

impl Device for Cuda {
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
