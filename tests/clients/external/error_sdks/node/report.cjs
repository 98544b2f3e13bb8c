const Sentry = require('@sentry/node');

Sentry.init({ dsn: process.env.SENTRY_DSN, release: 'report@1.0.0', environment: 'testing' });
Sentry.setUser({ id: '7', email: 'user@example.com' });
Sentry.setTag('language', 'node');

function inner() {
  throw new TypeError('inner failed for 42');
}

function outer() {
  inner();
}

try {
  outer();
} catch (error) {
  Sentry.captureException(error);
}
Sentry.captureMessage('a message from node');
Sentry.flush(10_000).then((sent) => process.exit(sent ? 0 : 1));
