package main

import (
	"fmt"
	"os"
	"time"

	"github.com/getsentry/sentry-go"
)

type reportError struct{ text string }

func (e *reportError) Error() string { return e.text }

func inner() {
	sentry.CaptureException(&reportError{"inner failed for 42"})
}

func outer() { inner() }

func main() {
	err := sentry.Init(sentry.ClientOptions{Dsn: os.Getenv("SENTRY_DSN"), Release: "report@1.0.0", Environment: "testing", AttachStacktrace: true})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	sentry.ConfigureScope(func(scope *sentry.Scope) {
		scope.SetUser(sentry.User{ID: "7", Email: "user@example.com"})
		scope.SetTag("language", "go")
	})
	outer()
	sentry.CaptureMessage("a message from go")
	if !sentry.Flush(10 * time.Second) {
		os.Exit(1)
	}
}
