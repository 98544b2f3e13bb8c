/** The operation after the repository name in a registry URL. */
const operation =
  /^\/v2\/(.+)\/(blobs\/uploads(?:\/[^/]*)?|blobs\/[^/]+|manifests\/[^/]+|tags\/list|referrers\/[^/]+)$/;

/**
 * Rewrites a registry URL to the path registered for it; other URLs are returned unchanged. Repository names have any
 * number of segments, which a route cannot express, so the name is encoded into one.
 */
export function routeRegistryUrl(url: string): string {
  if (!url.startsWith('/v2')) return url;
  const [path = '', query] = url.split(/\?(.*)/s);
  if (path !== '/v2' && !path.startsWith('/v2/')) return url;
  const match = operation.exec(path);
  const routed = match ? `/-/v2/${encodeURIComponent(match[1] ?? '')}/${match[2]}` : `/-${path}`;
  return query === undefined ? routed : `${routed}?${query}`;
}

const part = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const name = new RegExp(`^${part}(?:/${part})+$`);
const maxNameLength = 255;
const digest = /^sha256:[0-9a-f]{64}$/;
const tag = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** Whether a string is a valid repository name: a project path, optionally followed by more segments. */
export function isRepositoryName(text: string): boolean {
  return text.length <= maxNameLength && name.test(text);
}

export function isDigest(text: string): boolean {
  return digest.test(text);
}

export function isTagName(text: string): boolean {
  return tag.test(text);
}

/** Maximum number of segments after the project path. */
const maxInner = 2;

/** Possible splits of a name into project path and repository name, longest path first. */
export function readings(text: string): { readonly path: string; readonly inner: string }[] {
  const parts = text.split('/');
  const shortest = Math.max(2, parts.length - maxInner);
  const found: { path: string; inner: string }[] = [];
  for (let length = parts.length; length >= shortest; length -= 1) {
    found.push({ path: parts.slice(0, length).join('/'), inner: parts.slice(length).join('/') });
  }
  return found;
}
