import { apiPrefix } from '../../platform/http/app.ts';

/** Wiki files other than pages: attachments and media. */
const wikiFile =
  /^wikis\/(?:uploads\/[^?]+|[^?]+\.(?:png|jpe?g|gif|bmp|tiff?|ico|webp|svg|mp4|m4v|mov|webm|ogv|mp3|oga|ogg|spx|wav|pdf))(?=\?|$)/i;

/** Prefix of the pages of groups, which no project has. */
const groups = 'groups/';

const projectPath = /^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)+$/;

/**
 * Maps a download URL of a project, or of a wiki file of a group, to the route that serves it; other URLs are returned
 * unchanged. Covers raw files
 * (`/group/project/-/raw/main/file`), archives (`/group/project/-/archive/v1/project-v1.zip`), release assets and
 * evidences (`/group/project/-/releases/v1/...`), wiki files and raw snippets. Project paths have any number of
 * segments, which routes cannot express, so they are encoded as one.
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
  if (path.startsWith(groups) && wikiFile.test(rest)) {
    return `/-/page/group-wiki/${encodeURIComponent(path.slice(groups.length))}/${rest.slice('wikis/'.length)}`;
  }
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

/** `/group/project/badges/main/pipeline.svg`. The ref may contain slashes too. */
function badgeUrl(url: string): string | undefined {
  const [address = ''] = url.split('?', 1);
  // Check the suffix first: without a match the expression would backtrack from every `/badges/`.
  if (!url.includes('/badges/') || !badgeEnd.test(address)) return undefined;
  const [, path = '', ref, kind, query = ''] = badge.exec(url) ?? [];
  if (!projectPath.test(path) || url.startsWith('/api/')) return undefined;
  const named = ref === undefined ? '' : `&ref=${ref.replaceAll('+', '%2B').replaceAll('&', '%26')}`;
  return `/-/page/badge/${encodeURIComponent(path)}/${kind}?${query}${named}`;
}

/** Raw snippets are served by the API: the first file, or the one at a path. */
function routeSnippet(rest: string, place: string): string | undefined {
  const [, id, ref, path] = /^snippets\/(\d{1,15})\/raw(?:\/([^/?]+)\/([^?]+))?(?=\?|$)/.exec(rest) ?? [];
  if (id === undefined) return undefined;
  const query = rest.includes('?') ? rest.slice(rest.indexOf('?')) : '';
  const file = path === undefined ? '' : `/files/${ref}/${path.replaceAll('/', '%2F')}`;
  return `${apiPrefix}${place}/snippets/${id}${file}/raw${query}`;
}
