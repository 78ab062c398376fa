use super::{fake::FakeSystem, *};

#[test]
fn a_relative_path_entry_is_never_searched() {
    let system = FakeSystem::new(Os::Linux)
        .with_env("PATH", ":.:bin:/usr/bin")
        .with_executable("bin/chromium")
        .with_executable("./chromium")
        .with_executable("/usr/bin/chromium");
    assert_eq!(system.find_on_path("chromium"), Some(PathBuf::from("/usr/bin/chromium")));
}

#[test]
fn the_first_path_entry_wins() {
    let system =
        FakeSystem::new(Os::Macos).with_env("PATH", "/a:/b").with_executable("/b/chrome").with_executable("/a/chrome");
    assert_eq!(system.find_on_path("chrome"), Some(PathBuf::from("/a/chrome")));
}

#[test]
fn windows_paths_are_split_and_joined_on_every_system() {
    let system = FakeSystem::new(Os::Windows)
        .with_env("PATH", r"C:\Windows;relative;D:\Tools")
        .with_executable(r"D:\Tools\chrome.exe");
    assert_eq!(system.find_on_path("chrome.exe"), Some(PathBuf::from(r"D:\Tools\chrome.exe")));
}

#[test]
fn an_empty_variable_counts_as_unset() {
    assert_eq!(FakeSystem::new(Os::Linux).with_env("HOME", "").home_dir(), None);
}

#[test]
fn the_config_dir_is_each_systems_own() {
    let system = |os| {
        FakeSystem::new(os)
            .with_env("HOME", "/home/me")
            .with_env("APPDATA", r"C:\Users\me\AppData\Roaming")
            .with_env("USERPROFILE", r"C:\Users\me")
    };
    let dir = |system: &FakeSystem| system.config_dir().map(PathBuf::into_os_string);
    assert_eq!(dir(&system(Os::Linux)), Some("/home/me/.config".into()));
    assert_eq!(dir(&system(Os::Linux).with_env("XDG_CONFIG_HOME", "/x")), Some("/x".into()));
    assert_eq!(dir(&system(Os::Linux).with_env("XDG_CONFIG_HOME", "x")), Some("/home/me/.config".into()));
    assert_eq!(dir(&system(Os::Macos)), Some("/home/me/Library/Application Support".into()));
    assert_eq!(dir(&system(Os::Windows)), Some(r"C:\Users\me\AppData\Roaming".into()));
    assert_eq!(dir(&FakeSystem::new(Os::Windows)), None);
}

#[test]
fn a_described_machine_reads_from_json() {
    let system: FakeSystem = serde_json::from_str(
        r#"{
            "os": "macos",
            "env": { "HOME": "/Users/me" },
            "files": {
                "/a/text": "x",
                "/a/lines": ["53211", "/devtools/browser/aaa"],
                "/a/huge": { "repeat": "x", "times": 100 },
                "/a/bytes": { "bytes": [255, 0] }
            },
            "links": { "/link": "/a", "/loop": "/loop", "/a/lock": "host-77" },
            "special": ["/a/fifo"],
            "unreadable": ["/a/secret"],
            "processes": "77 /bin/x"
        }"#,
    )
    .unwrap();
    let read = |path: &str| system.read(Path::new(path), 50).map_err(|error| error.kind());
    assert_eq!(read("/link/TEXT"), Ok(b"x".to_vec()));
    assert_eq!(read("/a/lines"), Ok(b"53211\n/devtools/browser/aaa\n".to_vec()));
    assert_eq!(read("/a/bytes"), Ok(vec![255, 0]));
    assert_eq!(read("/a/huge"), Err(io::ErrorKind::FileTooLarge));
    assert_eq!(read("/a/fifo"), Err(io::ErrorKind::InvalidInput));
    assert_eq!(read("/a"), Err(io::ErrorKind::InvalidInput));
    assert_eq!(read("/a/secret"), Err(io::ErrorKind::PermissionDenied));
    assert_eq!(read("/loop"), Err(io::ErrorKind::NotFound));
    assert_eq!(system.read_link(Path::new("/link/lock")), Some("host-77".into()));
    assert_eq!(system.canonical(Path::new("/link/text")), Some("/a/text".into()));
    assert_eq!(system.list(Path::new("/link")), ["bytes", "fifo", "huge", "lines", "lock", "text"]);
    assert!(system.is_process_alive(77) && !system.is_process_alive(78));
}

