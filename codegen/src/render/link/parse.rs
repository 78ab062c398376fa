//! How generated code reads a field of a peer's OPEN, and what it says when the field isn't allowed.

use std::fmt::Write as _;

use crate::{
    model::link::{Default, Field, FieldType, Link, Scalar, Shape, field::Bound},
    render::text::{digits, quoted, snake},
};

/// The expression that reads a field out of `open`, or returns a `FieldError`.
pub fn expression(link: &Link, field: &Field) -> String {
    let name = quoted(&field.name);
    match field.kind {
        FieldType::Flag => return format!("flag(open, {name})"),
        FieldType::Truthy => return format!("truthy(open, {name})"),
        _ => {}
    }
    let function = match (field.optional || field.default.is_some(), field.null_is_missing) {
        (false, _) => "required",
        (true, false) => "optional",
        (true, true) => "optional_or_null",
    };
    let missing = match &field.default {
        None if field.optional && field.kind.is_collection() => ".unwrap_or_default()".to_owned(),
        None => String::new(),
        Some(Default::Bool(_)) => ".unwrap_or_default()".to_owned(),
        Some(Default::Text(text)) if field.kind == FieldType::Text && text.is_empty() => {
            ".unwrap_or_default()".to_owned()
        }
        Some(Default::Text(text)) if field.kind == FieldType::Text => {
            format!(".unwrap_or_else(|| {}.into())", quoted(text))
        }
        Some(Default::Text(limit)) => format!(".unwrap_or({})", constant(link, limit, field)),
        Some(Default::Number(number)) => format!(".unwrap_or({})", digits(*number)),
    };
    format!("{function}(open, {name}, {}, {})?{missing}", quoted(&problem(link, field)), reader(link, field))
}

/// The function that reads a field's value, as `Fn(&Value) -> Option<T>`.
fn reader(link: &Link, field: &Field) -> String {
    let mut filters = String::new();
    if field.non_empty {
        let _ = write!(filters, ".filter(|it| !it.is_empty())");
    }
    let base = match &field.kind {
        FieldType::Text => {
            if let Some(shape) = &field.shape {
                let _ = write!(filters, ".filter(|it| shapes::{}(it))", snake(shape));
            }
            "text"
        }
        FieldType::Integer(scalar) => {
            filters.push_str(&bounds(link, field, *scalar));
            match scalar {
                Scalar::U8 => "integer::<u8>",
                Scalar::U16 => "integer::<u16>",
                Scalar::U32 => "integer::<u32>",
                Scalar::U64 => "Value::as_u64",
            }
        }
        FieldType::Number => "Value::as_f64",
        FieldType::Bool => "Value::as_bool",
        FieldType::Texts => "texts",
        FieldType::Pairs => "pairs",
        FieldType::Map => return map_reader(link, field),
        FieldType::Named(name) => return format!("object::<{name}>"),
        FieldType::List(name) => return format!("object::<Vec<{name}>>"),
        // The model lets neither a flag nor a static text come here.
        FieldType::Flag | FieldType::Truthy | FieldType::Static | FieldType::Statics => "text",
    };
    if filters.is_empty() { base.to_owned() } else { format!("|value| {base}(value){filters}") }
}

fn map_reader(link: &Link, field: &Field) -> String {
    let shape = |name: &Option<String>| {
        name.as_ref().map_or_else(|| "|_| true".to_owned(), |name| format!("shapes::{}", snake(name)))
    };
    let items = match &field.max_items {
        Some(Bound::Limit(limit)) => format!("limits::{limit}"),
        Some(items) => items.value(link).map_or_else(|| "usize::MAX".into(), digits),
        None => "usize::MAX".into(),
    };
    format!("|value| map(value, {items}, {}, {})", shape(&field.key_shape), shape(&field.shape))
}

/// A limit as an expression of the field's type.
fn constant(link: &Link, limit: &str, field: &Field) -> String {
    let own = link.limit.iter().find(|it| it.name == limit).and_then(|it| it.rust_type);
    match field.kind {
        FieldType::Integer(scalar) if own != Some(scalar) => format!("limits::{limit} as {}", scalar.rust()),
        _ => format!("limits::{limit}"),
    }
}

