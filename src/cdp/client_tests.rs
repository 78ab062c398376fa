use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::{
    accept_hdr_async,
    tungstenite::handshake::server::{Request, Response},
};

use super::*;

const FILTER: EventFilter = EventFilter { methods: &["A.wanted"], max_bytes: 1024, queue: 2 };

/// A browser's end of a connection.
struct Fake {
    stream: WebSocketStream<TcpStream>,
    headers: http::HeaderMap,
    path: String,
}

impl Fake {
    async fn connect(filter: EventFilter) -> (Self, Client, Events) {
        Self::connect_with(filter, PATIENCE).await
    }

    async fn connect_with(filter: EventFilter, patience: Duration) -> (Self, Client, Events) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("ws://127.0.0.1:{}/devtools/browser/aaa", listener.local_addr().unwrap().port());
        let accept = async {
            let (socket, _) = listener.accept().await.unwrap();
            let mut seen = None;
            #[allow(clippy::result_large_err, reason = "the callback's type is given")]
            let stream = accept_hdr_async(socket, |request: &Request, response: Response| {
                seen = Some((request.headers().clone(), request.uri().to_string()));
                Ok(response)
            })
            .await
            .unwrap();
            let (headers, path) = seen.unwrap();
            Self { stream, headers, path }
        };
        let endpoint = Endpoint::parse(&url).unwrap();
        let (fake, client) = tokio::join!(accept, Client::connect_with(&endpoint, filter, patience));
        let (client, events) = client.unwrap();
        (fake, client, events)
    }

    async fn read(&mut self) -> Value {
        let message = self.stream.next().await.unwrap().unwrap();
        serde_json::from_str(message.to_text().unwrap()).unwrap()
    }

    async fn send(&mut self, text: &str) {
        self.stream.send(Message::text(text)).await.unwrap();
    }

    async fn answer(&mut self, result: Value) -> Value {
        let call = self.read().await;
        self.send(&json!({"id": call["id"], "result": result}).to_string()).await;
        call
    }
}

#[tokio::test]
async fn the_handshake_has_no_origin_and_offers_no_compression() {
    let (fake, _client, _events) = Fake::connect(FILTER).await;
    assert!(!fake.headers.contains_key("origin"));
    assert!(!fake.headers.contains_key("sec-websocket-extensions"));
    assert_eq!(fake.path, "/devtools/browser/aaa");
}

#[tokio::test]
async fn a_redirected_handshake_is_no_answer() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("ws://127.0.0.1:{}/devtools/browser/key", listener.local_addr().unwrap().port());
    let serve = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        let answer = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut socket, answer).await.unwrap();
        // Until the client hangs up.
        let _ = tokio::io::AsyncReadExt::read_to_end(&mut socket, &mut Vec::new()).await;
    };
    let endpoint = Endpoint::parse(&url).unwrap();
    let ((), result) = tokio::join!(serve, Client::connect(&endpoint, EventFilter::NONE));
    let error = result.unwrap_err();
    assert!(matches!(error, EndpointError::Handshake { .. }), "{error:?}");
    assert!(!error.to_string().contains("key"), "{error}");
}

#[tokio::test]
async fn answers_find_their_calls_in_any_order() {
    let (mut fake, client, _events) = Fake::connect(FILTER).await;
    let session = SessionId("S".into());
    let browser = async {
        let (first, second) = (fake.read().await, fake.read().await);
        assert_eq!((&first["sessionId"], &second["sessionId"]), (&json!("S"), &Value::Null));
        for call in [second, first] {
            fake.send(&json!({"id": call["id"], "result": {"method": call["method"]}}).to_string()).await;
        }
    };
    let (one, two, ()) =
        tokio::join!(client.call(Some(&session), "A.one", json!({})), client.call(None, "A.two", json!({})), browser);
    assert_eq!(one.unwrap().read::<Value>().unwrap(), json!({"method": "A.one"}));
    assert_eq!(two.unwrap().read::<Value>().unwrap(), json!({"method": "A.two"}));
}

#[tokio::test]
async fn a_refusal_names_the_call() {
    let (mut fake, client, _events) = Fake::connect(FILTER).await;
    let browser = async {
        let call = fake.read().await;
        fake.send(&json!({"id": call["id"], "error": {"code": -32601, "message": "no such method"}}).to_string()).await;
    };
    let (result, ()) = tokio::join!(client.call(None, "A.b", json!({})), browser);
    assert_eq!(result.unwrap_err().to_string(), "the browser refused A.b: no such method (-32601)");
}

#[tokio::test]
async fn a_call_without_an_answer_times_out_and_is_forgotten() {
    let (mut fake, client, _events) = Fake::connect(FILTER).await;
    let result = client.call_within(Duration::from_millis(20), None, "A.late", json!({})).await;
    assert!(matches!(result, Err(CdpError::TimedOut { .. })));
    assert!(lock(&client.calls).waiting.is_empty());
    let late = fake.read().await;
    fake.send(&json!({"id": late["id"], "result": {"late": true}}).to_string()).await;
    let (result, _) = tokio::join!(client.call(None, "A.b", json!({})), fake.answer(json!({"late": false})));
    assert_eq!(result.unwrap().read::<Value>().unwrap(), json!({"late": false}));
}

