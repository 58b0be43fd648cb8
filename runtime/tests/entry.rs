//! The door itself, as programs come through it: each test runs a program of its own (this binary again, as the
//! ignored test `program`), with its own environment, and looks at its exit status and what it said.

mod common;

use common::*;
use serde_json::Value;
use std::process::{Command, Output};

/// The program: a nest chosen by `TEST_NEST` in `TEST_OBJECTS` objects, all called `TEST_CALLS` times; prints each answer and whether memory is
/// what the original loop would leave where the nest ran, untouched where not.
#[test]
#[ignore = "a program for the other tests to run"]
fn program() {
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let n: i64 = var("TEST_N").parse().unwrap_or(20);
    let mut record = jacobi2d();
    if var("TEST_NEST") == "ptx" {
        spoil(&mut record.variants[1].ptx[0]);
    }
    let mut objects = Vec::new();
    for _ in 0..var("TEST_OBJECTS").parse().unwrap_or(1) {
        let mut object = Object::new(&record);
        match var("TEST_NEST").as_str() {
            "version" => object.header.version += 1,
            "magic" => object.header.magic = 7,
            "size" => object.header.size -= 8,
            "garbage" => object.header.record_len = 5,
            "kernels" => object.header.host_kernel_count = 0,
            // In the last variant, behind everything that says where it is.
            "variant" => object.damage(),
            _ => {}
        }
        objects.push(object);
    }
    let count = objects.len();
    for call in 0..count * var("TEST_CALLS").parse().unwrap_or(1) {
        let object = &mut objects[call % count];
        let len = (n.max(1) * n.max(1)) as usize;
        let mut arrays = [noise(len, 1), noise(len, 2)];
        let before = arrays.clone();
        let mut expected = arrays.clone();
        let mut pointers = [arrays[0].as_mut_ptr(), arrays[1].as_mut_ptr()];
        if var("TEST_NEST") == "overlap" {
            pointers[1] = pointers[0];
        }
        let steps = var("TEST_STEPS").parse().unwrap_or(6);
        let steps = if var("TEST_NEST") == "empty" { 0 } else { steps };
        let answer = object.run(&[n, n, steps, n], &pointers, &[0.2]);
        jacobi2d_original(n, n, steps, n, 0.2, &mut expected);
        let right = if answer == hexpass_abi::DONE { arrays == expected } else { arrays == before };
        println!("answer {answer} {}", if right { "right" } else { "WRONG" });
    }
}

fn start(variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "program", "--nocapture", "--test-threads=1"]);
    for row in hexrt::options::TABLE {
        command.env_remove(row.name);
    }
    command.env("CUDA_VISIBLE_DEVICES", "").env("RUST_BACKTRACE", "0");
    command.envs(variables.iter().copied()).output().unwrap()
}

fn answers(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // The harness writes its own words in front of the first line.
    text.lines().filter_map(|l| l.find("answer ").map(|at| l[at + 7..].to_string())).collect()
}

fn complaints(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.lines().filter(|l| l.starts_with("hexpass: ")).map(str::to_string).collect()
}

#[test]
fn small_problems_run_the_original_loop_without_a_word() {
    let output = start(&[("TEST_CALLS", "3")]);
    assert_eq!(answers(&output), ["0 right", "0 right", "0 right"]);
    assert_eq!(complaints(&output), Vec::<String>::new());
    // Their variants are not read.
    for nest in ["kernels", "variant"] {
        let output = start(&[("TEST_NEST", nest), ("HEXPASS_MODE", "mandatory")]);
        assert_eq!(
            (answers(&output), output.status.code()),
            (vec!["0 right".to_string()], Some(0))
        );
    }
    let output = start(&[("HEXPASS_MODE", "mandatory")]);
    assert_eq!((answers(&output), output.status.code()), (vec!["0 right".to_string()], Some(0)));
}

#[test]
fn a_named_device_switches_the_gate_off() {
    for device in ["cpu", "emulated"] {
        let output =
            start(&[("HEXPASS_DEVICE", device), ("TEST_CALLS", "2"), ("HEXPASS_INFO", "1")]);
        assert_eq!(answers(&output), ["1 right", "1 right"], "{output:?}");
        let said = complaints(&output);
        assert_eq!(said.len(), 2);
        assert!(
            said[0].starts_with(&format!("hexpass: jacobi2d@jacobi.c:12: {device} (")),
            "{said:?}"
        );
        assert!(
            said[0].contains("naive h=0, 6 steps") && said[0].contains("GStencil/s"),
            "{said:?}"
        );
    }
}

