/** A request that speaks of a repository: which one, and what of it. */
export interface GitAddress {
  /** The project's path, as it was written. */
  readonly path: string;
  /** What follows `.git/`. */
  readonly rest: string;
}

const prefix = '/-/git/';
// A wiki of a group at the top has one segment; nothing else does.
const segments = /^(?:[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)+|[A-Za-z0-9_.-]+\.wiki)$/;
const goQuestion = /^(.*)\?go-get=1(?:&|$)/;
const services = /^(.*)\/info\/refs\?service=git-(?:upload|receive)-pack(?:&|$)/;

/**
 * The path under which the server's routes know a request of a git client, or the same path for any other. A project's
 * path has any number of segments, which no route can express: it becomes one.
 */
export function routeGitUrl(url: string): string {
  if (!url.includes('.git/') && !url.includes('/info/refs?') && !url.includes('?go-get=1')) return url;
  if (url.startsWith('/api/') || url.startsWith('/-/')) return url;
  const asked = goQuestion.exec(url)?.[1];
  const imported = asked === undefined ? undefined : projectPath(asked);
  if (imported !== undefined) return `${prefix}${encodeURIComponent(imported)}/go-import`;
  const address = readGitUrl(url);
  if (address) return `${prefix}${encodeURIComponent(address.path)}/${address.rest}`;
  const bare = services.exec(url)?.[1];
  const path = bare === undefined ? undefined : projectPath(bare);
  return path === undefined ? url : `${prefix}${encodeURIComponent(path)}/without-suffix${url.slice(url.indexOf('?'))}`;
}

/** Splits `/group/project.git/info/refs?...`; undefined when the address is of no repository. */
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
