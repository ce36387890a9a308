//! Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): an item's score is the sum over the lists that hold it of
//! `1 / (k + rank)`, with ranks from 1. Scores of different rankers need not be comparable, only their orders.

/// Fuses ranked lists of items `0..count`; each item at most once a list. Gives every item that is in a list, best first;
/// equal scores in the order of the item numbers, so number them by what breaks a tie.
#[must_use]
pub fn fuse(lists: &[&[usize]], count: usize, k: u32) -> Vec<usize> {
    let mut scores = vec![0.0_f64; count];
    for list in lists {
        for (rank, &item) in (1_u32..).zip(list.iter()) {
            scores[item] += 1.0 / (f64::from(k) + f64::from(rank));
        }
    }
    let mut items: Vec<usize> = (0..count).filter(|&item| scores[item] > 0.0).collect();
    items.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    items
}

#[cfg(test)]
mod tests {
    use super::fuse;

    #[test]
    fn agreement_wins() {
        // Item 2 is second in both lists: 2/62 > 1/61 + nothing.
        assert_eq!(fuse(&[&[0, 2], &[1, 2]], 4, 60), [2, 0, 1]);
    }

    #[test]
    fn ties_follow_the_item_numbers() {
        assert_eq!(fuse(&[&[3], &[1]], 4, 60), [1, 3]);
        assert_eq!(fuse(&[], 4, 60), [0; 0]);
    }
}
