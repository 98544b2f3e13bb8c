/** What is asked for behind the name of a repository, at the end of an address. */
const operation =
  /^\/v2\/(.+)\/(blobs\/uploads(?:\/[^/]*)?|blobs\/[^/]+|manifests\/[^/]+|tags\/list|referrers\/[^/]+)$/;

/**
 * The path under which the server's routes know a request of a container client, or the same path for any other: the
 * name of a repository has any number of segments, which no route can express, and becomes one.
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
const longestName = 255;
const digest = /^sha256:[0-9a-f]{64}$/;
const tag = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** Whether a text can be the name of a repository: that of a project, and what may follow. */
export function isRepositoryName(text: string): boolean {
  return text.length <= longestName && name.test(text);
}

export function isDigest(text: string): boolean {
  return digest.test(text);
}

export function isTagName(text: string): boolean {
  return tag.test(text);
}

/** So many segments may follow the path of a project. */
const maxInner = 2;

/** What a name can mean, as the path of a project and what follows: the longest path first. */
export function readings(text: string): { readonly path: string; readonly inner: string }[] {
  const parts = text.split('/');
  const shortest = Math.max(2, parts.length - maxInner);
  const found: { path: string; inner: string }[] = [];
  for (let length = parts.length; length >= shortest; length -= 1) {
    found.push({ path: parts.slice(0, length).join('/'), inner: parts.slice(length).join('/') });
  }
  return found;
}
