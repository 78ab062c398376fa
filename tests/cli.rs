//! The command line without a link: texts, exit statuses, and who may hang up.

use std::{
    fmt::Write as _,
    process::{Output, Stdio},
};

use serde_json::Value;
use slicc::generated::events::SCHEMAS;

use crate::support::{
    processes, run,
    servers::closed_port,
    slicc_process::{Home, Slicc},
};

fn slicc(arguments: &[&str]) -> Output {
    let home = Home::new();
    home.slicc(arguments).stdin(Stdio::null()).output().expect("slicc runs")
}

/// What it prints when everything goes well.
fn printed(arguments: &[&str]) -> String {
    let output = slicc(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), stderr.as_ref()), (Some(0), ""), "{arguments:?}");
    String::from_utf8(output.stdout).expect("stdout is text")
}

/// What it says to a wrong command line.
fn refused(arguments: &[&str]) -> String {
    let output = slicc(arguments);
    let stderr = String::from_utf8(output.stderr).expect("stderr is text");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    stderr
}

/// Compares with snapshots/<name>.snap.
fn assert_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn the_version_is_one_line_of_data() {
    let version = concat!("slicc ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(printed(&["--version"]), version);
    assert_eq!(printed(&["-V"]), version);
}

#[test]
fn help_is_what_was_published() {
    assert_snapshot("help", &printed(&["--help"]));
    assert_snapshot("help-short", &printed(&["-h"]));
    for command in ["attach", "browsers", "launch", "doctor", "schema", "completions"] {
        assert_snapshot(&format!("help-{command}"), &printed(&[command, "--help"]));
        assert_snapshot(&format!("help-{command}-short"), &printed(&[command, "-h"]));
    }
}

#[test]
fn help_has_no_colour_in_a_pipe() {
    let home = Home::new();
    let output = home.slicc(["attach", "--help"]).env("CLICOLOR_FORCE", "0").output().unwrap();
    assert!(!output.stdout.contains(&0x1b));
}

#[test]
fn a_wrong_command_line_exits_2_with_what_to_do_about_it() {
    let mut said = String::new();
    for line in [
        "frobnicate",
        "--frobnicate",
        "--page seven",
        "--json browsers",
        "--yes surplus",
        "atach --cdp 9222",
        "attach",
        "attach --signal cdp",
        "attach --cdp",
        "attach --cdp 1 --cdp 2",
        "attach --cdp 1 --cdp-extra 2",
        "attach --orign http://localhost:1",
        "attach --signal smoke",
        "attach --cdp 1 surplus",
        "doctor --json=yes",
        "doctor --cdp 1 --headed",
        "schema doctor setup",
        "schema nothing",
        "completions",
        "completions csh",
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        writeln!(said, "$ slicc {line}\n{}", refused(&words)).unwrap();
    }
    assert_snapshot("wrong-command-lines", said.trim_end());
}

#[test]
fn a_value_that_means_nothing_exits_2_before_anything_is_reached() {
    let mut said = String::new();
    for (flag, values) in [
        ("--cdp", &["", "http://", "ftp://127.0.0.1:9222", "0", "70000", "http://user:secret@127.0.0.1:9222"][..]),
        ("--origin", &["", "localhost", "http://", "ftp://a.test", "http://a.test/path", "http://a:b@c.test", "null"]),
        (
            "--allow",
            &[
                "",
                ",",
                "10.0.0.0/8,",
                "example.com",
                "10.0.0.0/33",
                "10.0.0.1:0",
                "10.0.0.1:65536",
                "fe80::1%eth0",
                // Rules that can never match.
                "64:ff9b::/96",
                "64:ff9b::a00:1",
                "64:ff9b:1::/48",
                "[64:ff9b:1::1]:80",
                "2002::/16",
                "2002:a00::/24",
                "2001::/32",
                "2001:0:1::/48",
                "0.0.0.0/8",
                "0.1.2.3",
                "::/128",
                "::",
                "::ffff:0.0.0.0/104",
            ],
        ),
        ("--deny", &["2002::/16", "0.0.0.0"]),
    ] {
        for value in values {
            // The endpoint would be reached last: nothing listens there.
            let flag_with_value = format!("{flag}={value}");
            let mut words = vec!["attach", flag_with_value.as_str()];
            if flag != "--cdp" {
                words.extend(["--cdp", "http://127.0.0.1:1"]);
            }
            let refusal = refused(&words);
            assert!(!refusal.contains("secret"), "{refusal}");
            writeln!(said, "$ slicc attach {flag} {value:?}\n{refusal}").unwrap();
        }
    }
    assert_snapshot("wrong-values", said.trim_end());
}

#[test]
fn a_hosts_file_that_cannot_be_used_exits_2() {
    let home = Home::new();
    home.write("address", "# names\nlocalhost 127.0.0.1\n");
    home.write("nameless", "127.0.0.1 a.test\n\n127.0.0.1 # nobody\n");
    std::fs::write(home.path().join("bytes"), b"127.0.0.1 \xff\n").unwrap();
    std::fs::create_dir(home.path().join("folder")).unwrap();
    let mut said = String::new();
    for file in ["missing", "folder", "bytes", "address", "nameless"] {
        let output =
            home.slicc(["attach", "--signal", "stdio", "--hosts", file]).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{file}");
        assert!(output.stdout.is_empty(), "{file}");
        write!(said, "$ slicc attach --hosts {file}\n{}", String::from_utf8(output.stderr).unwrap()).unwrap();
    }
    assert_snapshot("wrong-hosts-files", said.trim_end());
}

#[test]
fn a_browser_that_does_not_answer_exits_1_with_a_hint() {
    let endpoint = format!("http://127.0.0.1:{}", closed_port());
    for command in [&["attach", "--cdp", &endpoint][..], &["doctor", "--cdp", &endpoint]] {
        let output = slicc(command);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.starts_with("slicc: ") && stderr.contains("can't be reached"), "{stderr}");
        assert!(stderr.contains("\nhint: start the browser with --remote-debugging-port"), "{stderr}");
    }
}

