//! The count is right when the reference implementation gives the same.

use super::*;

fn check(text: &str) {
    let expected = tiktoken_rs::cl100k_base_singleton().encode_ordinary(text).len();
    assert_eq!(count_tokens(text) as usize, expected, "{:?}", text.chars().take(200).collect::<String>());
}

#[test]
fn counts_by_hand() {
    assert_eq!(count_tokens(""), 0);
    assert_eq!(count_tokens("hello world"), 2);
    assert_eq!(count_tokens("<|endoftext|>"), 7, "special tokens are plain text");
}

#[test]
fn every_branch_of_the_pattern_agrees_with_the_reference() {
    for text in [
        "I'm you're he'LL we'Ve 'S 'ſ 'x don't'",
        "a1b22c333d4444e55555",
        "  leading\t\ttabs \n\n  x  \r\n\r\n y   ",
        "trailing spaces   ",
        "trailing break \n",
        "!!!\n\n???\r\n ...x",
        " !  ! a !b",
        "über größe Ärger ÉCOLE",
        "日本語のテキスト、漢字とカナ。",
        "🚀 emoji 👩‍👩‍👧‍👦 flags 🇩🇪",
        "\u{a0}no\u{2003}break\u{3000}spaces\u{85}x",
        "Ⓐ ⅷ ² ½ ٣٤٥٦ १२३ ǅ ʰ",
        "combining e\u{301}a\u{308} हिन्दी தமிழ்",
        "export function f<T>(x: T[]): Promise<Map<string, T>> { return x?.y ?? `${z}`; }",
        "\0nul\u{1}\u{7f}",
        "____private__ $dollar #hash @decorator",
        "https://example.org/a/b?c=d&e=%20f#g",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0",
    ] {
        check(text);
        check(&format!("{text}{text}"));
        check(&format!("{text}\n  {text} "));
    }
}

#[test]
fn long_pieces_agree_with_the_reference() {
    check(&"a".repeat(5_000));
    check(&"ab".repeat(3_000));
    check(&"=".repeat(2_001));
    check(&" ".repeat(1_003));
    check(&"\n".repeat(777));
    check(&"AbCdEfGhIjK".repeat(300));
    for length in SHORT - 2..SHORT + 4 {
        check(&"xyzzyq".repeat(20)[..length]);
    }
}

#[test]
fn random_texts_agree_with_the_reference() {
    let alphabet: Vec<char> =
        "abcdeXYZ019 \t\n\r'\"!.,;(){}[]_-$äß漢🚀ſ\u{301}\u{a0}٣Ⅷslltvemrd".chars().collect();
    // A multiplicative congruential generator (Lehmer): the same texts in every run.
    let mut state = 48_271_u64;
    for length in 0..2_000_usize {
        let text: String = (0..length % 97)
            .map(|_| {
                state = state * 48_271 % 2_147_483_647;
                alphabet[usize::try_from(state).unwrap() % alphabet.len()]
            })
            .collect();
        check(&text);
    }
}

#[test]
fn source_files_agree_with_the_reference() {
    for text in
        [include_str!("tokens.rs"), include_str!("../model/facts.rs"), include_str!("../../Cargo.toml")]
    {
        check(text);
    }
}
