//! What must not be hydrated, put into a spec that could be.

mod lists;
mod units;

use super::case::Label;
use super::chance::Chance;
use super::drawing::Drawing;

/// Makes a spec ambiguous or broken, and says how it must be answered; `None` where the target cannot
/// hold it.
type Change = fn(&mut Drawing<'_>) -> Option<Label>;

/// One such change: of what is said, before it is written down, or of the patch lists afterwards.
#[derive(Clone, Copy)]
pub(crate) enum Twist {
    Units(Change),
    Lists(Change),
}

impl Twist {
    pub(crate) fn draw(chance: &mut Chance) -> Self {
        let (units, lists) = (units::ALL, lists::ALL);
        match chance.below(units.len() + lists.len()) {
            index if index < units.len() => Self::Units(units[index]),
            index => Self::Lists(lists[index - units.len()]),
        }
    }

    pub(crate) fn apply_to_units(self, drawing: &mut Drawing<'_>) {
        if let Self::Units(change) = self
            && let Some(label) = change(drawing)
        {
            drawing.label = label;
        }
    }

    pub(crate) fn apply_to_lists(self, drawing: &mut Drawing<'_>) {
        if let Self::Lists(change) = self
            && let Some(label) = change(drawing)
        {
            drawing.label = label;
        }
    }
}
