//! Kernel services of a built slicc: section "Kernel services".

mod attach;
mod vite;

use std::{collections::HashMap, net::Ipv4Addr, process::Stdio};

use serde_json::Value;
use slicc::generated::link::Cap;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    net::TcpStream,
    process::{ChildStderr, Command},
    task::JoinHandle,
};

use crate::support::{native_page::NativePage, slicc_process::Home, within};

/// `slicc attach`, linked to a page that offers its kernel.
struct Attached {
    page: JoinHandle<()>,
    hello: Value,
    stderr: Lines<BufReader<ChildStderr>>,
    _home: Home,
}

impl Attached {
    /// Starts it with these arguments. The page's kernel has `targets`: a port, and the port of 127.0.0.1 that stands for it.
    async fn start(arguments: &[&str], targets: HashMap<u16, u16>) -> Self {
        let home = Home::new();
        let mut command = Command::from(home.slicc([&["attach", "--signal", "stdio"], arguments].concat()));
        command.stderr(Stdio::piped());
        let caps = [Cap::KernelIn.as_str()];
        let link = NativePage::link(command, &caps);
        let mut page = within("a link", link).await.expect("the link comes up");
        let stderr = BufReader::new(page.take_stderr().expect("stderr is a pipe")).lines();
        let hello = Value::Object(page.hello().clone());
        let page = tokio::spawn(async move { page.serve_kernel(&targets).await });
        let mut attached = Self { page, hello, stderr, _home: home };
        assert_eq!(attached.status().await, "linking");
        attached
    }

    /// Starts it on a local port that is free, which is returned.
    async fn on_free_port(targets: HashMap<u16, u16>) -> (Self, u16) {
        let port = slicc::kernel::Listeners::bind_free().await.expect("a free port").port();
        let mut attached = Self::start(&["--kernel-port", &port.to_string()], targets).await;
        let mut said = [attached.status().await, attached.status().await];
        said.sort();
        let url = format!("kernel services are at http://<port>.kernel.localhost:{port}/");
        assert_eq!(said, [url, "linked with native page".to_owned()]);
        (attached, port)
    }

    /// The next line on stderr, without the name of the program that stands before it.
    async fn status(&mut self) -> String {
        let line = within("a status line", self.stderr.next_line()).await.expect("stderr is text");
        line.and_then(|line| line.strip_prefix("slicc: ").map(str::to_owned)).expect("a status line")
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        // slicc is killed with its page.
        self.page.abort();
    }
}

/// The whole answer to a request.
async fn answer(port: u16, request: &str) -> String {
    let exchange = async {
        let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
        socket.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.map(|_| answer)
    };
    within("an answer", exchange).await.expect("an answer")
}
