use proptest::prelude::*;

use super::*;
use crate::{
    browser::{
        discover::RunningEndpoint,
        installed::{Engine, Installed},
        rank::rank,
    },
    generated::{catalog::BROWSERS, events::SevenTab},
    host::{Os, system::fake::FakeSystem},
    tui::{
        style::Styles,
        text,
        virtual_terminal::{VirtualTerminal, assert_in_readme, assert_snapshot},
    },
};

const PROFILES: &str = "/home/ada/.config/slicc/seven-profiles";
const SIX: &str = "/home/ada/.local/state/slicc/profiles/browser-coding-agent-chrome";

fn machine(directories: &[&str]) -> FakeSystem {
    let mut system = FakeSystem::new(Os::Linux).with_env("HOME", "/home/ada");
    system.directories.extend(directories.iter().map(|&dir| dir.to_owned()));
    system
}

fn running(place: &str, name: &str, seven: bool, six: bool) -> RunningEndpoint {
    let tab = SevenTab { id: "A".into(), url: "https://seven.sliccy.ai/".into(), title: "seven".into() };
    RunningEndpoint {
        name: name.into(),
        version: Some("154.0.8037.98".into()),
        six,
        seven_tabs: if seven { vec![tab] } else { Vec::new() },
        ..RunningEndpoint::chrome_at(place)
    }
}

fn installed(id: &str, name: &str, version: Option<&str>) -> Installed {
    let engine = if id.starts_with("electron:") { Engine::Electron } else { Engine::Chromium };
    Installed { version: version.map(str::to_owned), ..Installed::new(id, name, engine, format!("/{id}")) }
}

/// A machine with one of everything.
fn picker() -> Picker {
    let profile = |name: &str| format!("{PROFILES}/{name}");
    let port = format!("{SIX}-5711");
    let (chrome, work) = (profile("chrome"), profile("work"));
    let system = machine(&[&chrome, &work, SIX, &port]);
    let endpoints = [
        running("127.0.0.1:9333", "Google Chrome", true, false),
        running("10.0.0.5:9222", "Brave", false, false),
        running("127.0.0.1:9222", "Google Chrome", true, true),
    ];
    let browsers = [
        installed("chrome", "Google Chrome", Some("154.0.8037.98")),
        installed("chromium", "Chromium", Some("150.0.7871.4")),
        installed("electron:slack", "Slack", Some("4.41.97")),
    ];
    Picker::new(rows(&system, &rank(endpoints, browsers)), None)
}

fn press(picker: &mut Picker, keys: &[Key]) -> Outcome {
    let mut outcome = Outcome::Stay;
    for &key in keys {
        assert_eq!(outcome, Outcome::Stay, "before {key:?}");
        outcome = picker.key(key);
    }
    outcome
}

fn typed(picker: &mut Picker, text: &str) {
    for c in text.chars() {
        assert_eq!(picker.key(Key::Char(c)), Outcome::Stay);
    }
}

fn shown(picker: &mut Picker, columns: u16, rows: u16) -> String {
    let mut terminal = VirtualTerminal::new(columns, rows);
    terminal.draw(|buffer| picker.draw(buffer, Styles::from_environment()));
    terminal.text()
}

/// A picked row of [`picker`].
fn browser(id: &str) -> PickedBrowser {
    let ids = ["cdp:127.0.0.1:9333", "cdp:10.0.0.5:9222", "chrome", "chromium", "electron:slack"];
    PickedBrowser { entry: ids.iter().position(|known| *known == id).unwrap(), profile: None }
}

#[test]
fn a_row_says_what_its_browser_is() {
    assert_snapshot("picker", &shown(&mut picker(), 100, 14));
}

#[test]
fn the_readme_shows_the_picker() {
    assert_in_readme(&shown(&mut picker(), 88, 12));
}

