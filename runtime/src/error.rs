//! Why a nest was not run, as a closed list of words, each with a sentence for people.
//!
//! A [`Refusal`] never means harm: it is only made while the program's memory is untouched, so the original loop
//! can still run. What can no longer be undone ends the process instead (see [`crate::run`]).

use std::fmt;

/// The closed list. Scripts match on [`Reason::word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// `HEXPASS_MODE=off`: the user's choice.
    ModeOff,
    /// An environment variable holds a value that is not allowed: the user's mistake.
    BadOption,
    /// `HEXPASS_STRATEGY` or `HEXPASS_TILE` ask for what the object does not hold: the user's mistake.
    AbsentVariant,
    /// The object holds no kernel for this kind of device.
    NoKernel,
    /// The gate: the original loop is estimated to be faster.
    SmallProblem,
    /// A size or bound leaves the range that kernels compute in.
    Range,
    /// An unsigned or narrow index would wrap.
    CheckWrap,
    /// A bounds check of the source would fail.
    CheckBounds,
    /// Sizes are not what the model assumes.
    CheckSize,
    /// The next step does what hardly any does, such as allocating memory.
    CheckRare,
    /// The rows behind a table of pointers are not regular, or not of one length.
    CheckTable,
    /// A mask does not keep a sweep inside of its grid.
    CheckMask,
    /// A stride is not positive, or rows of a written array run into each other.
    Strides,
    /// An address is null, wraps round, or is not aligned to its element.
    Address,
    /// A written array overlaps other storage of the nest.
    Overlap,
    /// Slots of an array differ in elements that the nest never writes, or none of its elements is touched, and all kernels
    /// at hand rely on one of them.
    Borders,
    /// What the original touches under a condition only may be memory that can't be read, or written.
    Unmapped,
    /// The caller's rounding mode, exceptions or denormal handling are not what the kernels compute with.
    FpEnvironment,
    /// The driver library can't be loaded.
    NoDriver,
    /// There is a driver but no such device.
    NoDevice,
    /// The device has not enough memory.
    OutOfMemory,
    /// The device can't load the kernels.
    ModuleLoad,
    /// A copy or launch failed on the device.
    LaunchFailed,
    /// Plugin and runtime don't speak the same version.
    VersionMismatch,
    /// The record in the object is damaged: a bug in the plugin, or a broken file.
    BadRecord,
    /// The runtime itself failed: always a bug.
    Internal,
}

impl Reason {
    /// Every reason, in the order above.
    pub const ALL: [Reason; 26] = [
        Reason::ModeOff,
        Reason::BadOption,
        Reason::AbsentVariant,
        Reason::NoKernel,
        Reason::SmallProblem,
        Reason::Range,
        Reason::CheckWrap,
        Reason::CheckBounds,
        Reason::CheckSize,
        Reason::CheckRare,
        Reason::CheckTable,
        Reason::CheckMask,
        Reason::Strides,
        Reason::Address,
        Reason::Overlap,
        Reason::Borders,
        Reason::Unmapped,
        Reason::FpEnvironment,
        Reason::NoDriver,
        Reason::NoDevice,
        Reason::OutOfMemory,
        Reason::ModuleLoad,
        Reason::LaunchFailed,
        Reason::VersionMismatch,
        Reason::BadRecord,
        Reason::Internal,
    ];

    /// The word in `HEXPASS_STATS` and `HEXPASS_INFO`.
    pub const fn word(self) -> &'static str {
        match self {
            Reason::ModeOff => "mode-off",
            Reason::BadOption => "bad-option",
            Reason::AbsentVariant => "absent-variant",
            Reason::NoKernel => "no-kernel",
            Reason::SmallProblem => "small-problem",
            Reason::Range => "range",
            Reason::CheckWrap => "check-wrap",
            Reason::CheckBounds => "check-bounds",
            Reason::CheckSize => "check-size",
            Reason::CheckRare => "check-rare",
            Reason::CheckTable => "check-table",
            Reason::CheckMask => "check-mask",
            Reason::Strides => "strides",
            Reason::Address => "address",
            Reason::Overlap => "overlap",
            Reason::Borders => "borders",
            Reason::Unmapped => "unmapped",
            Reason::FpEnvironment => "fp-environment",
            Reason::NoDriver => "no-driver",
            Reason::NoDevice => "no-device",
            Reason::OutOfMemory => "out-of-memory",
            Reason::ModuleLoad => "module-load",
            Reason::LaunchFailed => "launch-failed",
            Reason::VersionMismatch => "version-mismatch",
            Reason::BadRecord => "bad-record",
            Reason::Internal => "internal",
        }
    }

    /// True if the device or its driver is at fault: worth one line even when nobody asked.
    pub fn is_device_failure(self) -> bool {
        matches!(
            self,
            Reason::NoDriver
                | Reason::NoDevice
                | Reason::OutOfMemory
                | Reason::ModuleLoad
                | Reason::LaunchFailed
                | Reason::VersionMismatch
                | Reason::BadRecord
                | Reason::Internal
        )
    }
}

/// A reason with its particulars. The nest's memory has not been touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which of the closed list.
    pub reason: Reason,
    /// One line, in plain words; may be empty.
    pub message: String,
}

impl Refusal {
    /// A refusal with this message.
    pub fn new(reason: Reason, message: impl Into<String>) -> Refusal {
        Refusal { reason, message: message.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.message.is_empty() {
            write!(f, "{} ", self.message)?;
        }
        write!(f, "({})", self.reason.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_distinct_kebab_case() {
        let mut words: Vec<_> = Reason::ALL.iter().map(|r| r.word()).collect();
        assert!(words.iter().all(|w| w.chars().all(|c| c.is_ascii_lowercase() || c == '-')));
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Reason::ALL.len());
    }

    #[test]
    fn a_refusal_without_a_message_is_its_word() {
        assert_eq!(Refusal::new(Reason::ModeOff, "").to_string(), "(mode-off)");
        assert_eq!(Refusal::new(Reason::Overlap, "a and b").to_string(), "a and b (overlap)");
    }
}
