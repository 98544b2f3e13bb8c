/** A git client's URL, split at the repository. */
export interface GitAddress {
  /** The path of the project as sent. */
  readonly path: string;
  /** The part after `.git/`. */
  readonly rest: string;
}

const prefix = '/-/git/';
// Wikis of top-level groups have a single segment; nothing else does.
const segments = /^(?:[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)+|[A-Za-z0-9_.-]+\.wiki)$/;
const goQuestion = /^(.*)\?go-get=1(?:&|$)/;
const services = /^(.*)\/info\/refs\?service=git-(?:upload|receive)-pack(?:&|$)/;

/**
 * Maps a git client's URL to the route that serves it; other URLs are returned unchanged. Project paths have any number
 * of segments, which routes cannot express, so they are encoded as one.
 */
export function routeGitUrl(url: string): string {
  if (!url.includes('.git/') && !url.includes('/info/refs?') && !url.includes('?go-get=1')) return url;
  if (url.startsWith('/api/') || url.startsWith('/-/')) return url;
  const importPath = goQuestion.exec(url)?.[1];
  const imported = importPath === undefined ? undefined : projectPath(importPath);
  if (imported !== undefined) return `${prefix}${encodeURIComponent(imported)}/go-import`;
  const address = readGitUrl(url);
  if (address) return `${prefix}${encodeURIComponent(address.path)}/${address.rest}`;
  const bare = services.exec(url)?.[1];
  const path = bare === undefined ? undefined : projectPath(bare);
  return path === undefined ? url : `${prefix}${encodeURIComponent(path)}/without-suffix${url.slice(url.indexOf('?'))}`;
}

/** Splits `/group/project.git/info/refs?...`; undefined for other URLs. */
export function readGitUrl(url: string): GitAddress | undefined {
  const end = url.indexOf('.git/');
  if (end < 0) return undefined;
  const path = projectPath(url.slice(0, end));
  return path === undefined ? undefined : { path, rest: url.slice(end + '.git/'.length) };
}

function projectPath(encoded: string): string | undefined {
  try {
    const path = decodeURIComponent(encoded).replace(/^\/+/, '');
    return segments.test(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
