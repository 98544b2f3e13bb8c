import { NoKey } from './refusal.ts';

const longestKey = 255;

/** What an SDK may show its key in, besides the body. */
export interface KeySources {
  readonly query: Readonly<Record<string, unknown>>;
  readonly sentryAuth: string | undefined;
  readonly authorization: string | undefined;
}

/** The key of a request, by its query or else its headers; undefined when neither holds one, and the body has to. */
export function keyOfRequest({ query, sentryAuth, authorization }: KeySources): string | undefined {
  const { sentry_key: asked } = query;
  if (typeof asked === 'string') return checked(asked);
  if (sentryAuth !== undefined) return checked(keyOfHeader(sentryAuth));
  if (authorization === undefined) return undefined;
  if (/^basic\s/i.test(authorization)) return checked(keyOfBasic(authorization));
  return /^sentry\s/i.test(authorization) ? checked(keyOfHeader(authorization)) : undefined;
}

/** `Sentry sentry_version=7,sentry_key=...`: the order of the pairs and the spaces between them differ by SDK. */
function keyOfHeader(header: string): string | undefined {
  for (const pair of header.replace(/^\s*sentry\s+/i, '').split(',')) {
    const equals = pair.indexOf('=');
    if (equals >= 0 && pair.slice(0, equals).trim() === 'sentry_key') return pair.slice(equals + 1);
  }
  return undefined;
}

function keyOfBasic(header: string): string | undefined {
  const text = Buffer.from(header.replace(/^basic\s+/i, ''), 'base64').toString('utf8');
  return text.split(':', 1)[0];
}

/** A key that no row can have is refused without a look into the database. */
function checked(given: string | undefined): string {
  const key = given?.trim() ?? '';
  if (key === '' || key.length > longestKey || key.includes('\0')) throw new NoKey();
  return key;
}

/** What a DSN names: `https://KEY[:SECRET]@host/any/path/PROJECT`. */
export interface Dsn {
  readonly key: string;
  readonly project: string;
}

/** Reads the DSN in the header of an envelope; an empty one counts as none. */
export function readDsn(given: unknown): Dsn | undefined {
  if (typeof given !== 'string' || given === '') return undefined;
  const url = URL.parse(given);
  const project = url?.pathname.split('/').findLast((part) => part !== '');
  if (!url || project === undefined) throw new NoKey();
  return { key: checked(url.username), project };
}