#[test]
fn it_can_be_used_at_any_size() {
    let sizes = [(80, 10), (50, 8), (40, 5), (30, 4), (20, 3), (20, 2), (8, 1)];
    let screens = sizes.map(|(columns, rows)| {
        let mut picker = picker();
        press(&mut picker, &[Key::Down, Key::Char(' ')]);
        format!("{columns}×{rows}\n{}", shown(&mut picker, columns, rows))
    });
    assert_snapshot("picker-sizes", &screens.join("\n\n"));
}

#[test]
fn enter_goes_with_the_row_of_the_cursor() {
    let outcome = press(&mut picker(), &[Key::Enter]);
    let host = PickedHost::Browser(browser("cdp:127.0.0.1:9333"));
    assert_eq!(outcome, Outcome::Go(Picked { host, extras: Vec::new() }));
    let outcome = press(&mut picker(), &[Key::Char('j'), Key::Down, Key::Char('k'), Key::Enter]);
    let host = PickedHost::Browser(browser("cdp:10.0.0.5:9222"));
    assert_eq!(outcome, Outcome::Go(Picked { host, extras: Vec::new() }));
}

#[test]
fn the_first_selected_row_hosts_seven_and_the_rest_are_extras_in_their_order() {
    let mut picker = picker();
    // Chromium, Slack, then Chrome; Chromium is taken out again.
    press(&mut picker, &[Key::Down, Key::Down, Key::Down, Key::Char(' ')]);
    press(&mut picker, &[Key::Up, Key::Char(' '), Key::Down, Key::Down, Key::Char(' ')]);
    press(&mut picker, &[Key::Home, Key::Char(' '), Key::Down, Key::Down, Key::Down, Key::Char(' ')]);
    assert_snapshot("picker-selected", &shown(&mut picker, 100, 14));
    let Outcome::Go(picked) = press(&mut picker, &[Key::Enter]) else { panic!("it goes") };
    assert_eq!(picked.host, PickedHost::Browser(browser("chrome")));
    assert_eq!(picked.extras, [browser("electron:slack"), browser("cdp:127.0.0.1:9333")]);
}

#[test]
fn an_electron_app_cannot_host_seven() {
    let mut picker = picker();
    press(&mut picker, &[Key::Down, Key::Down, Key::Down, Key::Down]);
    assert_eq!(press(&mut picker, &[Key::Enter]), Outcome::Stay);
    assert!(shown(&mut picker, 100, 14).contains("an Electron app can't host seven"));
    // The next key takes the note away.
    press(&mut picker, &[Key::Up]);
    assert!(!shown(&mut picker, 100, 14).contains("can't host"));
}

#[test]
fn nor_can_one_that_runs() {
    let mut app = running("127.0.0.1:9333", "Slack", false, false);
    app.kind = "electron".into();
    let mut picker = Picker::new(rows(&machine(&[]), &rank([app], [])), None);
    assert_eq!(press(&mut picker, &[Key::Enter]), Outcome::Stay);
    let screen = shown(&mut picker, 100, 14);
    assert!(screen.contains("an Electron app can't host seven") && !screen.contains("best match"), "{screen}");
}

#[test]
fn six_is_used_only_when_the_cursor_was_moved_there_or_it_was_selected() {
    let mut first = picker();
    assert!(!shown(&mut first, 100, 14).contains("9222  "), "a six endpoint is shown only through its row");
    let Outcome::Go(picked) = press(&mut first, &[Key::End, Key::Up, Key::Enter]) else { panic!("it goes") };
    assert_eq!(picked.host, PickedHost::Six(SixChoice { port: None }));
    let Outcome::Go(picked) = press(&mut picker(), &[Key::End, Key::Enter]) else { panic!("it goes") };
    assert_eq!(picked.host, PickedHost::Six(SixChoice { port: Some(5711) }));

    let mut alone = Picker::new(rows(&machine(&[SIX]), &[]), None);
    assert_eq!(press(&mut alone, &[Key::Enter]), Outcome::Stay, "six is never preselected");
    assert!(!shown(&mut alone, 100, 14).contains("best match"));
    assert_eq!(press(&mut alone, &[Key::Char(' '), Key::Enter]), Outcome::Stay, "nor selected without a cursor on it");
    assert!(matches!(press(&mut alone, &[Key::Down, Key::Enter]), Outcome::Go(_)));
}

