import { type Param, param, required } from '../../platform/http/params.ts';

/** Whether a path from an address can name a file of a repository at all. */
export function isFilePath(path: string): boolean {
  if (path === '' || path === '.' || path.startsWith('/') || /[\r\n]/.test(path)) return false;
  // A backslash separates names on Windows, where somebody may check this out.
  return !path.split(/[\\/]/).includes('..');
}

/** The path of a file; `rooted` drops the slashes that it may begin with. */
export function filePathParam({ rooted = false } = {}): Param<string, 'required'> {
  const text = param.string({ description: 'URL-encoded path from the root of the repository' });
  return required({
    ...text,
    read(raw, name, problems) {
      const path = text.read(raw, name, problems);
      const plain = rooted ? path?.replace(/^\/+/, '') : path;
      if (plain === undefined || isFilePath(plain)) return plain;
      problems.push(`${name} should be a valid file path`);
      return undefined;
    },
  });
}
