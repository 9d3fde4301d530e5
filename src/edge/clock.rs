//! What time it is.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since the Unix epoch; a clock before it counts as the epoch.
#[expect(clippy::disallowed_methods, reason = "this is where the time is read")]
pub fn seconds_since_epoch() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