#[test]
fn a_described_registry_ignores_case() {
    let system = FakeSystem::new(Os::Windows)
        .with_registry(r"HKCU\Software\Clients\Chromium.X\shell", "", "run")
        .with_registry(r"HKLM\Software\Clients\Vivaldi", "Name", "v");
    assert_eq!(system.registry_keys(Hive::CurrentUser, r"SOFTWARE\Clients"), ["Chromium.X"]);
    let key = r"software\clients\chromium.x\SHELL";
    assert_eq!(system.registry_value(Hive::CurrentUser, key, ""), Some("run".into()));
    assert_eq!(system.registry_value(Hive::LocalMachine, key, ""), None);
    assert_eq!(system.registry_value(Hive::LocalMachine, r"Software\Clients\Vivaldi", "name"), Some("v".into()));
}

/// What only a real Unix shows.
#[cfg(unix)]
mod real {
    use std::{fs, time::Instant};

    use super::*;

    fn args<'a>(args: &'a [&'a str]) -> Vec<&'a OsStr> {
        args.iter().map(OsStr::new).collect()
    }

    #[test]
    fn a_directory_or_a_file_without_the_bit_is_not_executable() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("plain");
        fs::write(&file, "").unwrap();
        assert!(!RealSystem.is_executable(dir.path()));
        assert!(!RealSystem.is_executable(&file));
        assert!(RealSystem.is_executable(Path::new("/bin/sh")));
    }

    #[test]
    fn only_plain_files_within_the_limit_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "12345").unwrap();
        let read = |path: &Path, max| RealSystem.read(path, max).map_err(|error| error.kind());
        assert_eq!(read(&file, 5), Ok(b"12345".to_vec()));
        assert_eq!(read(&file, 4), Err(io::ErrorKind::FileTooLarge));
        assert_eq!(read(dir.path(), 4), Err(io::ErrorKind::InvalidInput));
        assert_eq!(read(&dir.path().join("none"), 4), Err(io::ErrorKind::NotFound));
        assert_eq!(read(Path::new("/dev/zero"), 4), Err(io::ErrorKind::InvalidInput));
    }

    #[test]
    fn a_fifo_and_a_socket_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let error = RealSystem.read(&fifo, 100).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        let socket = dir.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(RealSystem.read(&socket, 100).is_err());
        assert!(!RealSystem.is_file(&fifo) && !RealSystem.is_executable(&fifo));
    }

    #[test]
    fn a_command_is_read_within_its_limit() {
        let run = |script: &str, limit| RealSystem.run("sh".as_ref(), &args(&["-c", script]), limit);
        let long = Duration::from_secs(20);
        assert_eq!(run("printf '1\\377'", long).as_deref(), Some("1\u{fffd}"));
        assert_eq!(run("echo x; exit 3", long), None);
        assert_eq!(RealSystem.run("/nowhere/program".as_ref(), &[], long), None);
        let start = Instant::now();
        assert_eq!(run("echo x; sleep 60", Duration::from_millis(200)), None);
        assert_eq!(run("echo x; exec >&-; sleep 60", Duration::from_millis(200)), None);
        // A child of the command holds the pipe, and is killed with it.
        assert_eq!(run("sleep 60 & echo x", Duration::from_millis(200)), None);
        assert!(start.elapsed() < Duration::from_secs(20));
        assert_eq!(run("yes", long), None, "an endless output is cut");
    }

    #[test]
    fn this_process_is_in_the_list_and_alive() {
        let own = RealSystem.own_pid();
        let processes = RealSystem.processes(Duration::from_secs(20));
        let line = processes.iter().find(|process| process.pid == own).expect("this process");
        let program = std::env::args_os().next().unwrap();
        assert!(line.command.starts_with(&*program.to_string_lossy()), "{}", line.command);
        assert!(RealSystem.is_process_alive(own) && RealSystem.is_process_alive(1));
        assert!(!RealSystem.is_process_alive(0) && !RealSystem.is_process_alive(u32::MAX));
    }
}
