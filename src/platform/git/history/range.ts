import type { Objects } from '../objects/objects.ts';
import { run } from '../process/command.ts';
import type { CommitQuery } from './walk.ts';

/** Two revisions joined by dots; an empty side means HEAD. */
export interface RevisionRange {
  readonly from: string;
  readonly to: string;
  /** `a...b`: commits reachable from either side but not both, rather than from `b` only. */
  readonly symmetric: boolean;
}

/**
 * Parses `a..b` or `a...b`; null for a single revision. Ref names must not contain two dots, so this is unambiguous.
 */
export function parseRange(text: string): RevisionRange | null {
  const dots = text.indexOf('..');
  if (dots < 0) return null;
  const symmetric = text.startsWith('...', dots);
  const to = text.slice(dots + (symmetric ? 3 : 2));
  if (to.startsWith('.') || to.includes('..')) return null;
  return { from: text.slice(0, dots) || 'HEAD', to: to || 'HEAD', symmetric };
}

/** Returns the starting points and exclusions of a walk over a range; both sides are full commit ids. */
export async function rangeTips(
  objects: Objects,
  range: RevisionRange,
): Promise<Pick<CommitQuery, 'tips' | 'exclude'>> {
  if (!range.symmetric) return { tips: [range.to], exclude: [range.from] };
  return { tips: [range.from, range.to], exclude: await mergeBases(objects, range.from, range.to) };
}

function mergeBases(objects: Objects, from: string, to: string): Promise<readonly string[]> {
  const size = (bases: readonly string[]) => bases.length * 64;
  return objects.derived<readonly string[]>('merge-bases', `${from} ${to}`, size, async () => {
    const command = { name: 'merge-base', flags: ['--all'], args: [from, to] } as const;
    const { stdout } = await run(objects.repo, command, { okCodes: [0, 1] });
    return stdout.toString('latin1').split('\n').filter(Boolean);
  });
}
