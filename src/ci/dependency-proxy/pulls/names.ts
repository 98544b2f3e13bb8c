const address = /^\/v2\/(.+?)\/dependency_proxy\/containers\/(.+)\/(blobs|manifests)\/([^/?]+)(\?.*)?$/s;
const name = /^(.+?)\/dependency_proxy\/containers\/(.+)$/;

/**
 * The path under which the server's routes know a pull through a group, or the same path for any other request: groups
 * and images have any number of segments, which become one each.
 */
export function routeProxyUrl(url: string): string {
  const [, group, image, kind, reference, query = ''] = address.exec(url) ?? [];
  if (group === undefined || image === undefined) return url;
  const place = `${encodeURIComponent(group)}/${encodeURIComponent(image)}`;
  return `/-/dependency_proxy/${place}/${kind}/${reference}${query}`;
}

/** The group and the image that a name of a container client is made of; undefined for any other. */
export function readProxyName(text: string): { readonly group: string; readonly image: string } | undefined {
  const [, group, image] = name.exec(text) ?? [];
  return group === undefined || image === undefined ? undefined : { group, image };
}

/** Where the other registry has an image: its official ones are written without the first part of their name. */
export function upstreamAddress(registry: string, image: string): string {
  const { origin, pathname } = new URL(registry);
  const prefix = pathname === '/' ? '' : pathname.replace(/\/$/, '');
  return `${origin}/v2${prefix}/${image.includes('/') ? image : `library/${image}`}`;
}
