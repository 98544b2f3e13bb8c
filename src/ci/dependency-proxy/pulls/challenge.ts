/** Authentication a registry requires, from its `WWW-Authenticate` header. */
export type Challenge =
  | { readonly kind: 'basic' }
  | { readonly kind: 'bearer'; readonly realm: string; readonly service?: string; readonly scope?: string };

// Sticky: matching stops at the first unparsable character instead of being retried from every position.
const parameter = /[\s,]*([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/giy;
const maxHeaderLength = 4096;

/** Parses a `WWW-Authenticate` header; undefined for unsupported or malformed challenges. */
export function readChallenge(header: string | undefined): Challenge | undefined {
  if (header === undefined || header.length > maxHeaderLength) return undefined;
  const [scheme = ''] = header.trim().split(/\s/, 1);
  const kind = scheme.toLowerCase();
  if (kind === 'basic') return { kind };
  if (kind !== 'bearer') return undefined;
  const rest = header.trim().slice(scheme.length);
  const found = new Map<string, string>();
  for (const [, name = '', quoted, plain] of rest.matchAll(parameter)) {
    found.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '');
  }
  const [realm, service, scope] = [found.get('realm'), found.get('service'), found.get('scope')];
  if (realm === undefined || realm === '') return undefined;
  return { kind, realm, ...(service !== undefined && { service }), ...(scope !== undefined && { scope }) };
}

/** Builds the token request URL; undefined if it would send credentials over an unencrypted connection. */
export function tokenAddress(registry: string, challenge: Challenge & { kind: 'bearer' }): string | undefined {
  const url = URL.parse(challenge.realm);
  const requiredProtocol = new URL(registry).protocol;
  if (!url || !/^https?:$/.test(url.protocol) || (requiredProtocol === 'https:' && url.protocol !== 'https:'))
    return undefined;
  if (challenge.service !== undefined) url.searchParams.set('service', challenge.service);
  if (challenge.scope !== undefined) url.searchParams.set('scope', challenge.scope);
  return url.href;
}