#[tokio::test]
async fn messages_that_cant_be_read_are_skipped() {
    let (mut fake, client, mut events) = Fake::connect(FILTER).await;
    for text in ["", "{", "[]", r#"{"id":"7"}"#, r#"{"method":"\ud800"}"#, r#"{"id":999999,"result":{}}"#] {
        fake.send(text).await;
    }
    fake.stream.send(Message::Ping(bytes::Bytes::new())).await.unwrap();
    fake.send(r#"{"method":"A.wanted","params":{"title":"\ud800","x":1}}"#).await;
    let event = events.next().await.unwrap();
    assert!(event.read::<Value>().is_err());
    let result = tokio::join!(client.call(None, "A.b", json!({})), async {
        let call = loop {
            // The pong comes first.
            let message = fake.stream.next().await.unwrap().unwrap();
            if message.is_text() {
                break serde_json::from_str::<Value>(message.to_text().unwrap()).unwrap();
            }
        };
        fake.send(&format!(r#"{{"id":{},"result":{{"title":"\ud800"}}}}"#, call["id"])).await;
    })
    .0;
    assert!(result.unwrap().read::<Value>().is_err());
}

#[tokio::test]
async fn events_that_nobody_wants_or_that_are_too_long_are_dropped() {
    let (mut fake, _client, mut events) = Fake::connect(FILTER).await;
    for _ in 0..100 {
        fake.send(r#"{"method":"A.unwanted"}"#).await;
    }
    fake.send(&json!({"method": "A.wanted", "params": {"x": "y".repeat(2000)}}).to_string()).await;
    fake.send(r#"{"method":"A.wanted","params":{"x":1},"sessionId":"S"}"#).await;
    let event = events.next().await.unwrap();
    assert_eq!(event.session, Some(SessionId("S".into())));
    assert!(!format!("{event:?}").contains('x'), "an event's parameters are page content");
}

#[tokio::test]
async fn a_burst_of_events_waits_for_its_consumer() {
    let (mut fake, _client, mut events) = Fake::connect(FILTER).await;
    let burst = tokio::spawn(async move {
        for n in 0..500 {
            fake.send(&json!({"method": "A.wanted", "params": {"n": n}}).to_string()).await;
        }
        fake
    });
    for n in 0..500 {
        assert_eq!(events.next().await.unwrap().read::<Value>().unwrap(), json!({"n": n}));
        tokio::task::yield_now().await;
    }
    burst.await.unwrap();
}

#[tokio::test]
async fn a_stuck_consumer_is_cut_off_and_calls_go_on() {
    let (mut fake, client, mut events) = Fake::connect_with(FILTER, Duration::from_millis(50)).await;
    for _ in 0..10 {
        fake.send(r#"{"method":"A.wanted"}"#).await;
    }
    let (result, _) = tokio::join!(client.call(None, "A.b", json!({})), fake.answer(json!({})));
    result.unwrap();
    let error = loop {
        if let Err(error) = events.next().await {
            break error;
        }
    };
    assert_eq!(error, CdpError::TooManyEvents);
}

#[tokio::test]
async fn a_closed_connection_ends_calls_and_events() {
    let (mut fake, client, mut events) = Fake::connect(FILTER).await;
    let browser = async {
        fake.read().await;
        drop(fake);
    };
    let (result, ()) = tokio::join!(client.call(None, "A.b", json!({})), browser);
    assert_eq!(result.unwrap_err(), CdpError::Closed);
    assert_eq!(events.next().await.unwrap_err(), CdpError::Closed);
    assert_eq!(client.call(None, "A.b", json!({})).await.unwrap_err(), CdpError::Closed);
}

#[tokio::test]
async fn a_message_that_is_too_long_ends_the_connection_instead_of_filling_memory() {
    let (mut fake, _client, mut events) = Fake::connect(FILTER).await;
    tokio::spawn(async move {
        // The client hangs up in the middle.
        let _ = fake.stream.send(Message::text(" ".repeat(MAX_MESSAGE + 1))).await;
    });
    assert_eq!(events.next().await.unwrap_err(), CdpError::Closed);
}

#[tokio::test]
async fn the_connection_closes_once_the_last_client_is_dropped() {
    let (mut fake, client, _events) = Fake::connect(FILTER).await;
    let clone = client.clone();
    drop(client);
    tokio::join!(async { clone.call(None, "A.b", json!({})).await.unwrap() }, fake.answer(json!({})));
    drop(clone);
    assert!(!matches!(fake.stream.next().await, Some(Ok(Message::Text(_)))));
}

#[test]
fn ids_stay_in_an_int32() {
    let (outgoing, _commands) = mpsc::channel(1);
    let calls = Arc::new(Mutex::new(Calls { last: i32::MAX - 1, ..Calls::default() }));
    let reader = Arc::new(CancellationToken::new().drop_guard());
    let client = Client { outgoing, calls, _reader: reader };
    assert_eq!(client.expect(oneshot::channel().0).unwrap(), i32::MAX);
    assert_eq!(client.expect(oneshot::channel().0).unwrap(), 1);
}
