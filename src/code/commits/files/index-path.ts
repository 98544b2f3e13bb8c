import { pathProblem } from '../../../platform/git/trees/path.ts';
import { trimTrailing } from '../../../platform/trim.ts';

/** Normalizes the path of a file to write, or returns the error message. */
export function indexPath(rawPath: string): { readonly path: string } | { readonly problem: string } {
  if (rawPath === '') return { problem: 'You must provide a file path' };
  if (rawPath.split(/[\\/]/).includes('..')) return { problem: 'Path cannot include directory traversal' };
  const invalid = { problem: `invalid path: '${rawPath}'` };
  if (rawPath.includes('//')) return invalid;
  const path = trimTrailing(rawPath, '/').replace(/^(?:\.?\/)+/, '');
  return pathProblem(path) === null ? { path } : invalid;
}
