//! The seven tabs in a browser's `/json/list` (section "Browsers" of the requirement). Every other target is dropped while
//! the list is parsed, so that nothing can log, print or send what else is open.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, SeqAccess, Visitor},
};

use crate::{browser::origin::SevenOrigins, generated::events::SevenTab};

/// The longest `/json/list` that is read, in bytes: titles and URLs of some thousand targets.
pub const MAX_LIST: usize = 4 << 20;
/// The most seven tabs that are kept of a browser.
const MAX_TABS: usize = 256;

/// The tabs of a `/json/list` that show seven, in the list's order. A list that can't be read has none.
pub fn parse_seven_tabs(body: &[u8], origins: &SevenOrigins) -> Vec<SevenTab> {
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let tabs = SevenTabs(origins).deserialize(&mut deserializer);
    // The error would quote the list, so it goes nowhere.
    tabs.ok().filter(|_| deserializer.end().is_ok()).unwrap_or_default()
}

/// The fields of a target that matter, each of any type: a strange target must not hide the tabs beside it.
#[derive(Deserialize)]
struct Target<'a> {
    #[serde(rename = "type", default, borrow, deserialize_with = "text")]
    kind: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "text")]
    id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "text")]
    url: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "text")]
    title: Option<Cow<'a, str>>,
}

impl Target<'_> {
    fn seven_tab(self, origins: &SevenOrigins) -> Option<SevenTab> {
        if self.kind.as_deref() != Some("page") {
            return None;
        }
        let url = self.url.filter(|url| origins.is_seven(url).is_some())?;
        let id = self.id.filter(|id| !id.is_empty())?;
        Some(SevenTab {
            id: id.into_owned(),
            url: url.into_owned(),
            title: self.title.unwrap_or_default().into_owned(),
        })
    }
}

/// A text; `None` for a value of another type.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    struct Text;
    impl<'de> Visitor<'de> for Text {
        type Value = Option<Cow<'de, str>>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a value")
        }
        fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok(Some(Cow::Borrowed(text)))
        }
        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Some(Cow::Owned(text.to_owned())))
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            Ok(None)
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
            while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(None)
        }
    }
    deserializer.deserialize_any(Text)
}

struct SevenTabs<'a>(&'a SevenOrigins);

impl<'de> DeserializeSeed<'de> for SevenTabs<'_> {
    type Value = Vec<SevenTab>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for SevenTabs<'_> {
    type Value = Vec<SevenTab>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of targets")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut targets: A) -> Result<Self::Value, A::Error> {
        let mut tabs = Vec::new();
        while let Some(target) = targets.next_element::<Target<'de>>()? {
            if tabs.len() < MAX_TABS {
                tabs.extend(target.seven_tab(self.0));
            }
        }
        Ok(tabs)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn tabs(list: &Value) -> Vec<SevenTab> {
        parse_seven_tabs(list.to_string().as_bytes(), &SevenOrigins::default())
    }

    fn page(id: &str, url: &str) -> Value {
        json!({ "type": "page", "id": id, "url": url, "title": "seven", "webSocketDebuggerUrl": "ws://127.0.0.1/x" })
    }

    #[test]
    fn only_pages_on_a_seven_origin_are_kept_in_order() {
        let mut list: Vec<Value> = [
            "https://lars.sliccy.ai/",
            "https://seven.sliccy.ai:443/x",
            "https://www.sliccy.ai/",
            "https://sliccy.ai/",
            "http://seven.sliccy.ai/",
            "https://seven.sliccy.ai:8443/",
            "https://a.b.sliccy.ai/",
            "https://seven.sliccy.ai.evil.test/",
            "https://vault.sliccy.ai/",
        ]
        .iter()
        .enumerate()
        .map(|(at, url)| page(&at.to_string(), url))
        .collect();
        for kind in ["iframe", "service_worker"] {
            list.push(json!({ "type": kind, "id": kind, "url": "https://seven.sliccy.ai/", "title": "" }));
        }
        let kept = tabs(&list.into());
        let kept: Vec<_> = kept.iter().map(|tab| (tab.id.as_str(), tab.url.as_str(), tab.title.as_str())).collect();
        assert_eq!(kept, [("0", "https://lars.sliccy.ai/", "seven"), ("1", "https://seven.sliccy.ai:443/x", "seven")]);
    }

    #[test]
    fn a_strange_target_does_not_hide_the_tabs_beside_it() {
        let strange = json!({ "type": ["page"], "id": 7, "url": { "a": [null] }, "title": 1.5 });
        assert_eq!(tabs(&json!([strange, page("A", "https://seven.sliccy.ai/")])).len(), 1);
        let mut untitled = page("A", "https://seven.sliccy.ai/");
        untitled["title"] = Value::Null;
        assert_eq!(tabs(&json!([untitled]))[0].title, "");
    }

    #[test]
    fn a_list_that_is_no_list_has_no_tabs() {
        let whole = json!([page("A", "https://seven.sliccy.ai/")]).to_string();
        for body in ["", "{}", "null", "[1]", "[{]", &whole[..whole.len() - 1], &format!("{whole} x")] {
            assert_eq!(parse_seven_tabs(body.as_bytes(), &SevenOrigins::default()), [], "{body}");
        }
    }

    #[test]
    fn a_browser_cannot_list_tabs_without_end() {
        let list: Vec<_> = (0..1000).map(|at| page(&at.to_string(), "https://seven.sliccy.ai/")).collect();
        assert_eq!(tabs(&list.into()).len(), MAX_TABS);
    }

    proptest! {
        #[test]
        fn any_list_is_read_or_dropped(body in prop::collection::vec(any::<u8>(), 0..256)) {
            let _ = parse_seven_tabs(&body, &SevenOrigins::default());
        }

        #[test]
        fn what_is_kept_shows_seven(urls in prop::collection::vec("(https?://)?[a-z.]{0,8}\\.?sliccy\\.ai[:/a-z0-9]{0,8}", 0..8)) {
            let list: Vec<_> = urls.iter().map(|url| page("A", url)).collect();
            for tab in tabs(&list.into()) {
                prop_assert!(SevenOrigins::default().is_seven(&tab.url).is_some());
            }
        }
    }
}