#[test]
fn large_problems_pass_the_gate() {
    // So many steps that the size of the machine's caches doesn't matter.
    let large = [("TEST_N", "1500"), ("TEST_STEPS", "60")];
    let output = start(&[&large[..], &[("HEXPASS_THREADS", "2"), ("HEXPASS_INFO", "1")]].concat());
    assert_eq!(answers(&output), ["1 right"], "{output:?}");
    assert!(complaints(&output)[0].contains("cpu (2 threads)"), "{output:?}");
}

#[test]
fn mandatory_ends_the_program_with_status_86_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stats.json");
    for (variables, word) in [
        (vec![("HEXPASS_DEVICE", "cpu"), ("TEST_NEST", "overlap")], "(overlap)"),
        (vec![("HEXPASS_DEVICE", "cuda")], "(no-d"),
        (vec![("HEXPASS_DEVICE", "emulated"), ("TEST_NEST", "ptx")], "(module-load)"),
        (vec![("HEXPASS_DEVICE", "cpu"), ("HEXPASS_TILE", "h=3")], "(absent-variant)"),
        (vec![("HEXPASS_DEVICE", "cpu"), ("HEXPASS_STRATEGY", "best")], "(absent-variant)"),
        (vec![("HEXPASS_DEVICE", "gpu")], "(bad-option)"),
        (vec![("TEST_NEST", "version")], "(version-mismatch)"),
        (vec![("TEST_NEST", "garbage")], "(bad-record)"),
        (vec![("HEXPASS_DEVICE", "cpu"), ("TEST_NEST", "kernels")], "(bad-record)"),
        (vec![("HEXPASS_DEVICE", "cpu"), ("TEST_NEST", "variant")], "(bad-record)"),
    ] {
        let _ = std::fs::remove_file(&file);
        let mut all = variables.clone();
        all.push(("HEXPASS_MODE", "mandatory"));
        all.push(("HEXPASS_STATS", file.to_str().unwrap()));
        let output = start(&all);
        assert_eq!(output.status.code(), Some(86), "{variables:?} {output:?}");
        assert_eq!(answers(&output), Vec::<String>::new());
        let said = complaints(&output);
        assert!(said.last().unwrap().contains(word), "{variables:?} {said:?}");
        let text = std::fs::read_to_string(&file).unwrap();
        let stats: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(stats["status"], "original", "{variables:?}");
        assert!(format!("({})", stats["reason"].as_str().unwrap()).starts_with(word), "{stats}");
        assert!(said.last().unwrap().contains(stats["message"].as_str().unwrap()), "{stats}");
        let known = !matches!(variables[0], ("TEST_NEST", "version" | "garbage"));
        assert_eq!(stats["function"].as_str(), known.then_some("jacobi2d"), "{variables:?}");
        // The same without `mandatory` runs the original loop, and says so at most once.
        let mut all = variables.clone();
        all.push(("TEST_CALLS", "3"));
        let output = start(&all);
        assert_eq!(answers(&output), ["0 right", "0 right", "0 right"], "{variables:?} {output:?}");
        assert!(complaints(&output).len() <= 1, "{variables:?} {output:?}");
    }
}

#[test]
fn an_empty_nest_is_no_failure() {
    for device in ["cpu", "emulated", "cuda"] {
        for (name, value) in [("TEST_NEST", "empty"), ("TEST_N", "2"), ("TEST_N", "-5")] {
            let variables =
                [("HEXPASS_MODE", "mandatory"), ("HEXPASS_DEVICE", device), (name, value)];
            let output = start(&variables);
            assert_eq!(answers(&output), ["0 right"], "{output:?}");
            assert_eq!(complaints(&output), Vec::<String>::new());
        }
    }
}

#[test]
fn off_runs_the_original_loop() {
    let output = start(&[("HEXPASS_MODE", "off"), ("HEXPASS_DEVICE", "cpu")]);
    assert_eq!(answers(&output), ["0 right"]);
    assert_eq!(complaints(&output), Vec::<String>::new());
    let output = start(&[("HEXPASS_MODE", "off"), ("HEXPASS_INFO", "1")]);
    let line = "hexpass: jacobi2d@jacobi.c:12: original loop: (mode-off)";
    assert_eq!(complaints(&output), [line]);
    // Nothing is read of a record that nobody asks for.
    let output = start(&[("HEXPASS_MODE", "off"), ("TEST_NEST", "garbage")]);
    assert_eq!(answers(&output), ["0 right"]);
    assert_eq!(complaints(&output), Vec::<String>::new());
}

