import { suffixes } from './areas/archives/formats.ts';
import { apiPrefix } from './platform/http/app.ts';

const projectPath = /^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)+$/;
const bySpecificity = Object.keys(suffixes).sort((a, b) => b.length - a.length);

/**
 * The addresses under which releases offer their files, as the operations of the API that serve them, or the same
 * address for any other: `/group/project/-/archive/v1/project-v1.zip`, `/group/project/-/releases/v1/downloads/file`.
 */
export function routeDownloadUrl(url: string): string {
  const end = url.indexOf('/-/');
  if (end <= 0) return url;
  const path = url.slice(1, end);
  if (!projectPath.test(path) || url.startsWith('/api/')) return url;
  const [rest = '', query = ''] = url.slice(end + '/-/'.length).split(/\?(.*)/s);
  const project = `${apiPrefix}/projects/${encodeURIComponent(path)}`;
  if (rest.startsWith('archive/')) return archiveUrl(project, path, rest.slice('archive/'.length), query) ?? url;
  if (/^releases\/(?:[^/]+|permalink\/latest)\/downloads\/./.test(rest)) {
    return `${project}/${rest}${query === '' ? '' : `?${query}`}`;
  }
  return url;
}

/** From `v1/project-v1.zip`, or `v1.zip`. */
function archiveUrl(project: string, path: string, rest: string, query: string): string | undefined {
  const suffix = bySpecificity.find((each) => rest.endsWith(`.${each}`));
  if (suffix === undefined) return undefined;
  const named = rest.slice(0, -suffix.length - 1);
  const slash = named.lastIndexOf('/');
  try {
    const ref = decodeURIComponent(slash < 0 ? named : named.slice(0, slash));
    const name = `${path.slice(path.lastIndexOf('/') + 1)}-${ref.replaceAll('/', '-')}`;
    const params = new URLSearchParams({ sha: ref });
    // Whoever asks by the short name finds it inside again: scripts go on with the folder of that name.
    if (slash >= 0 && decodeURIComponent(named.slice(slash + 1)) === name) params.set('append_sha', 'false');
    return `${project}/repository/archive.${suffix}?${params}${query === '' ? '' : `&${query}`}`;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
