//! The programs of the corpus themselves, by stock compilers only: no warnings, nothing undefined, deterministic.

hexpass_test_suite::for_each_program!(hexpass_test_suite::check::hygiene);