#[test]
fn six_is_no_extra() {
    let mut picker = picker();
    press(&mut picker, &[Key::Char(' '), Key::End, Key::Char(' ')]);
    assert!(shown(&mut picker, 100, 14).contains("can only host seven"));
    let Outcome::Go(picked) = press(&mut picker, &[Key::Enter]) else { panic!("it goes") };
    assert_eq!(picked.extras, []);
}

#[test]
fn six_in_a_dir_that_the_environment_names_is_one_row() {
    let port = format!("{SIX}-5711");
    let system = machine(&["/data/six", SIX, &port]).with_env("SLICC_USER_DATA_DIR", "/data/six");
    let rows = rows(&system, &[]);
    assert_eq!(
        rows.iter().map(|row| row.subject.clone()).collect::<Vec<_>>(),
        [RowSubject::Six(SixChoice { port: None })]
    );
    assert!(self::rows(&machine(&[]), &[]).is_empty());
}

#[test]
fn p_chooses_a_profile_that_exists_or_a_new_one() {
    let mut picker = picker();
    press(&mut picker, &[Key::Down, Key::Down, Key::Char('p')]);
    assert_snapshot("picker-profiles", &shown(&mut picker, 60, 9));
    // `work`, which exists.
    press(&mut picker, &[Key::Down, Key::Enter]);
    assert!(shown(&mut picker, 100, 14).contains("installed · profile work"));
    // A new one.
    press(&mut picker, &[Key::Char('p'), Key::End, Key::Enter]);
    typed(&mut picker, "a q!");
    assert_snapshot("picker-new-profile", &shown(&mut picker, 60, 9));
    press(&mut picker, &[Key::Backspace, Key::Char('2'), Key::Enter]);
    assert!(shown(&mut picker, 100, 14).contains("installed · new SLICC profile a2"));
    let Outcome::Go(picked) = press(&mut picker, &[Key::Enter]) else { panic!("it goes") };
    let profile = Some(ProfileName::parse("a2").unwrap());
    assert_eq!(picked.host, PickedHost::Browser(PickedBrowser { profile, ..browser("chrome") }));
}

#[test]
fn escape_goes_back_and_changes_nothing() {
    let mut picker = picker();
    let before = shown(&mut picker, 100, 14);
    press(&mut picker, &[Key::Down, Key::Down, Key::Char('p'), Key::End, Key::Enter]);
    typed(&mut picker, "other");
    press(&mut picker, &[Key::Escape, Key::Escape, Key::Home]);
    assert_eq!(shown(&mut picker, 100, 14), before);
    assert_eq!(press(&mut picker, &[Key::Escape]), Outcome::Stay);
}

#[test]
fn a_new_profile_has_a_proper_name_that_is_not_six() {
    for (name, note) in
        [("", "type a name"), ("six", "SLICC six"), ("a.", "a profile's name"), ("..", "a profile's name")]
    {
        let mut picker = picker();
        press(&mut picker, &[Key::Down, Key::Down, Key::Char('p'), Key::End, Key::Enter]);
        typed(&mut picker, name);
        press(&mut picker, &[Key::Enter]);
        assert!(shown(&mut picker, 80, 9).contains(note), "{name}");
    }
    let mut long = picker();
    press(&mut long, &[Key::Down, Key::Down, Key::Char('p'), Key::End, Key::Enter]);
    typed(&mut long, &"x".repeat(200));
    assert!(shown(&mut long, 20, 9).contains("name: xxxxxxxxxxx_"));
}