#[test]
fn headers_of_other_versions_are_left_alone() {
    for (nest, word) in [
        ("version", "compile it again"),
        ("magic", "not one of hexpass"),
        ("size", "compile it again"),
        ("garbage", "can't be read"),
        ("kernels", "fewer arguments"),
        ("variant", "is damaged"),
    ] {
        let output = start(&[("TEST_NEST", nest), ("TEST_CALLS", "2"), ("HEXPASS_DEVICE", "cpu")]);
        assert_eq!(answers(&output), ["0 right", "0 right"], "{nest} {output:?}");
        let said = complaints(&output);
        assert_eq!(said.len(), 1, "{nest} {said:?}");
        assert!(said[0].contains(word), "{nest} {said:?}");
    }
}

#[test]
fn a_wrong_value_is_named_with_the_right_ones() {
    let output = start(&[("HEXPASS_DEVICE", "gpu"), ("TEST_CALLS", "2")]);
    assert_eq!(answers(&output), ["0 right", "0 right"]);
    let line = "hexpass: error: HEXPASS_DEVICE=gpu: allowed are auto, cuda, cuda:N, cpu, emulated";
    assert_eq!(complaints(&output), [line]);
}

#[test]
fn an_absent_variant_lists_those_present() {
    let output =
        start(&[("HEXPASS_DEVICE", "cpu"), ("HEXPASS_STRATEGY", "best"), ("HEXPASS_TILE", "h=2")]);
    assert_eq!(answers(&output), ["0 right"]);
    let said = complaints(&output);
    let line = "hexpass: error: jacobi2d@jacobi.c:12: no cpu variant is HEXPASS_STRATEGY=best HEXPASS_TILE=h=2; \
                present are: naive h=0; other h=0 (absent-variant); the original loop runs";
    assert_eq!(said, [line]);
    // Once a nest, whatever the device.
    for device in ["cpu", "emulated", "cuda"] {
        let output = start(&[
            ("HEXPASS_DEVICE", device),
            ("HEXPASS_TILE", "h=2;w0=7"),
            ("TEST_OBJECTS", "2"),
            ("TEST_CALLS", "3"),
        ]);
        assert_eq!(answers(&output), ["0 right"; 6]);
        let said = complaints(&output);
        assert_eq!(said.len(), 2, "{said:?}");
        let error = |l: &String| l.starts_with("hexpass: error: ") && l.contains("present are: ");
        assert!(said.iter().all(error), "{said:?}");
    }
    // Where the gate is asked, a problem that is too small for any device needs no variant.
    let output = start(&[("HEXPASS_STRATEGY", "best")]);
    assert_eq!(complaints(&output), Vec::<String>::new());
    let output = start(&[("HEXPASS_STRATEGY", "best"), ("TEST_N", "600"), ("TEST_CALLS", "2")]);
    assert_eq!(answers(&output), ["0 right"; 2]);
    assert_eq!(complaints(&output).len(), 1, "{output:?}");
    let output =
        start(&[("HEXPASS_DEVICE", "cpu"), ("HEXPASS_STRATEGY", "other"), ("HEXPASS_INFO", "1")]);
    assert_eq!(answers(&output), ["1 right"]);
    assert!(complaints(&output)[0].contains("other h=0"));
}

#[test]
fn stats_are_json_lines() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stats.json");
    let path = file.to_str().unwrap();
    for device in ["cpu", "emulated", "auto", "cuda"] {
        let output = start(&[("HEXPASS_STATS", path), ("HEXPASS_DEVICE", device)]);
        assert_eq!(complaints(&output).len(), usize::from(device == "cuda"), "{output:?}");
    }
    start(&[("HEXPASS_STATS", path), ("TEST_NEST", "empty")]);
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let column = |key: &str| -> Vec<Value> { lines.iter().map(|l| l[key].clone()).collect() };
    assert_eq!(column("status"), ["ran", "ran", "original", "original", "empty"]);
    assert_eq!(
        column("device"),
        ["cpu".into(), "emulated".into(), Value::Null, Value::Null, Value::Null]
    );
    assert_eq!(column("reason")[2], "small-problem");
    let absent = column("reason")[3].as_str().unwrap().to_string();
    assert!(absent == "no-driver" || absent == "no-device", "{absent}");
    for line in &lines {
        assert_eq!(line["function"], "jacobi2d");
        assert_eq!(line["file"], "jacobi.c");
        assert_eq!(line["line"], 12);
    }
    for line in &lines[..2] {
        assert_eq!(line["strategy"], "naive");
        assert_eq!(line["sizes"]["h"], 0);
        assert_eq!(line["steps"], 6);
        assert_eq!(line["instances"], 6.0 * 18.0 * 18.0);
        assert_eq!(line["points"], 6.0 * 18.0 * 18.0);
        let rate = line["gstencils"].as_f64().unwrap() * line["seconds"].as_f64().unwrap() * 1e9;
        assert!((rate - 6.0 * 18.0 * 18.0).abs() < 1e-3, "{line}");
        assert_eq!(line["launches"], 6);
    }
    // In: all of one buffer but its corners, and the other's border without corners. Out: both interiors.
    assert_eq!((lines[0]["bytes_in"].clone(), lines[0]["bytes_out"].clone()), (0.into(), 0.into()));
    let (bytes_in, bytes_out) = ((400 - 4 + 4 * 18) * 8, 2 * 18 * 18 * 8);
    assert_eq!(
        (lines[1]["bytes_in"].clone(), lines[1]["bytes_out"].clone()),
        (bytes_in.into(), bytes_out.into())
    );
}

