import os

import sentry_sdk

sentry_sdk.init(dsn=os.environ["SENTRY_DSN"], release="report@1.0.0", environment="testing")
sentry_sdk.set_user({"id": "7", "email": "user@example.com"})
sentry_sdk.set_tag("language", "python")


def inner():
    raise ValueError("inner failed for 42")


def outer():
    inner()


try:
    outer()
except ValueError as error:
    sentry_sdk.capture_exception(error)
sentry_sdk.capture_message("a message from python")
sentry_sdk.flush(timeout=10)
