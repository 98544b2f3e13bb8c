import { pathProblem } from '../../../platform/git/trees/path.ts';
import { trimTrailing } from '../../../platform/trim.ts';

/** A path of a file to be written, as a tree holds it; or the text that refuses it. */
export function indexPath(given: string): { readonly path: string } | { readonly problem: string } {
  if (given === '') return { problem: 'You must provide a file path' };
  if (given.split(/[\\/]/).includes('..')) return { problem: 'Path cannot include directory traversal' };
  const invalid = { problem: `invalid path: '${given}'` };
  if (given.includes('//')) return invalid;
  const path = trimTrailing(given, '/').replace(/^(?:\.?\/)+/, '');
  return pathProblem(path) === null ? { path } : invalid;
}