#[test]
fn a_file_that_cannot_be_written_stops_nothing() {
    let output = start(&[
        ("HEXPASS_STATS", "/nowhere/at/all"),
        ("HEXPASS_DEVICE", "cpu"),
        ("TEST_CALLS", "2"),
    ]);
    assert_eq!(answers(&output), ["1 right", "1 right"]);
    assert_eq!(complaints(&output).len(), 1);
}

#[test]
fn what_was_fastest_is_remembered_and_a_damaged_cache_is_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache.json");
    let tuned = |device: &str| {
        let output = start(&[
            ("HEXPASS_DEVICE", device),
            ("HEXPASS_TUNE", "full"),
            ("HEXPASS_CACHE", cache.to_str().unwrap()),
            ("HEXPASS_INFO", "1"),
            ("TEST_STEPS", "100"),
            ("TEST_CALLS", "2"),
        ]);
        assert_eq!(answers(&output), ["1 right", "1 right"], "{output:?}");
        complaints(&output)
    };
    let has = |said: &[String], what: &str| said.iter().filter(|l| l.contains(what)).count();
    let key = "jacobi2d@jacobi.c:12 on cpu: 100 steps of 18x18";
    let first = tuned("cpu");
    assert_eq!(has(&first, &format!("note: {key}: ")), 1, "{first:?}");
    assert_eq!(has(&first, "h=0 is the fastest of 2 tried"), 1, "{first:?}");
    let again = tuned("cpu");
    assert_eq!(has(&again, "note: "), 0, "{again:?}");
    // One variant needs no trials.
    assert_eq!(has(&tuned("emulated"), "note: "), 0);
    let good = std::fs::read(&cache).unwrap();
    let text = String::from_utf8(good.clone()).unwrap();
    let other_version = text.replace("\"hexpass\": ", "\"hexpass\": 1");
    let binary: Vec<u8> = (0..=255).cycle().take(5000).collect();
    for (damaged, complaint) in [
        (text[..text.len() / 2].into(), "is damaged; it will be written anew"),
        (binary, "is damaged; it will be written anew"),
        (vec![], "is damaged; it will be written anew"),
        (b"[]".to_vec(), "is damaged; it will be written anew"),
        (other_version.into(), "was written by another version; it will be written anew"),
        (text.replace("h=0", "h=9").into(), "names no variant that may run; it is ignored"),
        (
            text.replace("\"pick\"", "\"pock\"").into(),
            "names no variant that may run; it is ignored",
        ),
    ] {
        std::fs::write(&cache, damaged).unwrap();
        let said = tuned("cpu");
        let counts = (has(&said, complaint), has(&said, "of 2 tried"), has(&said, "cache.json"));
        assert_eq!(counts, (1, 1, 1), "{said:?}");
        let said = tuned("cpu");
        assert_eq!(has(&said, "note: "), 0, "{said:?}");
        // Which of the two was faster may differ.
        let pick =
            |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap()[key]["pick"].is_string();
        assert!(pick(&good) && pick(&std::fs::read(&cache).unwrap()));
    }
    // What was found on another device is no business of this one's, and stays.
    let elsewhere = text.replace(" on cpu: ", " on NVIDIA H200: ");
    std::fs::write(&cache, &elsewhere).unwrap();
    let said = tuned("cpu");
    assert_eq!((has(&said, "of 2 tried"), has(&said, "cache.json")), (1, 0), "{said:?}");
    let both = std::fs::read_to_string(&cache).unwrap();
    assert!(both.contains(" on NVIDIA H200: ") && both.contains(" on cpu: "), "{both}");
    // Nowhere to write: one line, and the nest runs.
    for nowhere in [folder.path().join("none/cache.json"), folder.path().to_path_buf()] {
        let output = start(&[
            ("HEXPASS_DEVICE", "cpu"),
            ("HEXPASS_TUNE", "full"),
            ("HEXPASS_CACHE", nowhere.to_str().unwrap()),
            ("TEST_STEPS", "100"),
            ("TEST_OBJECTS", "2"),
        ]);
        assert_eq!(answers(&output), ["1 right", "1 right"], "{output:?}");
        assert_eq!(has(&complaints(&output), "note: "), 1, "{output:?}");
    }
}
