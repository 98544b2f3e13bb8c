import type { Frame } from '../../events/public.ts';

const maxParts = 12;

/**
 * Possible repository paths of a stack frame: its path with more and more leading folders removed, as they depend on
 * the deployment.
 */
export function candidatePaths({ filename, abs_path }: Pick<Frame, 'filename' | 'abs_path'>): string[] {
  const paths = [filename, abs_path].flatMap((path) => (path === null ? [] : suffixesOf(path)));
  return [...new Set(paths)];
}

function suffixesOf(path: string): string[] {
  const [file = ''] = path.split(/[?#]/, 1);
  const parts = file
    .replace(/^[a-z][a-z0-9+.-]*:\/+[^/]*/i, '')
    .replace(/^[a-z]:/i, '')
    .split(/[\\/]+/)
    .filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return [];
  return parts.slice(-maxParts).map((_, index, suffix) => suffix.slice(index).join('/'));
}

/** Revisions a release name may refer to: a commit, a tag, or the version tag of `package@1.2.3`. */
export function revisionsOf(release: string): string[] {
  const version = release.slice(release.lastIndexOf('@') + 1).split('+', 1)[0] ?? '';
  return [...new Set([release, version, `v${version}`])].filter((name) => /^[\w][\w./-]{0,200}$/.test(name));
}
