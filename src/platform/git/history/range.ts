import type { Objects } from '../objects/objects.ts';
import { run } from '../process/command.ts';
import type { CommitQuery } from './walk.ts';

/** Two revisions joined by dots; an empty side stands for HEAD. */
export interface RevisionRange {
  readonly from: string;
  readonly to: string;
  /** `a...b`: what only one of the two sides has, rather than what only `b` has. */
  readonly symmetric: boolean;
}

/** Reads `a..b` or `a...b`; null for a single revision. No ref name may hold two dots, so the reading is certain. */
export function parseRange(text: string): RevisionRange | null {
  const dots = text.indexOf('..');
  if (dots < 0) return null;
  const symmetric = text.startsWith('...', dots);
  const to = text.slice(dots + (symmetric ? 3 : 2));
  if (to.startsWith('.') || to.includes('..')) return null;
  return { from: text.slice(0, dots) || 'HEAD', to: to || 'HEAD', symmetric };
}

/** Where a walk over a range begins and what it leaves out; both sides are full ids of commits. */
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
