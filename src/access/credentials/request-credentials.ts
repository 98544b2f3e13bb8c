/** The credentials of a request. */
export type Credentials =
  | { readonly kind: 'none' }
  /** The Authorization header cannot be parsed. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string };

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const text = (value: string | string[] | undefined) => (typeof value === 'string' && value !== '' ? value : undefined);

/** Parses the credentials of git, LFS and package managers: HTTP Basic, or a token in one of the API's headers. */
export function readCredentials(headers: Headers): Credentials {
  const authorization = text(headers.authorization);
  if (authorization !== undefined) {
    const [, scheme = '', value = ''] = /^(\S+)\s+(\S.*)?$/.exec(authorization) ?? [];
    if (/^basic$/i.test(scheme)) return readBasic(value);
    if (/^bearer$/i.test(scheme) && value !== '') return { kind: 'token', token: value.trim() };
    return { kind: 'unreadable' };
  }
  const token = text(headers['private-token']);
  return token === undefined ? { kind: 'none' } : { kind: 'token', token };
}

function readBasic(value: string): Credentials {
  const pair = Buffer.from(value, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 0) return { kind: 'unreadable' };
  const credentials = { username: pair.slice(0, colon), password: pair.slice(colon + 1) };
  // git sends an empty pair when its user presses return at both prompts.
  if (credentials.username === '' && credentials.password === '') return { kind: 'none' };
  return { kind: 'basic', ...credentials };
}