#[test]
fn schemas_are_listed_and_each_is_a_valid_schema() {
    let list = printed(&["schema"]);
    let names: Vec<&str> = list.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, SCHEMAS.iter().map(|schema| schema.name).collect::<Vec<_>>());
    for name in names {
        let schema: Value = serde_json::from_str(&printed(&["schema", name])).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        if let Err(error) = jsonschema::meta::validate(&schema) {
            panic!("{name} isn't a schema: {error}");
        }
        assert!(list.contains(schema["title"].as_str().unwrap()), "{name}");
    }
}

#[test]
fn each_shell_gets_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&["completions", shell]);
        assert!(script.contains("attach") && script.contains("doctor"), "{shell}: {script}");
        assert!(!script.contains("--hosts"), "{shell}");
    }
}

#[test]
fn a_reader_that_hung_up_is_no_failure() {
    for words in [
        &["--version"][..],
        &["--help"],
        &["attach", "--help"],
        &["schema"],
        &["schema", "doctor"],
        &["browsers", "--json"],
        &["completions", "bash"],
    ] {
        let home = Home::new();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = home.slicc(words).stdin(Stdio::null()).stdout(writer).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), stderr.as_ref()), (Some(0), ""), "{words:?}");
    }
}

#[test]
fn a_harness_that_hung_up_ends_attach_quietly() {
    run(async {
        let mut slicc = Slicc::start(["attach", "--signal", "stdio"]);
        assert_eq!(slicc.json().await.unwrap()["t"], "hello");
        slicc.close_stdout();
        slicc.write(b"{\"t\":\"hello\"}\n").await;
        slicc.expect_exit(0, &[]).await;
    });
}

#[test]
fn nothing_of_a_command_outlives_it() {
    let home = Home::new();
    let output = home.slicc(["attach", "--signal", "stdio"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(processes::naming(home.path()).is_empty());
    assert_eq!(home.leftovers(), Vec::<String>::new());
}
