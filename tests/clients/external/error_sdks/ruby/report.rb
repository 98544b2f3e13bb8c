require 'sentry-ruby'

Sentry.init do |config|
  config.dsn = ENV.fetch('SENTRY_DSN')
  config.release = 'report@1.0.0'
  config.environment = 'testing'
  config.background_worker_threads = 0
end
Sentry.set_user(id: '7', email: 'user@example.com')
Sentry.set_tags(language: 'ruby')

def inner
  raise ArgumentError, 'inner failed for 42'
end

def outer
  inner
end

begin
  outer
rescue ArgumentError => error
  Sentry.capture_exception(error)
end
Sentry.capture_message('a message from ruby')
