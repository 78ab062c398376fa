//! When and where kernel services listen.

use std::{net::Ipv6Addr, sync::Arc};

use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
};
use tokio_util::task::AbortOnDropHandle;

use super::{
    super::{Listeners, Notice, Place, run},
    support::*,
};
use crate::link::Pages;

/// Runs kernel services on this port, and hands out what they say.
fn running(place: Place, pages: &Pages) -> (AbortOnDropHandle<()>, mpsc::UnboundedReceiver<Notice>) {
    let (sender, notices) = mpsc::unbounded_channel();
    let services = run(place, pages.clone(), Arc::new(drop), move |notice| drop(sender.send(notice)));
    (AbortOnDropHandle::new(tokio::spawn(services)), notices)
}

async fn free_port() -> u16 {
    Listeners::bind_free().await.unwrap().port()
}

#[tokio::test]
async fn the_first_page_that_offers_its_kernel_starts_the_listener_which_outlives_it() {
    bounded(async {
        let (port, pages) = (free_port().await, Pages::default());
        let (_task, mut notices) = running(Place::Port(port), &pages);
        let other = Page::join(&pages, &["browsers", "mounts"]).await;
        tokio::task::yield_now().await;
        assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err());
        let page = Page::join(&pages, &["kernel-in"]).await;
        assert_eq!(notices.recv().await, Some(Notice::On { port }));
        drop((other, page));
        let mut socket = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut socket, get(80).as_bytes()).await.unwrap();
        assert!(text(&mut socket).await.ends_with("no seven page connected"));
    })
    .await;
}

#[tokio::test]
async fn both_loopback_addresses_are_listened_on() {
    bounded(async {
        let listeners = Listeners::bind_free().await.unwrap();
        let port = listeners.port();
        let pages = Pages::default();
        let (_task, _notices) = running(Place::Listening(listeners), &pages);
        let _page = Page::join(&pages, &["kernel-in"]).await;
        TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        match TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await {
            Ok(_) => drop(TcpStream::connect((Ipv6Addr::LOCALHOST, port)).await.unwrap()),
            Err(error) => eprintln!("skipped [::1]: {error}"),
        }
    })
    .await;
}

#[tokio::test]
async fn a_port_that_is_taken_is_tried_once() {
    bounded(async {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = taken.local_addr().unwrap().port();
        let pages = Pages::default();
        let (task, mut notices) = running(Place::Port(port), &pages);
        let _page = Page::join(&pages, &["kernel-in"]).await;
        let notice = notices.recv().await.unwrap();
        assert_eq!(
            notice.to_string(),
            format!(
                "kernel services are off: cannot listen on 127.0.0.1:{port} (Address already in use); try --kernel-port"
            )
        );
        drop(taken);
        task.await.unwrap();
        let _another = Page::join(&pages, &["kernel-in"]).await;
        assert_eq!(notices.recv().await, None);
        assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn a_port_that_is_taken_on_ipv6_alone_is_said() {
    bounded(async {
        let Ok(taken) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await else {
            eprintln!("skipped: no [::1] here");
            return;
        };
        let port = taken.local_addr().unwrap().port();
        let pages = Pages::default();
        let (_task, mut notices) = running(Place::Port(port), &pages);
        let _page = Page::join(&pages, &["kernel-in"]).await;
        assert_eq!(notices.recv().await, Some(Notice::On { port }));
        let notice = notices.recv().await.unwrap().to_string();
        assert!(notice.contains(&format!("cannot listen on [::1]:{port} (Address already in use)")), "{notice}");
    })
    .await;
}

#[test]
fn the_url_has_no_port_80() {
    assert_eq!(Notice::On { port: 80 }.to_string(), "kernel services are at http://<port>.kernel.localhost/");
    let elsewhere = "kernel services are at http://<port>.kernel.localhost:8080/";
    assert_eq!(Notice::On { port: 8080 }.to_string(), elsewhere);
}
