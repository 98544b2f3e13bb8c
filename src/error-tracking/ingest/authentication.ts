import { NoKey } from './refusal.ts';

const maxKeyLength = 255;

/** The parts of a request, other than the body, that can contain the key. */
export interface KeySources {
  readonly query: Readonly<Record<string, unknown>>;
  readonly sentryAuth: string | undefined;
  readonly authorization: string | undefined;
}

/** Returns the key from the query or the headers; undefined if it must be in the body. */
export function keyOfRequest({ query, sentryAuth, authorization }: KeySources): string | undefined {
  const { sentry_key: queryKey } = query;
  if (typeof queryKey === 'string') return checked(queryKey);
  if (sentryAuth !== undefined) return checked(keyOfHeader(sentryAuth));
  if (authorization === undefined) return undefined;
  if (/^basic\s/i.test(authorization)) return checked(keyOfBasic(authorization));
  return /^sentry\s/i.test(authorization) ? checked(keyOfHeader(authorization)) : undefined;
}

/** `Sentry sentry_version=7,sentry_key=...`. Order and white space differ by SDK. */
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

/** Rejects impossible keys without a database query. */
function checked(value: string | undefined): string {
  const key = value?.trim() ?? '';
  if (key === '' || key.length > maxKeyLength || key.includes('\0')) throw new NoKey();
  return key;
}

/** The parts of a DSN: `https://KEY[:SECRET]@host/any/path/PROJECT`. */
export interface Dsn {
  readonly key: string;
  readonly project: string;
}

/** Parses the DSN in an envelope header; undefined if it is absent or empty. */
export function readDsn(value: unknown): Dsn | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const url = URL.parse(value);
  const project = url?.pathname.split('/').findLast((part) => part !== '');
  if (!url || project === undefined) throw new NoKey();
  return { key: checked(url.username), project };
}
