use proptest::prelude::*;

use super::*;
use crate::{
    generated::link::Cap,
    tui::{
        event::ForeignBrowser,
        style::Styles,
        virtual_terminal::{VirtualTerminal, assert_in_readme, assert_snapshot},
    },
};

const POLICY: &str = "every public address, this machine, and the local network";
const CAPS: [Cap; 4] = [Cap::Net, Cap::Http, Cap::Credentialed, Cap::Ws];

fn browser(id: &str, name: &str, role: Role, port: u16) -> SessionBrowser {
    SessionBrowser {
        id: id.into(),
        name: name.into(),
        version: Some("154.0.8037.98".into()),
        role,
        cdp: format!("http://127.0.0.1:{port}"),
        port,
        web_socket: Some(format!("ws://127.0.0.1:{port}/devtools/browser/secret")),
    }
}

/// A run with one of everything, and the time at its end.
fn model() -> (Model, Instant) {
    model_with("seven 七号机 cafe\u{301}", Some("bash -c"))
}

fn model_with(title: &str, compute: Option<&str>) -> (Model, Instant) {
    let start = Instant::now();
    let mut model = Model::new(start);
    let chrome = browser("chrome", "Google Chrome", Role::Seven, 53211);
    let extra = browser("cdp:127.0.0.1:9333", "Chromium", Role::Extra, 9333);
    let profile_dir = Some("/home/ada/.config/slicc/seven-profiles/chrome".to_owned());
    let events = [
        SessionEvent::Discovered { entries: Vec::new() },
        SessionEvent::Launched { browser: chrome.clone(), pid: 4242, profile: Some("chrome".into()), profile_dir },
        SessionEvent::Attached { browser: chrome, launched: true },
        SessionEvent::Attached { browser: extra, launched: false },
        SessionEvent::Offering { caps: CAPS.to_vec(), policy: POLICY.into(), compute: compute.map(str::to_owned) },
        SessionEvent::WaitingForSeven,
        SessionEvent::Tab { url: "https://seven.sliccy.ai/".into(), title: title.into() },
        SessionEvent::Connecting,
        linked("seven"),
        SessionEvent::Kernel(kernel::Notice::On { port: 80 }),
        SessionEvent::BrowserGone { id: "cdp:127.0.0.1:9333".into(), name: "Chromium".into(), role: Role::Extra },
    ];
    for (second, event) in (0..).zip(&events) {
        model.tell(event, start + Duration::from_secs(second));
    }
    for (kind, open, closed) in [(StreamKind::Http, 340, 338), (StreamKind::Tcp, 12, 11)] {
        for _ in 0..open {
            model.tell(&SessionEvent::StreamOpen { kind }, start);
        }
        for _ in 0..closed {
            model.tell(&SessionEvent::StreamClose { kind }, start);
        }
    }
    (model, start + Duration::from_secs(761 + 8))
}

fn linked(peer: &str) -> SessionEvent {
    SessionEvent::Linked {
        peer: peer.into(),
        tab: Some("https://seven.sliccy.ai/".into()),
        caps: CAPS.to_vec(),
        policy: POLICY.into(),
    }
}

fn shown(model: &Model, now: Instant, columns: u16, rows: u16) -> String {
    let mut terminal = VirtualTerminal::new(columns, rows);
    terminal.draw(|buffer| model.draw(buffer, Styles::from_environment(), now));
    terminal.text()
}

#[test]
fn it_shows_what_the_run_is_doing() {
    let (model, now) = model();
    assert_snapshot("dashboard", &shown(&model, now, 100, 22));
}

#[test]
fn the_readme_shows_the_dashboard() {
    let (model, now) = model_with("seven", None);
    assert_in_readme(&shown(&model, now, 96, 20));
}

#[test]
fn it_can_be_read_at_any_size() {
    let (model, now) = model();
    let sizes = [(80, 14), (60, 10), (40, 7), (30, 12), (20, 5), (20, 3), (10, 1)];
    let screens = sizes.map(|(columns, rows)| format!("{columns}×{rows}\n{}", shown(&model, now, columns, rows)));
    assert_snapshot("dashboard-sizes", &screens.join("\n\n"));
}

