/** Which file of its repository a text is, or which page of its wiki: where relative links lead from. */
export type TextFile = { readonly ref: string; readonly filePath: string } | { readonly wikiPage: string };

/** Where relative links of a text lead: to the files of its project or group, and into a repository at a branch or a wiki. */
export interface Repository {
  /** The address of the project without the server: `/group/project`. */
  readonly webPath: string;
  /** Where the files that texts show are: `/-/project/7`. */
  readonly filesPath: string;
  readonly ref?: string;
  /** The file that the text is, whose neighbours are meant; empty where it is none. */
  readonly filePath?: string;
  /** The page of the wiki that the text is. */
  readonly wikiPage?: string;
}

/** The path from the root of a repository; nothing when it leads out of it. */
function resolvePath(path: string, filePath: string): string | undefined {
  const parts = path.startsWith('/') ? [] : filePath.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** Pages are meant from the root of the wiki, files and what begins with a dot from where the page stands. */
function wikiAddress(path: string, rest: string, { webPath, wikiPage = '' }: Repository): string | undefined {
  const fromPage = path.startsWith('.') || /\.[^./]+$/.test(path);
  const target = resolvePath(path, path.startsWith('uploads/') || !fromPage ? '' : wikiPage);
  return target === undefined ? undefined : `${webPath}/-/wikis/${target}${rest}`;
}

/** A link or the source of an image, as the page shows it; what is no relative address stays as it is. */
export function repositoryAddress(kind: 'link' | 'image', address: string, repository: Repository | undefined): string {
  if (repository === undefined || address.length > 2048) return address;
  const { ref, filePath, wikiPage } = repository;
  const upload = /^\/?uploads\/[0-9a-f]{32}\/[^/]+$/.test(address) && wikiPage === undefined;
  if (upload) return `${repository.filesPath}/uploads/${address.split('/').slice(-2).join('/')}`;
  // From a file or a page of a wiki a slash leads to the root of these, unless a page of the instance is named.
  const outside = filePath === undefined && wikiPage === undefined ? /^[/#?]/ : /^(?:\/\/|\/.*\/-\/|[#?])/;
  if (address === '' || /^[a-z][a-z0-9+.-]*:/i.test(address) || outside.test(address)) return address;
  const [, path = '', rest = ''] = /^([^?#]*)([?#].*)?$/s.exec(address) ?? [];
  if (wikiPage !== undefined) return wikiAddress(path, rest, repository) ?? address;
  const file = ref === undefined ? undefined : resolvePath(path, filePath ?? '');
  if (ref === undefined || file === undefined) return address;
  const branch = ref.split('/').map(encodeURIComponent).join('/');
  return `${repository.webPath}/-/${kind === 'image' ? 'raw' : 'blob'}/${branch}/${file}${rest}`;
}