#[test]
fn what_runs_and_what_is_an_app_has_no_profile_to_choose() {
    let mut picker = picker();
    for keys in [&[Key::Char('p')][..], &[Key::End, Key::Char('p')], &[Key::Up, Key::Up, Key::Char('p')]] {
        press(&mut picker, keys);
        assert!(picker.chooser.is_none() && picker.note.is_some());
    }
}

#[test]
fn two_browsers_do_not_share_a_profile() {
    let mut picker = picker();
    press(&mut picker, &[Key::Down, Key::Down, Key::Char(' '), Key::Down, Key::Char(' '), Key::Char('p')]);
    press(&mut picker, &[Key::Down, Key::Enter]);
    assert_eq!(press(&mut picker, &[Key::Enter]), Outcome::Stay);
    assert!(shown(&mut picker, 100, 14).contains("two browsers can't use the profile chrome"));
}

#[test]
fn the_profile_flag_is_for_the_browser_that_hosts_seven() {
    let browsers = [installed("chrome", "Google Chrome", None), installed("chromium", "Chromium", None)];
    let rows = rows(&machine(&[]), &rank([], browsers));
    let mut picker = Picker::new(rows, Some(ProfileName::parse("mine").unwrap()));
    press(&mut picker, &[Key::Char(' '), Key::Down, Key::Char(' ')]);
    let screen = shown(&mut picker, 100, 14);
    assert!(screen.contains("profile mine") && screen.contains("profile chromium"), "{screen}");
    let Outcome::Go(picked) = press(&mut picker, &[Key::Enter]) else { panic!("it goes") };
    let picked_row = |entry| PickedBrowser { entry, profile: None };
    assert_eq!((picked.host, picked.extras), (PickedHost::Browser(picked_row(0)), vec![picked_row(1)]));
}

#[test]
fn a_list_longer_than_the_terminal_scrolls_with_the_cursor() {
    let browsers = BROWSERS.iter().map(|known| installed(known.id, known.name, None));
    let mut picker = Picker::new(rows(&machine(&[]), &rank([], browsers)), None);
    assert_eq!(picker.rows.len(), BROWSERS.len(), "every id is the name of a profile");
    let mut terminal = VirtualTerminal::new(60, 6);
    for _ in 0..BROWSERS.len() + 3 {
        terminal.draw(|buffer| picker.draw(buffer, Styles::from_environment()));
        assert_eq!(terminal.text().lines().filter(|line| line.starts_with('>')).count(), 1, "{}", terminal.text());
        press(&mut picker, &[Key::Down]);
    }
    assert_snapshot("picker-scrolled", &terminal.text());
    terminal.resize(70, 9);
    press(&mut picker, &[Key::PageUp]);
    terminal.draw(|buffer| picker.draw(buffer, Styles::from_environment()));
    assert!(terminal.text().lines().any(|line| line.starts_with('>')), "{}", terminal.text());
}

#[test]
fn q_and_ctrl_c_quit() {
    assert_eq!(press(&mut picker(), &[Key::Char('q')]), Outcome::Quit);
    assert_eq!(press(&mut picker(), &[Key::Interrupt]), Outcome::Quit);
    let chooser = [Key::Down, Key::Down, Key::Char('p')];
    assert_eq!(press(&mut picker(), &[&chooser[..], &[Key::Char('q')]].concat()), Outcome::Quit);
    let typing = [Key::End, Key::Enter];
    assert_eq!(press(&mut picker(), &[&chooser[..], &typing, &[Key::Char('q')]].concat()), Outcome::Stay);
    assert_eq!(press(&mut picker(), &[&chooser[..], &typing, &[Key::Interrupt]].concat()), Outcome::Quit);
}

