/** What a registry wants before it answers. */
export type Challenge =
  | { readonly kind: 'basic' }
  | { readonly kind: 'bearer'; readonly realm: string; readonly service?: string; readonly scope?: string };

// Sticky: what cannot be read ends it, and is not looked through again from each of its characters.
const parameter = /[\s,]*([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/giy;
const longest = 4096;

/** Reads the header with which a registry refuses whoever shows nothing; undefined for what cannot be done. */
export function readChallenge(header: string | undefined): Challenge | undefined {
  if (header === undefined || header.length > longest) return undefined;
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

/** Where a token is asked for; undefined where asking would show in the clear what is asked with. */
export function tokenAddress(registry: string, challenge: Challenge & { kind: 'bearer' }): string | undefined {
  const url = URL.parse(challenge.realm);
  const wanted = new URL(registry).protocol;
  if (!url || !/^https?:$/.test(url.protocol) || (wanted === 'https:' && url.protocol !== 'https:')) return undefined;
  if (challenge.service !== undefined) url.searchParams.set('service', challenge.service);
  if (challenge.scope !== undefined) url.searchParams.set('scope', challenge.scope);
  return url.href;
}