fn bounds(link: &Link, field: &Field, scalar: Scalar) -> String {
    if !field.values.is_empty() {
        let values: Vec<_> = field.values.iter().map(|value| digits(*value)).collect();
        return format!(".filter(|it| matches!(it, {}))", values.join(" | "));
    }
    let min = field.min.filter(|min| *min > 0).map(digits);
    let max = match &field.max {
        Some(Bound::Limit(limit)) => Some(constant(link, limit, field)),
        Some(Bound::Number(max)) if *max < scalar.max() => Some(digits(*max)),
        _ => None,
    };
    match (min, max) {
        (Some(min), Some(max)) => format!(".filter(|it| ({min}..={max}).contains(it))"),
        (Some(min), None) => format!(".filter(|it| *it >= {min})"),
        (None, Some(max)) => format!(".filter(|it| *it <= {max})"),
        (None, None) => String::new(),
    }
}

/// `a, b or c`.
pub fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// What is wrong with a field whose value isn't allowed: `must be …`, without that value.
pub fn problem(link: &Link, field: &Field) -> String {
    match &field.kind {
        FieldType::Text => match field.shape.as_ref().and_then(|name| link.shape(name)) {
            Some(shape) => format!("must match {}", pattern(link, shape)),
            None if field.non_empty => "must be a non-empty string".into(),
            None => "must be a string".into(),
        },
        FieldType::Integer(scalar) if field.values.is_empty() => {
            let max = field.max.as_ref().and_then(|max| max.value(link)).unwrap_or(scalar.max());
            let min = field.min.unwrap_or(0);
            if max == u64::MAX && min == 0 {
                "must be an integer that isn't negative".into()
            } else if max == u64::MAX {
                format!("must be an integer of at least {min}")
            } else {
                format!("must be an integer from {min} to {max}")
            }
        }
        FieldType::Integer(_) => {
            format!("must be {}", list(&field.values.iter().map(u64::to_string).collect::<Vec<_>>()))
        }
        FieldType::Number => "must be a number".into(),
        FieldType::Bool | FieldType::Flag | FieldType::Truthy => "must be true or false".into(),
        FieldType::Texts if field.non_empty => "must be a non-empty list of strings".into(),
        FieldType::Texts => "must be a list of strings".into(),
        FieldType::Pairs => "must be a list of [name, value] pairs of strings".into(),
        FieldType::Map => {
            let part = |name: &Option<String>| {
                let shape = name.as_ref().and_then(|name| link.shape(name));
                shape.map_or_else(|| "anything".into(), |shape| pattern(link, shape))
            };
            let (keys, values) = (part(&field.key_shape), part(&field.shape));
            match field.max_items.as_ref().and_then(|items| items.value(link)) {
                Some(items) => format!("must hold at most {items} strings, from {keys} to {values}"),
                None => format!("must hold strings, from {keys} to {values}"),
            }
        }
        FieldType::Named(name) => match link.choice.iter().find(|choice| choice.name == *name) {
            Some(choice) => {
                format!("must be {}", list(&choice.values.iter().map(|value| value.name.clone()).collect::<Vec<_>>()))
            }
            None => format!("must be an object, {name}"),
        },
        FieldType::List(name) => format!("must be a list of objects, {name}"),
        FieldType::Static | FieldType::Statics => "must be text".into(),
    }
}

/// A shape as a regular expression.
pub fn pattern(link: &Link, shape: &Shape) -> String {
    let class = |entries: &[String]| format!("[{}]", entries.concat());
    let max = shape.max.value(link).unwrap_or(shape.min);
    if shape.first == shape.rest {
        return format!("^{}{{{},{max}}}$", class(&shape.first), shape.min);
    }
    let rest = format!("{}{}{{{},{}}}", class(&shape.first), class(&shape.rest), shape.min.max(1) - 1, max.max(1) - 1);
    if shape.min == 0 { format!("^(?:{rest})?$") } else { format!("^{rest}$") }
}
