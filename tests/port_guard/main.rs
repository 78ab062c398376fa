//! Runs a command while it holds the ports on which people's own browsers are debugged, and fails when anything of the command
//! connects to one of them: `port-guard <command> [<argument>…]`.

use std::{
    env,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
    process::{Command, ExitCode},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use slicc::generated::catalog::discovery;

fn main() -> ExitCode {
    let connected: Arc<AtomicUsize> = Arc::default();
    for port in discovery::PROBE_PORTS {
        for (address, required) in [(IpAddr::V4(Ipv4Addr::LOCALHOST), true), (IpAddr::V6(Ipv6Addr::LOCALHOST), false)] {
            let address = SocketAddr::new(address, port);
            match TcpListener::bind(address) {
                Ok(listener) => hold(listener, address, &connected),
                Err(error) if required => {
                    eprintln!("port-guard: {address} can't be held: {error}");
                    return ExitCode::FAILURE;
                }
                // A machine without IPv6 loopback.
                Err(_) => {}
            }
        }
    }
    let mut words = env::args_os().skip(1);
    let Some(program) = words.next() else {
        eprintln!("usage: port-guard <command> [<argument>…]");
        return ExitCode::from(2);
    };
    match Command::new(&program).args(words).status() {
        Err(error) => {
            eprintln!("port-guard: {} can't be run: {error}", program.display());
            ExitCode::FAILURE
        }
        Ok(status) if !status.success() => {
            ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
        }
        Ok(_) if connected.load(Ordering::SeqCst) > 0 => {
            eprintln!("port-guard: something connected to a port where people's own browsers are debugged");
            ExitCode::FAILURE
        }
        Ok(_) => ExitCode::SUCCESS,
    }
}

/// Takes note of every connection, and closes it.
fn hold(listener: TcpListener, address: SocketAddr, connected: &Arc<AtomicUsize>) {
    let connected = Arc::clone(connected);
    thread::spawn(move || {
        while let Ok((_, from)) = listener.accept() {
            eprintln!("port-guard: {from} connected to {address}");
            connected.fetch_add(1, Ordering::SeqCst);
        }
    });
}
