/** User name and password for another server. */
export interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

const hidden = '*****';

/** Returns the decoded user and password of a URL. */
export function credentialsOf(url: URL): Credentials {
  return {
    ...(url.username === '' ? {} : { username: decoded(url.username) }),
    ...(url.password === '' ? {} : { password: decoded(url.password) }),
  };
}

/** Returns the URL without user and password. */
export function withoutCredentials(url: URL): string {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare.href;
}

/** Returns the URL with user and password masked for display; the generic user `git` stays visible. */
export function maskedUrl(url: URL): string {
  const masked = new URL(url);
  if (url.username !== '' && url.username !== 'git') masked.username = hidden;
  if (url.password !== '') masked.password = hidden;
  return masked.href;
}

/** Removes secrets from a message, plain or URL-encoded. */
export function withoutSecrets(text: string, { username, password }: Credentials): string {
  const secrets = [password, username === 'git' ? undefined : username].filter((secret) => (secret?.length ?? 0) > 3);
  const spellings = secrets.flatMap((secret = '') => [secret, encodeURIComponent(secret)]);
  return spellings.reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
