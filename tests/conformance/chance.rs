//! Chance that can be repeated: the same seed draws the same.

/// Splitmix64: small, and the same on every machine and in every release, unlike a crate's generator.
pub(crate) struct Chance(u64);

impl Chance {
    /// Draw number `index` of the seed.
    pub(crate) fn new(seed: u64, index: u64) -> Self {
        let mut chance = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ index);
        chance.next();
        chance.next();
        chance
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Less than `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let count = u64::try_from(count).expect("a count fits");
        usize::try_from(self.next() % count).expect("less than a usize")
    }

    /// True in so many of a hundred draws.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.below(list.len())]
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for end in (1..list.len()).rev() {
            list.swap(end, self.below(end + 1));
        }
    }
}

#[test]
fn a_seed_and_an_index_always_draw_the_same() {
    let draw = |seed, index| {
        let mut chance = Chance::new(seed, index);
        [chance.next(), chance.next()]
    };

    assert_eq!(draw(1, 7), draw(1, 7));
    assert_ne!(draw(1, 7), draw(1, 8));
    assert_ne!(draw(1, 7), draw(2, 7));
}
