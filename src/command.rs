//! The verbs, one file each: gather facts with `edge`, call the pure rooms, hand back what was
//! found.
//!
//! No verb prints anything but its data, ends the program, or decides how a finding looks.

pub mod secret;
