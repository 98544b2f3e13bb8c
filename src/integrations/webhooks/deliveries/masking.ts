import { filledUrl, type Secrets } from '../rules.ts';
import type { Outcome } from './send.ts';

/** What of a webhook nobody is to read again. */
export interface HookSecrets {
  /** The address as it was written, with the places of its variables. */
  readonly url: string;
  readonly variables: Secrets;
  readonly headers: Secrets;
  readonly token: string | null;
}

/** What is shorter is no secret, and could stand in every word of an answer. */
const shortest = 4;

function hostOf(url: string): string {
  return URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? '';
}

/** Every way that a secret may be spelt in: an address has it in percent signs, a host in lower case or Punycode. */
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
 * An outcome as it is kept and told: errors name the host that was not found, and receivers repeat what they were sent.
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