#[test]
fn the_link_waits_connects_is_linked_and_reconnects() {
    let start = Instant::now();
    let at = |seconds| start + Duration::from_secs(seconds);
    let mut model = Model::new(start);
    let first = |model: &Model, seconds| shown(model, at(seconds), 80, 10).lines().next().unwrap().to_owned();
    assert_eq!(first(&model, 0), "waiting for seven");
    assert_eq!(model.next_change(at(0)), None, "nothing counts, so nothing is drawn");
    model.tell(&SessionEvent::Connecting, at(1));
    assert_eq!(first(&model, 1), "connecting");
    model.tell(&linked("seven"), at(2));
    assert_eq!(first(&model, 63), "linked 1:01 with \"seven\"");
    let soon = at(63) + Duration::from_millis(200);
    assert_eq!(model.next_change(soon), Some(Duration::from_millis(800)));
    model.tell(&SessionEvent::LinkLost(DownReason::Gone("the page was reloaded".into())), at(64));
    assert_eq!(first(&model, 65), "reconnecting: waiting for seven to offer a link again");
    model.tell(&SessionEvent::WaitingForSeven, at(65));
    assert!(first(&model, 65).starts_with("reconnecting"));
    model.tell(&SessionEvent::Connecting, at(66));
    model.tell(&linked(""), at(66));
    assert_eq!(first(&model, 70), "linked 0:04", "the uptime is the link's");
    model.tell(&SessionEvent::LinkLost(DownReason::Exiting), at(71));
    assert_eq!(first(&model, 71), "closing");
}

#[test]
fn an_extra_that_does_not_answer_is_gone_until_it_is_back() {
    let (mut model, now) = model();
    let chromium = |model: &Model| {
        let screen = shown(model, now, 100, 22);
        screen.lines().find(|line| line.contains("Chromium")).unwrap().trim().to_owned()
    };
    assert_eq!(chromium(&model), "Chromium 154.0.8037.98 · gone · extra · CDP :9333 · attached");
    let back =
        SessionEvent::BrowserBack { id: "cdp:127.0.0.1:9333".into(), name: "Chromium".into(), role: Role::Extra };
    model.tell(&back, now);
    assert_eq!(chromium(&model), "Chromium 154.0.8037.98 · extra · CDP :9333 · attached");
}

#[test]
fn a_stream_that_ends_after_its_link_leaves_no_count_below_zero() {
    let (mut model, now) = model();
    for _ in 0..5 {
        model.tell(&SessionEvent::StreamClose { kind: StreamKind::Tcp }, now);
    }
    assert!(shown(&model, now, 100, 22).contains("tcp 0/12 · http 2/340"));
}

#[test]
fn q_and_ctrl_c_ask_for_the_end_and_the_screen_says_so() {
    let (mut model, now) = model();
    assert_eq!(model.key(Key::Char('x')), Asked::Nothing);
    assert_eq!(model.key(Key::Char('q')), Asked::Quit);
    assert_eq!(model.key(Key::Interrupt), Asked::Quit, "the second ends at once");
    let screen = shown(&model, now, 100, 22);
    assert!(screen.starts_with("closing") && screen.ends_with("Ctrl-C ends at once"), "{screen}");
}

#[test]
fn the_log_is_bounded_and_its_last_line_is_on_the_screen() {
    let (mut model, now) = model();
    for line in 0..5000 {
        model.tell(&SessionEvent::Status(format!("line {line}")), now);
    }
    assert_eq!(model.log.len(), LOG);
    assert!(shown(&model, now, 60, 20).contains("line 4999"));
}

#[test]
fn long_status_lines_are_broken_between_words() {
    let start = Instant::now();
    let mut model = Model::new(start);
    let foreign = ForeignBrowser {
        id: "cdp:127.0.0.1:9222".into(),
        name: "Google Chrome".into(),
        profile: Some("default".into()),
        cdp: "http://127.0.0.1:9222".into(),
        opened_tab: true,
    };
    model.tell(&SessionEvent::Foreign(foreign), start);
    assert_snapshot("dashboard-long-line", &shown(&model, start, 60, 10));
}

#[test]
fn the_websocket_of_a_browser_is_never_shown() {
    let (model, now) = model();
    assert!(!shown(&model, now, 200, 60).contains("secret"));
}

