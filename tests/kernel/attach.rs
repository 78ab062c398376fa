//! The listener of `slicc attach`, its flags, and the port in the policy.

use std::{collections::HashMap, net::Ipv4Addr};

use serde_json::json;
use slicc::{generated::link::Cap, link::LinkEvent};
use tokio::{
    net::{TcpListener, TcpStream},
    process::Command,
};

use super::{Attached, answer};
use crate::support::{native_page::NativePage, run, servers, slicc_process::Home, within};

fn get(host: &str) -> String {
    format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")
}

#[test]
fn a_port_of_the_kernel_is_reached_as_it_is() {
    run(async {
        let echo = servers::echo().await;
        let (_attached, port) = Attached::on_free_port(HashMap::from([(7, echo.port())])).await;
        // The echo ends when the browser's side does.
        let request = format!("{}and more", get("7.kernel.localhost"));
        let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
        let (mut read, mut write) = socket.split();
        tokio::io::AsyncWriteExt::write_all(&mut write, request.as_bytes()).await.unwrap();
        tokio::io::AsyncWriteExt::shutdown(&mut write).await.unwrap();
        let mut echoed = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut read, &mut echoed).await.unwrap();
        assert_eq!(echoed, request);
    });
}

#[test]
fn what_cannot_be_reached_is_answered_in_plain_text() {
    run(async {
        let (_attached, port) = Attached::on_free_port(HashMap::from([(80, servers::closed_port())])).await;
        let cases = [
            ("80.kernel.localhost", "502 Bad Gateway", "nothing listening on kernel port 80"),
            ("81.kernel.localhost", "502 Bad Gateway", "nothing listening on kernel port 81"),
            ("9222.kernel.localhost", "502 Bad Gateway", "kernel port 9222: EACCES"),
            ("localhost", "421 Misdirected Request", "only <port>.kernel.localhost is served here"),
            ("80.kernel.localhost:1", "421 Misdirected Request", "only <port>.kernel.localhost is served here"),
            ("80.kernel.localhost\r\nHost: 80.kernel.localhost", "400 Bad Request", "malformed request head"),
        ];
        for (host, status, body) in cases {
            let answer = answer(port, &get(host)).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{answer}");
            assert!(answer.contains("\r\nX-Proxy-Error: 1\r\n"), "{answer}");
            assert!(answer.ends_with(&format!("\r\n\r\n{body}")), "{answer}");
        }
    });
}

#[test]
fn the_port_is_denied_to_the_page() {
    run(async {
        let (attached, port) = Attached::on_free_port(HashMap::new()).await;
        let denied = [format!("127.0.0.0/8:{port}"), format!("127.0.0.1/32:{port}"), format!("[::1]/128:{port}")];
        assert_eq!(attached.hello["policy"]["deny"], json!(denied));
    });
}

#[test]
fn a_port_that_is_taken_turns_kernel_services_off_and_nothing_else() {
    run(async {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = taken.local_addr().unwrap().port();
        let mut attached = Attached::start(&["--kernel-port", &port.to_string()], HashMap::new()).await;
        let mut said = [attached.status().await, attached.status().await];
        said.sort();
        let off = format!(
            "kernel services are off: cannot listen on 127.0.0.1:{port} (Address already in use); try --kernel-port"
        );
        assert_eq!(said, [off, "linked with native page".to_owned()]);
        assert!(!attached.page.is_finished());
    });
}

#[test]
fn without_kernel_services_nothing_listens_and_nothing_is_denied() {
    run(async {
        let port = servers::closed_port();
        let arguments = ["--no-kernel", "--kernel-port", &port.to_string()];
        let mut attached = Attached::start(&arguments, HashMap::new()).await;
        assert_eq!(attached.status().await, "linked with native page");
        assert_eq!(attached.hello["policy"]["deny"], json!([]));
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err());
    });
}

#[test]
fn a_page_that_goes_before_it_answers_is_no_page() {
    run(async {
        let port = slicc::kernel::Listeners::bind_free().await.expect("a free port").port();
        let home = Home::new();
        let arguments = ["attach", "--signal", "stdio", "--kernel-port", &port.to_string()];
        let command = Command::from(home.slicc(arguments));
        let caps = [Cap::KernelIn.as_str()];
        let mut page = within("a link", NativePage::link(command, &caps)).await.expect("the link comes up");
        // The page's link is up before the node listens.
        let connect = async {
            while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err() {
                tokio::task::yield_now().await;
            }
        };
        within("a listener", connect).await;
        let request = get("5173.kernel.localhost");
        let asked = async {
            let incoming = loop {
                if let LinkEvent::Incoming(incoming) = page.next_event().await.expect("the link is up") {
                    break incoming;
                }
            };
            page.handle().close("the page goes").await;
            incoming
        };
        let (answer, _incoming) = tokio::join!(answer(port, &request), within("a kernel stream", asked));
        assert!(answer.ends_with("\r\n\r\nno seven page connected"), "{answer}");
    });
}
