//! Every program of the corpus, as a user compiles it, on every device: the original's memory bit for bit.
//! One program: `cargo test -p hexpass-test-suite --test corpus -- jacobi2d5_swap`.

hexpass_test_suite::for_each_program!(hexpass_test_suite::check::program);