#[test]
fn an_empty_list_goes_nowhere() {
    let mut picker = Picker::new(Vec::new(), None);
    assert_eq!(press(&mut picker, &[Key::Down, Key::Char(' '), Key::Char('p'), Key::Enter]), Outcome::Stay);
    assert_eq!(shown(&mut picker, 40, 5).lines().count(), 5);
}

#[test]
fn a_browser_with_a_hostile_name_stays_in_its_row() {
    let name = "Evil\u{1b}[2J\u{7}\r\n\u{202e}七七\u{301}\u{301}\u{301}\u{301}\u{301} Browser";
    let mut picker = Picker::new(rows(&machine(&[]), &rank([running("127.0.0.1:9333", name, true, false)], [])), None);
    let mut terminal = VirtualTerminal::new(80, 6);
    terminal.draw(|buffer| picker.draw(buffer, Styles::from_environment()));
    let text = terminal.text();
    assert!(text.contains("Evil[2J 七七\u{301}\u{301}\u{301} Browser"), "{text}");
    assert!(!terminal.bytes.contains(&7) && !String::from_utf8_lossy(&terminal.bytes).contains('\u{202e}'));
}

#[test]
fn no_color_leaves_the_colours_out() {
    let drawn = |no_color: &str| {
        let mut terminal = VirtualTerminal::new(100, 14);
        let styles = Styles::new(Some(no_color.as_ref()));
        terminal.draw(|buffer| picker().draw(buffer, styles));
        String::from_utf8(terminal.bytes).unwrap()
    };
    // 39 and 49 are no colours, but the terminal's own.
    let colours = |bytes: &str| {
        let codes = bytes.split("\u{1b}[").filter_map(|code| code.split_once('m')).map(|(code, _)| code.to_owned());
        codes
            .filter(|code| code.starts_with("38") || code.starts_with("48") || matches!(code.as_str(), "32" | "33"))
            .count()
    };
    assert_eq!(colours(&drawn("1")), 0);
    assert_ne!(colours(&drawn("")), 0);
}

fn any_key() -> impl Strategy<Value = Key> {
    let keys =
        [Key::Up, Key::Down, Key::PageUp, Key::PageDown, Key::Home, Key::End, Key::Enter, Key::Escape, Key::Backspace];
    prop_oneof![
        prop::sample::select(keys.to_vec()),
        prop::sample::select(" pjkx._".chars().map(Key::Char).collect::<Vec<_>>()),
    ]
}

proptest! {
    // Each case draws many screens.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_pressed_at_any_size_what_is_picked_can_host_seven(
        keys in prop::collection::vec(any_key(), 0..40), columns in 1u16..120, height in 1u16..30,
    ) {
        let mut picker = picker();
        let mut terminal = VirtualTerminal::new(columns, height);
        for key in keys {
            terminal.draw(|buffer| picker.draw(buffer, Styles::from_environment()));
            match picker.key(key) {
                Outcome::Stay => {}
                Outcome::Quit => prop_assert!(false, "nobody quit"),
                Outcome::Go(picked) => {
                    let PickedHost::Browser(host) = picked.host else { continue };
                    prop_assert_ne!(host.entry, browser("electron:slack").entry);
                    prop_assert!(!picked.extras.contains(&host));
                }
            }
        }
    }

    #[test]
    fn whatever_a_browser_calls_itself_the_screen_has_only_text(name in any::<String>(), version in any::<String>()) {
        let mut endpoint = running("127.0.0.1:9333", &name, false, false);
        endpoint.version = Some(version);
        let mut picker = Picker::new(rows(&machine(&[]), &rank([endpoint], [])), None);
        let mut terminal = VirtualTerminal::new(60, 6);
        terminal.draw(|buffer| picker.draw(buffer, Styles::from_environment()));
        for line in terminal.text().lines() {
            prop_assert!(!line.chars().any(char::is_control));
            prop_assert!(text::width(line) <= 60);
        }
        prop_assert!(terminal.text().contains("CDP :9333"));
    }
}
