use std::{net::SocketAddr, sync::Arc};

use bytes::Bytes;
use http_body_util::BodyExt;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer},
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;

use super::{
    super::{Client, tls::Tls},
    support::*,
};
use crate::generated::link::limits;

fn client_config(roots: RootCertStore) -> Tls {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    Tls::with_config(builder.with_root_certificates(roots).with_no_client_auth())
}

/// TLS settings that trust nobody.
pub fn no_roots() -> Tls {
    client_config(RootCertStore::empty())
}

/// An authority of a test's own, and a certificate for `h`.
pub struct Authority {
    root: CertificateDer<'static>,
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec!["h".into()]).unwrap().signed_by(&key, &issuer).unwrap();
        Self {
            root: issuer.der().clone(),
            certificate: certificate.der().clone(),
            key: PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        }
    }

    pub fn trusted(&self) -> Tls {
        let mut roots = RootCertStore::empty();
        roots.add(self.root.clone()).unwrap();
        client_config(roots)
    }

    pub fn acceptor(&self, protocols: &[&str]) -> TlsAcceptor {
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let mut config = builder.with_single_cert(vec![self.certificate.clone()], self.key.clone_key()).unwrap();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }

    /// A server that describes requests over TLS.
    async fn describing(&self, protocols: &[&str]) -> SocketAddr {
        let acceptor = self.acceptor(protocols);
        accepting(move |socket| {
            let acceptor = acceptor.clone();
            async move {
                if let Ok(socket) = acceptor.accept(socket).await {
                    let http2 = socket.get_ref().1.alpn_protocol() == Some(b"h2");
                    serve_http(socket, http2, describe).await;
                }
            }
        })
        .await
    }
}

fn request(method: &str) -> Value {
    json!({"url": "https://h/path?query#fragment", "method": method, "headers": [["Cookie", "a"], ["X", "1"], ["Cookie", "b"]]})
}

/// A client for a server that speaks HTTP/2 and describes requests, and that the client trusts.
async fn client_of_http_2() -> Client<To> {
    let authority = Authority::new();
    let address = authority.describing(&["h2"]).await;
    Client::with_tls(To::new(address), authority.trusted())
}

