<?php

require __DIR__ . '/vendor/autoload.php';

Sentry\init(['dsn' => getenv('SENTRY_DSN'), 'release' => 'report@1.0.0', 'environment' => 'testing']);
Sentry\configureScope(function (Sentry\State\Scope $scope): void {
    $scope->setUser(['id' => '7', 'email' => 'user@example.com']);
    $scope->setTag('language', 'php');
});

function inner(): void
{
    throw new RuntimeException('inner failed for 42');
}

function outer(): void
{
    inner();
}

try {
    outer();
} catch (RuntimeException $error) {
    Sentry\captureException($error);
}
Sentry\captureMessage('a message from php');
