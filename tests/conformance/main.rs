//! Talos' own code judges what hydrant does: every spec goes through the bootstrap provider's base and
//! patcher and a node's loader and validator, before and after hydration.
//!
//! It needs the programs that `tests/talos/build.sh` makes; `make conformance` does both. What the
//! controllers around Talos' library do, and what hydrant's own files look like, is not tested here.
//!
//! `HYDRANT_CONFORMANCE_SPECS` says how many specs are generated (300), `HYDRANT_CONFORMANCE_SEED`
//! from which seed (1), `HYDRANT_CONFORMANCE_ORACLES` where the programs are (`target/talos`).

#![expect(
    clippy::disallowed_methods,
    reason = "the suite starts the oracles and reads its settings, and is not the program"
)]

mod ambiguous;
mod case;
mod chance;
mod drawing;
mod generate;
mod hand;
mod judge;
mod menu;
mod oracle;
mod reading;
mod releases;
mod rows;
mod rules;
mod seam;
mod shrink;
mod specs;
mod stage;
mod trust;
mod units;
mod wrong;
