//! Which of two versions is the newer one.

use std::cmp::Ordering;

/// Semantic versioning's order; a text that is no version counts as older than any.
pub(super) fn compare_versions(left: &str, right: &str) -> Ordering {
    let parse = |text: &str| {
        let text = text.trim_start_matches('v').split('+').next().unwrap_or_default().to_owned();
        let (core, pre) = match text.split_once('-') {
            Some((core, pre)) => (core.to_owned(), Some(pre.to_owned())),
            None => (text, None),
        };
        let numbers: Vec<u64> = core.split('.').map_while(|part| part.parse().ok()).collect();
        (numbers, pre)
    };
    let ((left, left_pre), (right, right_pre)) = (parse(left), parse(right));
    left.cmp(&right).then_with(|| match (left_pre, right_pre) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(left), Some(right)) => compare_pre_releases(&left, &right),
    })
}

/// Numbers before words, numbers by value, fewer parts before more.
fn compare_pre_releases(left: &str, right: &str) -> Ordering {
    let (mut left, mut right) = (left.split('.'), right.split('.'));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(left), Some(right)) => match (left.parse::<u64>(), right.parse::<u64>()) {
                (Ok(left), Ok(right)) => left.cmp(&right),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => left.cmp(right),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_semantic_versioning() {
        let ordered = [
            "0.9.0",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.10",
            "1.2.0",
            "10.0.0",
        ];
        for pair in ordered.windows(2) {
            assert_eq!(compare_versions(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare_versions(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
        assert_eq!(compare_versions("1.0.0+build", "v1.0.0"), Ordering::Equal);
    }
}