#[test]
fn a_resized_window_is_drawn_anew() {
    let (model, now) = model();
    let mut terminal = VirtualTerminal::new(100, 22);
    for (columns, rows) in [(100, 22), (20, 3), (60, 10), (100, 22)] {
        terminal.resize(columns, rows);
        terminal.draw(|buffer| model.draw(buffer, Styles::from_environment(), now));
        assert_eq!(terminal.text(), shown(&model, now, columns, rows));
    }
}

#[test]
fn no_title_name_or_reason_steers_the_terminal() {
    let evil = "\u{1b}]0;owned\u{7}\u{9b}2J\r\n\u{202e}七\u{301}\u{301}\u{301}\u{301}\u{200b}";
    let start = Instant::now();
    let mut model = Model::new(start);
    let mut host = browser("chrome", evil, Role::Seven, 1);
    host.version = Some(evil.into());
    let events = [
        SessionEvent::Launched { browser: host, pid: 1, profile: Some(evil.into()), profile_dir: None },
        SessionEvent::Tab { url: evil.into(), title: evil.into() },
        linked(evil),
        SessionEvent::Offering { caps: Vec::new(), policy: evil.into(), compute: Some(evil.into()) },
        SessionEvent::Status(evil.into()),
        SessionEvent::Error { message: evil.into(), browser: None },
        SessionEvent::LinkLost(DownReason::Bye(evil.into())),
    ];
    let mut terminal = VirtualTerminal::new(60, 20);
    for event in &events {
        model.tell(event, start);
        terminal.draw(|buffer| model.draw(buffer, Styles::from_environment(), start));
    }
    let bytes = String::from_utf8(terminal.bytes.clone()).unwrap();
    for steering in ["\u{1b}]", "\u{7}", "\u{9b}", "\u{202e}", "\u{200b}", "\u{1b}[2J"] {
        assert!(!bytes.contains(steering), "{steering:?}");
    }
    assert!(terminal.text().contains("]0;owned2J 七\u{301}\u{301}\u{301}"), "{}", terminal.text());
}

fn any_event() -> impl Strategy<Value = SessionEvent> {
    let role = prop_oneof![Just(Role::Seven), Just(Role::Extra)];
    let any_browser = ("[a-c]", any::<String>(), role, 1u16..).prop_map(|(id, name, role, port)| {
        let cdp = format!("http://127.0.0.1:{port}");
        SessionBrowser { id, name, version: None, role, cdp, port, web_socket: None }
    });
    let kind = prop::sample::select(StreamKind::ALL.to_vec());
    prop_oneof![
        (any_browser, any::<bool>()).prop_map(|(browser, launched)| SessionEvent::Attached { browser, launched }),
        (any::<String>(), any::<String>()).prop_map(|(url, title)| SessionEvent::Tab { url, title }),
        any::<String>().prop_map(|peer| linked(&peer)),
        any::<String>().prop_map(|reason| SessionEvent::LinkLost(DownReason::Bye(reason))),
        any::<String>().prop_map(SessionEvent::Status),
        kind.clone().prop_map(|kind| SessionEvent::StreamOpen { kind }),
        kind.prop_map(|kind| SessionEvent::StreamClose { kind }),
        "[a-c]".prop_map(|id| SessionEvent::BrowserGone { name: id.clone(), id, role: Role::Extra }),
        Just(SessionEvent::Connecting),
        Just(SessionEvent::TabGone),
        Just(SessionEvent::WaitingForSeven),
    ]
}

proptest! {
    // Each case draws many screens.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_happens_every_size_shows_text_alone(
        events in prop::collection::vec(any_event(), 0..30), columns in 1u16..120, rows in 1u16..40,
    ) {
        let start = Instant::now();
        let mut model = Model::new(start);
        let mut terminal = VirtualTerminal::new(columns, rows);
        for event in &events {
            model.tell(event, start);
            terminal.draw(|buffer| model.draw(buffer, Styles::from_environment(), start));
            for line in terminal.text().lines() {
                prop_assert!(!line.chars().any(char::is_control));
                prop_assert!(text::width(line) <= usize::from(columns));
            }
        }
    }
}
