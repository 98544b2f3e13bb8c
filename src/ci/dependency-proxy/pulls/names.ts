const address = /^\/v2\/(.+?)\/dependency_proxy\/containers\/(.+)\/(blobs|manifests)\/([^/?]+)(\?.*)?$/s;
const name = /^(.+?)\/dependency_proxy\/containers\/(.+)$/;

/**
 * Rewrites the URL of a dependency proxy pull to the path registered for it; other URLs are returned unchanged. Group
 * and image paths can have any number of segments, so each is encoded into one.
 */
export function routeProxyUrl(url: string): string {
  const [, group, image, kind, reference, query = ''] = address.exec(url) ?? [];
  if (group === undefined || image === undefined) return url;
  const encodedPath = `${encodeURIComponent(group)}/${encodeURIComponent(image)}`;
  return `/-/dependency_proxy/${encodedPath}/${kind}/${reference}${query}`;
}

/** Splits an image name used by a container client into group and image; undefined for other names. */
export function readProxyName(text: string): { readonly group: string; readonly image: string } | undefined {
  const [, group, image] = name.exec(text) ?? [];
  return group === undefined || image === undefined ? undefined : { group, image };
}

/** URL of an image in the upstream registry. Names without a namespace refer to official images under `library/`. */
export function upstreamAddress(registry: string, image: string): string {
  const { origin, pathname } = new URL(registry);
  const prefix = pathname === '/' ? '' : pathname.replace(/\/$/, '');
  return `${origin}/v2${prefix}/${image.includes('/') ? image : `library/${image}`}`;
}
