//! The hydrant command line.
fn main() {}
