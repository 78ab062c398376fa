//! The page's files, part of the binary.

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub struct File {
    /// Its path in the URL.
    pub path: &'static str,
    /// Its media type.
    pub content_type: &'static str,
    /// What is in it.
    pub text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";

macro_rules! file {
    ($path:literal, $name:literal, $content_type:expr) => {
        File { path: $path, content_type: $content_type, text: include_str!(concat!("page/", $name)) }
    };
}

/// Every file that the page server serves.
pub const FILES: &[File] = &[
    file!("/", "index.html", HTML),
    file!("/style.css", "style.css", CSS),
    file!("/main.js", "main.js", JAVASCRIPT),
    file!("/checks.js", "checks.js", JAVASCRIPT),
    file!("/constants.js", "constants.js", JAVASCRIPT),
    file!("/deferred.js", "deferred.js", JAVASCRIPT),
    file!("/frame.js", "frame.js", JAVASCRIPT),
    file!("/kernel.js", "kernel.js", JAVASCRIPT),
    file!("/link-test.js", "link-test.js", JAVASCRIPT),
    file!("/link.js", "link.js", JAVASCRIPT),
    file!("/page-server.js", "page-server.js", JAVASCRIPT),
    file!("/port.js", "port.js", JAVASCRIPT),
    file!("/setup.js", "setup.js", JAVASCRIPT),
    file!("/stream.js", "stream.js", JAVASCRIPT),
    file!("/streams.js", "streams.js", JAVASCRIPT),
    file!("/window.js", "window.js", JAVASCRIPT),
];

/// The file at a path, as a URL has it.
pub fn file(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeSet,
        io::Write as _,
        path::Path,
        process::{Command, Output, Stdio},
    };

    use super::*;

    fn folder() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src/doctor/page")
    }

    #[test]
    fn every_file_of_the_folder_is_served() {
        let on_disk: BTreeSet<String> = std::fs::read_dir(folder())
            .unwrap()
            .map(|entry| format!("/{}", entry.unwrap().file_name().into_string().unwrap()))
            .map(|name| if name == "/index.html" { "/".to_owned() } else { name })
            .collect();
        let served: BTreeSet<String> = FILES.iter().map(|file| file.path.to_owned()).collect();
        assert_eq!(on_disk, served);
    }

    #[test]
    fn every_import_and_reference_is_served() {
        for file in FILES {
            for part in file.text.split("from './").skip(1) {
                let name = part.split('\'').next().unwrap();
                assert!(super::file(&format!("/{name}")).is_some(), "{} imports {name}", file.path);
            }
        }
        for name in ["style.css", "main.js"] {
            assert!(FILES[0].text.contains(&format!("\"{name}\"")));
        }
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        for file in FILES {
            for scheme in ["http://", "https://", "url("] {
                assert!(!file.text.contains(scheme), "{} names {scheme}", file.path);
            }
        }
    }

    /// Runs Node, which the page's own tests need; a machine without it skips them.
    fn node(arguments: &[&str], stdin: &str) -> Option<Output> {
        let spawned = Command::new("node")
            .args(arguments)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) => {
                eprintln!("skipped: could not run node: {error}");
                return None;
            }
        };
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        Some(child.wait_with_output().unwrap())
    }

    #[test]
    fn the_scripts_are_valid_modules() {
        for file in FILES.iter().filter(|file| file.content_type == JAVASCRIPT) {
            let Some(output) = node(&["--check", "--input-type=module"], file.text) else { return };
            assert!(output.status.success(), "{}: {}", file.path, String::from_utf8_lossy(&output.stderr));
        }
    }

    #[test]
    fn the_scripts_pass_their_own_tests() {
        let tests: Vec<String> = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page"))
            .unwrap()
            .map(|entry| format!("tests/page/{}", entry.unwrap().file_name().into_string().unwrap()))
            .filter(|name| name.ends_with(".test.mjs"))
            .collect();
        assert!(!tests.is_empty());
        let mut arguments = vec!["--no-warnings", "--test"];
        arguments.extend(tests.iter().map(String::as_str));
        let Some(output) = node(&arguments, "") else { return };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}
