/** The repository file or wiki page that a text is the content of; relative links are resolved against it. */
export type TextFile = { readonly ref: string; readonly filePath: string } | { readonly wikiPage: string };

/** Base of the relative links in a text: the uploads of its project or group, and its repository or wiki. */
export interface Repository {
  /** Path of the project or group: `/group/project`. */
  readonly webPath: string;
  /** Path of its uploads: `/-/project/7`. */
  readonly filesPath: string;
  readonly ref?: string;
  /** Path of the file that the text is the content of; empty if it is not a file. */
  readonly filePath?: string;
  /** Slug of the wiki page that the text is the content of. */
  readonly wikiPage?: string;
}

/** Resolves a path from the root of a repository; undefined if it leads outside. */
function resolvePath(path: string, filePath: string): string | undefined {
  const parts = path.startsWith('/') ? [] : filePath.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/**
 * Links to pages are relative to the root of the wiki; links to files and those starting with a dot are relative to the
 * page.
 */
function wikiAddress(path: string, rest: string, { webPath, wikiPage = '' }: Repository): string | undefined {
  const fromPage = path.startsWith('.') || /\.[^./]+$/.test(path);
  const target = resolvePath(path, path.startsWith('uploads/') || !fromPage ? '' : wikiPage);
  return target === undefined ? undefined : `${webPath}/-/wikis/${target}${rest}`;
}

/** Resolves a relative link or image source; other addresses are returned unchanged. */
export function repositoryAddress(kind: 'link' | 'image', address: string, repository: Repository | undefined): string {
  if (repository === undefined || address.length > 2048) return address;
  const { ref, filePath, wikiPage } = repository;
  const upload = /^\/?uploads\/[0-9a-f]{32}\/[^/]+$/.test(address) && wikiPage === undefined;
  if (upload) return `${repository.filesPath}/uploads/${address.split('/').slice(-2).join('/')}`;
  // In a file or wiki page, a leading slash refers to the root of the repository or wiki, unless it is the path of a
  // page of the instance.
  const outside = filePath === undefined && wikiPage === undefined ? /^[/#?]/ : /^(?:\/\/|\/.*\/-\/|[#?])/;
  if (address === '' || /^[a-z][a-z0-9+.-]*:/i.test(address) || outside.test(address)) return address;
  const [, path = '', rest = ''] = /^([^?#]*)([?#].*)?$/s.exec(address) ?? [];
  if (wikiPage !== undefined) return wikiAddress(path, rest, repository) ?? address;
  const file = ref === undefined ? undefined : resolvePath(path, filePath ?? '');
  if (ref === undefined || file === undefined) return address;
  const branch = ref.split('/').map(encodeURIComponent).join('/');
  return `${repository.webPath}/-/${kind === 'image' ? 'raw' : 'blob'}/${branch}/${file}${rest}`;
}
