/** Who somebody is to another server. */
export interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

const hidden = '*****';

/** The user and the password of an address, decoded. */
export function credentialsOf(url: URL): Credentials {
  return {
    ...(url.username === '' ? {} : { username: decoded(url.username) }),
    ...(url.password === '' ? {} : { password: decoded(url.password) }),
  };
}

/** The address without user and password. */
export function withoutCredentials(url: URL): string {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare.href;
}

/** The address as anybody may see it: who has one sees that there is a user, and the one that says nothing, `git`. */
export function maskedUrl(url: URL): string {
  const masked = new URL(url);
  if (url.username !== '' && url.username !== 'git') masked.username = hidden;
  if (url.password !== '') masked.password = hidden;
  return masked.href;
}

/** A message without the secrets that it may quote, in any of their spellings. */
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
