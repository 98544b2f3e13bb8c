import { type Param, param, required } from '../../platform/http/params.ts';

/** Whether a path can name a file in a repository. */
export function isFilePath(path: string): boolean {
  if (path === '' || path === '.' || path.startsWith('/') || /[\r\n]/.test(path)) return false;
  // A backslash is a path separator on Windows, where the repository may be checked out.
  return !path.split(/[\\/]/).includes('..');
}

/** A file path parameter. `rooted` strips leading slashes. */
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
