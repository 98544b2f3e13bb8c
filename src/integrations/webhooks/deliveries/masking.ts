import { filledUrl, type Secrets } from '../rules.ts';
import type { Outcome } from './send.ts';

/** The secrets of a webhook. */
export interface HookSecrets {
  /** The URL template with its variables. */
  readonly url: string;
  readonly variables: Secrets;
  readonly headers: Secrets;
  readonly token: string | null;
}

/** Shorter values are not masked: they could occur in any word of a response. */
const shortest = 4;

function hostOf(url: string): string {
  return URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? '';
}

/** Returns all encodings of a secret: URLs percent-encode it, hosts are lower-cased or in Punycode. */
function spellings({ url, variables, headers, token }: HookSecrets): string[] {
  const values = [...Object.values(variables), ...Object.values(headers), ...(token ? [token] : [])];
  const filled = filledUrl(url, variables);
  const host = hostOf(filled);
  const named = url.toLowerCase().includes(host) ? [] : [host];
  const { pathname = '', search = '' } = URL.parse(filled) ?? {};
  const inPath = filled === url ? [] : [pathname + search].filter((part) => !url.includes(part));
  const written = values.map((value) => value.toWellFormed());
  const all = [...written, ...written.map(encodeURIComponent), ...written.map(encodeURI), ...named, ...inPath];
  return [...new Set(all)].filter(({ length }) => length >= shortest).sort((a, b) => b.length - a.length);
}

/**
 * Masks secrets in an outcome before it is logged or returned: errors name the unresolved host, and receivers echo what
 * they were sent.
 */
export function withoutSecretsOf(secrets: HookSecrets, outcome: Outcome): Outcome {
  const found = spellings(secrets);
  if (found.length === 0) return outcome;
  const any = new RegExp(found.map((text) => RegExp.escape(text)).join('|'), 'giu');
  const hide = (text: string) => text.replace(any, '[REDACTED]');
  return {
    ...outcome,
    headers: Object.fromEntries(Object.entries(outcome.headers).map(([name, value]) => [hide(name), hide(value)])),
    body: hide(outcome.body),
    failure: outcome.failure === null ? null : hide(outcome.failure),
  };
}
