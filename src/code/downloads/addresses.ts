import { apiPrefix } from '../../platform/http/app.ts';

/** What of a wiki is a file beside its pages: an attachment, or what a page shows. */
const wikiFile =
  /^wikis\/(?:uploads\/[^?]+|[^?]+\.(?:png|jpe?g|gif|bmp|tiff?|ico|webp|svg|mp4|m4v|mov|webm|ogv|mp3|oga|ogg|spx|wav|pdf))(?=\?|$)/i;

const projectPath = /^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)+$/;

/**
 * The path under which the server's routes know an address of a project's own, or the same address for any other:
 * `/group/project/-/raw/main/file`, `/group/project/-/archive/v1/project-v1.zip`, `/group/project/-/releases/v1/...`, the
 * files of its wiki, and the raw files of snippets. A
 * project's path has any number of segments, which no route can express: it becomes one.
 */
export function routeDownloadUrl(url: string): string {
  const badge = badgeUrl(url);
  if (badge !== undefined) return badge;
  const end = url.indexOf('/-/');
  if (end < 0) return url;
  if (end === 0) return routeSnippet(url.slice('/-/'.length), '') ?? url;
  const path = url.slice(1, end);
  if (!projectPath.test(path) || url.startsWith('/api/')) return url;
  const rest = url.slice(end + '/-/'.length);
  const project = encodeURIComponent(path);
  const [, kind, address] = /^(raw|archive)\/([^?].*)$/s.exec(rest) ?? [];
  if (kind !== undefined) return `/-/page/${kind}/${project}/${address}`;
  if (wikiFile.test(rest)) return `/-/page/wiki/${project}/${rest.slice('wikis/'.length)}`;
  const [, tag, evidence] = /^releases\/([^/?]+)\/evidences\/(\d{1,15})\.json(?=\?|$)/.exec(rest) ?? [];
  if (evidence !== undefined) return `/-/page/evidence/${project}/${tag}/${evidence}`;
  if (/^releases\/(?:[^/?]+|permalink\/latest)\/downloads\/./.test(rest))
    return `${apiPrefix}/projects/${project}/${rest}`;
  return routeSnippet(rest, `/projects/${project}`) ?? url;
}

const badge = /^\/([^?]+?)\/(?:-\/)?badges\/(?:([^?]+)\/)?(pipeline|coverage|release)\.svg(?:\?(.*))?$/s;

const badgeEnd = /\/(?:pipeline|coverage|release)\.svg$/;

/** `/group/project/badges/main/pipeline.svg`: the ref may have any number of segments too. */
function badgeUrl(url: string): string | undefined {
  const [address = ''] = url.split('?', 1);
  // Without an end to find, the expression looks for one behind each of the beginnings.
  if (!url.includes('/badges/') || !badgeEnd.test(address)) return undefined;
  const [, path = '', ref, kind, query = ''] = badge.exec(url) ?? [];
  if (!projectPath.test(path) || url.startsWith('/api/')) return undefined;
  const named = ref === undefined ? '' : `&ref=${ref.replaceAll('+', '%2B').replaceAll('&', '%26')}`;
  return `/-/page/badge/${encodeURIComponent(path)}/${kind}?${query}${named}`;
}

/** The bytes of a snippet are those that the API gives: of its first file, or of one at a path. */
function routeSnippet(rest: string, place: string): string | undefined {
  const [, id, ref, path] = /^snippets\/(\d{1,15})\/raw(?:\/([^/?]+)\/([^?]+))?(?=\?|$)/.exec(rest) ?? [];
  if (id === undefined) return undefined;
  const query = rest.includes('?') ? rest.slice(rest.indexOf('?')) : '';
  const file = path === undefined ? '' : `/files/${ref}/${path.replaceAll('/', '%2F')}`;
  return `${apiPrefix}${place}/snippets/${id}${file}/raw${query}`;
}
