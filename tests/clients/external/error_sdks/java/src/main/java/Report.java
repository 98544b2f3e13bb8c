import io.sentry.Sentry;
import io.sentry.protocol.User;

public class Report {
  static void inner() {
    throw new IllegalStateException("inner failed for 42");
  }

  static void outer() {
    inner();
  }

  public static void main(String[] args) {
    Sentry.init(options -> {
      options.setDsn(System.getenv("SENTRY_DSN"));
      options.setRelease("report@1.0.0");
      options.setEnvironment("testing");
    });
    Sentry.configureScope(scope -> {
      User user = new User();
      user.setId("7");
      user.setEmail("user@example.com");
      scope.setUser(user);
      scope.setTag("language", "java");
    });
    try {
      outer();
    } catch (IllegalStateException error) {
      Sentry.captureException(error);
    }
    Sentry.captureMessage("a message from java");
    Sentry.flush(10000);
    Sentry.close();
  }
}
