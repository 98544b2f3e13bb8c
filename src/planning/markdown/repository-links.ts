/** Where relative links of a text lead: into the repository of a project, at a branch. */
export interface Repository {
  /** The address of the project without the server: `/group/project`. */
  readonly webPath: string;
  readonly projectId: number;
  readonly ref?: string;
  /** The file that the text is, whose neighbours are meant; empty where it is none. */
  readonly filePath?: string;
}

/** The path from the root of the repository; nothing when it leads out of it. */
function resolvePath(path: string, filePath: string): string | undefined {
  const parts = path.startsWith('/') ? [] : filePath.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** A link or the source of an image, as the page shows it; what is no relative address stays as it is. */
export function repositoryAddress(kind: 'link' | 'image', address: string, repository: Repository | undefined): string {
  if (repository === undefined || address.length > 2048) return address;
  const upload = /^\/?uploads\/[0-9a-f]{32}\/[^/]+$/.test(address);
  if (upload) return `/-/project/${repository.projectId}/uploads/${address.split('/').slice(-2).join('/')}`;
  const isRelative = !/^(?:[a-z][a-z0-9+.-]*:|[/#?])/i.test(address) && address !== '';
  if (!isRelative || repository.ref === undefined) return address;
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(address) ?? [];
  const file = resolvePath(path, repository.filePath ?? '');
  if (file === undefined) return address;
  const ref = repository.ref.split('/').map(encodeURIComponent).join('/');
  return `${repository.webPath}/-/${kind === 'image' ? 'raw' : 'blob'}/${ref}/${file}${rest}`;
}
