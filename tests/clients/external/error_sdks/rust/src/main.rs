use std::fmt;

#[derive(Debug)]
struct ReportError;

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "inner failed for 42")
    }
}

impl std::error::Error for ReportError {}

#[inline(never)]
fn inner() {
    sentry::capture_error(&ReportError);
}

#[inline(never)]
fn outer() {
    inner();
}

fn main() {
    let mut options = sentry::ClientOptions::default();
    options.release = Some("report@1.0.0".into());
    options.environment = Some("testing".into());
    options.attach_stacktrace = true;
    let _guard = sentry::init((std::env::var("SENTRY_DSN").unwrap(), options));
    sentry::configure_scope(|scope| {
        scope.set_user(Some(sentry::User {
            id: Some("7".into()),
            email: Some("user@example.com".into()),
            ..Default::default()
        }));
        scope.set_tag("language", "rust");
    });
    outer();
    sentry::capture_message("a message from rust", sentry::Level::Info);
}