#[tokio::test]
async fn https_speaks_http_2_when_the_server_does_and_http_1_otherwise() {
    bounded(async {
        let authority = Authority::new();
        for (protocols, uri, phrase) in [
            (&["h2", "http/1.1"][..], "https://h/path?query", ""),
            (&["http/1.1"], "/path?query", "OK"),
            (&[], "/path?query", "OK"),
        ] {
            let address = authority.describing(protocols).await;
            let client = Client::with_tls(To::new(address), authority.trusted());
            for (method, length) in [("GET", 5), ("POST", 0), ("PUT", 5), ("POST", 3 * limits::HTTP_SIZED_BODY)] {
                let outcome = fetch_with(&client, json!({}), &request(method), &vec![1; length]).await;
                assert_eq!(outcome.head()["statusText"], phrase);
                let described: Value = serde_json::from_str(&outcome.text()).unwrap();
                assert_eq!(described["uri"], uri, "{protocols:?}");
                assert_eq!(described["headers"]["cookie"], "a; b");
                assert_eq!(described["headers"]["x"], "1");
                let expected = if method == "GET" { 0 } else { length };
                assert_eq!(described["length"], expected);
                let sized = method != "GET" && length <= limits::HTTP_SIZED_BODY;
                let header = if sized { Value::from(length.to_string()) } else { Value::Null };
                assert_eq!(described["headers"]["content-length"], header, "{method} {length} {protocols:?}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_certificate_that_the_system_does_not_trust_is_econnrefused() {
    bounded(async {
        let authority = Authority::new();
        let address = authority.describing(&[]).await;
        let untrusted = "ECONNREFUSED: fetch failed: this system doesn't trust who issued the server's certificate";
        for client in [Client::new(To::new(address)), Client::with_tls(To::new(address), no_roots())] {
            let reset = fetch_with(&client, json!({}), &request("GET"), b"").await.refusal();
            // A machine may have no roots at all.
            let none = "ECONNREFUSED: fetch failed: this system has no certificates to trust";
            assert!(reset == untrusted || reset == none, "{reset}");
        }
        let client = Client::with_tls(To::new(address), authority.trusted());
        let head = json!({"url": "https://other/", "method": "GET", "headers": []});
        let outcome = fetch_with(&client, json!({}), &head, b"").await;
        assert_eq!(outcome.refusal(), "ECONNREFUSED: fetch failed: the server's certificate is for another name");
    })
    .await;
}

#[tokio::test]
async fn a_server_without_tls_is_econnrefused() {
    bounded(async {
        let plain = accepting(|mut socket| async move {
            let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        });
        for answer in [plain.await, accepting(|_socket| async {}).await] {
            let client = Client::with_tls(To::new(answer), no_roots());
            let reset = fetch_with(&client, json!({}), &request("GET"), b"").await.refusal();
            let reset = reset.split_once(": fetch failed: ").unwrap();
            // Closing with the hello unread resets the connection.
            assert!(["ECONNREFUSED", "ECONNRESET"].contains(&reset.0), "{reset:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn credentialed_requests_go_out_over_https_on_port_443() {
    bounded(async {
        let client = client_of_http_2().await;
        for url in ["https://h/", "https://h:443/"] {
            let head = json!({"url": url, "method": "GET", "headers": [["Authorization", "token"]]});
            let outcome = fetch_with(&client, json!({"credentialed": true}), &head, b"").await;
            let described: Value = serde_json::from_str(&outcome.text()).unwrap();
            assert_eq!(described["headers"]["authorization"], "token");
        }
    })
    .await;
}

#[tokio::test]
async fn a_longer_body_over_http_2_goes_with_the_heads_content_length() {
    bounded(async {
        let client = client_of_http_2().await;
        let body = vec![1; limits::HTTP_SIZED_BODY + 100_000];
        let mut head = request("POST");
        head["headers"] = json!([["Content-Length", body.len().to_string()]]);
        let outcome = fetch_with(&client, json!({}), &head, &body).await;
        let described: Value = serde_json::from_str(&outcome.text()).unwrap();
        assert_eq!(described["headers"]["content-length"], body.len().to_string());
        assert_eq!(described["length"], body.len());
        for wrong in [body.len() - 1, body.len() + 1] {
            head["headers"] = json!([["Content-Length", wrong.to_string()]]);
            let reset = fetch_with(&client, json!({}), &head, &body).await.refusal();
            assert!(reset.ends_with("doesn't have the length that its Content-Length gives"), "{reset}");
        }
    })
    .await;
}

/// The child of the test below. Without that test's variable there is nothing to check.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_child_fetches_by_the_systems_roots() {
    bounded(async {
        let Ok(address) = std::env::var("SLICC_TEST_SERVER") else { return };
        let client = Client::new(To::new(address.parse().unwrap()));
        let outcome = fetch_with(&client, json!({}), &request("GET"), b"").await;
        assert_eq!(outcome.head()["status"], 200);
        println!("fetched");
    })
    .await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_systems_roots_are_what_is_trusted() {
    use base64::{Engine, prelude::BASE64_STANDARD};

    bounded(async {
        // OpenSSL's variables stand in for the system's store.
        let authority = Authority::new();
        let address = authority.describing(&["h2"]).await;
        let root = BASE64_STANDARD.encode(&authority.root);
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("root.pem");
        std::fs::write(&file, format!("-----BEGIN CERTIFICATE-----\n{root}\n-----END CERTIFICATE-----\n")).unwrap();
        let output = tokio::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "node::serve::http::tests::secure::a_child_fetches_by_the_systems_roots", "--nocapture"])
            .env("SSL_CERT_FILE", &file)
            .env_remove("SSL_CERT_DIR")
            .env("SLICC_TEST_SERVER", address.to_string())
            .kill_on_drop(true)
            .output()
            .await
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(String::from_utf8_lossy(&output.stdout).contains("fetched"));
    })
    .await;
}

/// A server whose every HTTP/2 answer is made like this.
async fn http2_answering(authority: &Authority, handler: fn() -> Answer) -> Client<To> {
    let acceptor = authority.acceptor(&["h2"]);
    let address = accepting(move |socket| {
        let acceptor = acceptor.clone();
        async move {
            if let Ok(socket) = acceptor.accept(socket).await {
                serve_http(socket, true, move |_request| async move { handler() }).await;
            }
        }
    })
    .await;
    Client::with_tls(To::new(address), authority.trusted())
}

#[tokio::test]
async fn http_2_answers_without_a_body_keep_their_headers() {
    bounded(async {
        let authority = Authority::new();
        let client = http2_answering(&authority, || {
            let mut answer = answer(Bytes::new());
            *answer.status_mut() = http::StatusCode::NOT_MODIFIED;
            answer.headers_mut().insert("content-length", 1000.into());
            answer.headers_mut().insert("content-encoding", http::HeaderValue::from_static("gzip"));
            answer
        })
        .await;
        let outcome = fetch_with(&client, json!({}), &request("GET"), b"").await;
        assert_eq!(outcome.reset, None);
        assert_eq!(outcome.header("content-length").unwrap(), "1000");
        assert_eq!(outcome.header("content-encoding").unwrap(), "gzip");
        assert_eq!(outcome.body(), b"");
    })
    .await;
}

#[tokio::test]
async fn an_http_2_answer_with_too_many_headers_is_refused() {
    bounded(async {
        let authority = Authority::new();
        let client = http2_answering(&authority, || {
            let mut answer = answer("body");
            for n in 0..10_000 {
                let name = http::HeaderName::from_bytes(format!("x-{n}").as_bytes()).unwrap();
                answer.headers_mut().insert(name, http::HeaderValue::from_static("a value of some length, repeated"));
            }
            answer
        })
        .await;
        let reset = fetch_with(&client, json!({}), &request("GET"), b"").await.refusal();
        assert!(reset.starts_with("ECONNREFUSED: fetch failed: "), "{reset}");
    })
    .await;
}

#[tokio::test]
async fn an_http_2_answer_may_come_before_the_body_is_sent() {
    bounded(async {
        let authority = Authority::new();
        let client = http2_answering(&authority, || answer("early")).await;
        let mut page = open(&client, json!({})).await;
        page.head(&request("POST")).await;
        page.piece(vec![0; limits::HTTP_SIZED_BODY + 1]).await;
        let outcome = page.finish(Outcome::default()).await;
        assert_eq!(outcome.text(), "early");
        page.piece(vec![0; limits::HTTP_SIZED_BODY]).await;
        page.send.end();
    })
    .await;
}

#[tokio::test]
async fn what_an_http_2_server_says_about_an_error_is_not_repeated() {
    bounded(async {
        let authority = Authority::new();
        let acceptor = authority.acceptor(&["h2"]);
        let address = accepting(move |socket| {
            let acceptor = acceptor.clone();
            async move {
                let mut socket = acceptor.accept(socket).await.unwrap();
                // SETTINGS, then GOAWAY with PROTOCOL_ERROR and debug data.
                let mut frames = vec![0, 0, 0, 4, 0, 0, 0, 0, 0];
                frames.extend([0, 0, 15, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
                frames.extend(b"hunter2");
                socket.write_all(&frames).await.unwrap();
                let mut rest = Vec::new();
                let _ = socket.read_to_end(&mut rest).await;
            }
        })
        .await;
        let client = Client::with_tls(To::new(address), authority.trusted());
        let reset = fetch_with(&client, json!({}), &request("GET"), b"").await.refusal();
        assert_eq!(reset, "ECONNREFUSED: fetch failed: the server refused the request before it answered");
    })
    .await;
}

#[tokio::test]
async fn a_body_cut_short_over_tls_is_econnreset() {
    bounded(async {
        // Closing without close_notify is what someone on the way can do too.
        let authority = Authority::new();
        let acceptor = authority.acceptor(&[]);
        let (go_on, wait) = tokio::sync::watch::channel(());
        let address = accepting(move |socket| {
            let (acceptor, mut wait) = (acceptor.clone(), wait.clone());
            async move {
                let mut socket = acceptor.accept(socket).await.unwrap();
                read_head(&mut socket).await;
                socket.write_all(b"HTTP/1.1 200 OK\r\n\r\nabc").await.unwrap();
                socket.flush().await.unwrap();
                wait.changed().await.unwrap();
            }
        })
        .await;
        let client = Client::with_tls(To::new(address), authority.trusted());
        let mut page = open(&client, json!({})).await;
        page.head(&request("GET")).await;
        let mut outcome = Outcome::default();
        page.read_body(&mut outcome, 3).await;
        go_on.send(()).unwrap();
        let outcome = page.finish(outcome).await;
        assert_eq!(outcome.body(), b"abc");
        assert!(outcome.reset.unwrap().starts_with("ECONNRESET: "));
    })
    .await;
}

#[tokio::test]
async fn an_http_2_stream_that_is_cut_short_is_econnreset() {
    bounded(async {
        let authority = Authority::new();
        let acceptor = authority.acceptor(&["h2"]);
        let (go_on, wait) = tokio::sync::watch::channel(());
        let address = accepting(move |socket| {
            let (acceptor, wait) = (acceptor.clone(), wait.clone());
            async move {
                let socket = acceptor.accept(socket).await.unwrap();
                let mut closing = wait.clone();
                let serving = serve_http(socket, true, |_request| async {
                    let first = futures_util::stream::iter([Ok(hyper::body::Frame::data(Bytes::from_static(b"abc")))]);
                    let endless = futures_util::StreamExt::chain(first, futures_util::stream::pending());
                    http::Response::new(BodyExt::boxed(http_body_util::StreamBody::new(
                        Box::pin(endless) as std::pin::Pin<Box<dyn futures_util::Stream<Item = _> + Send + Sync>>
                    )))
                });
                tokio::select! {
                    () = serving => {}
                    _ = closing.changed() => {}
                }
            }
        })
        .await;
        let client = Client::with_tls(To::new(address), authority.trusted());
        let mut page = open(&client, json!({})).await;
        page.head(&request("GET")).await;
        let mut outcome = Outcome::default();
        page.read_body(&mut outcome, 3).await;
        go_on.send(()).unwrap();
        let outcome = page.finish(outcome).await;
        assert_eq!(outcome.body(), b"abc");
        assert_eq!(outcome.reset.as_deref(), Some("ECONNRESET: the answer broke off"));
    })
    .await;
}
