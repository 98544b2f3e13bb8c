import type { Objects } from '../../platform/git/objects/objects.ts';
import { gitLines } from '../../platform/git/process/output.ts';

/**
 * Of these commits, the ones that lie in the history of another and are not it. One process of git at most, whatever
 * their number; known by ids alone, so that no ref that moves meanwhile can spoil what is cached.
 */
export function mergedTips(
  objects: Objects,
  into: string | null,
  tips: readonly string[],
): Promise<ReadonlySet<string>> {
  const others = tips.filter((tip) => tip !== into);
  if (into === null || others.length === 0) return Promise.resolve(new Set());
  const bytes = (merged: ReadonlySet<string>) => merged.size * 100;
  return objects.derived<ReadonlySet<string>>('merged', `${into} ${others.join('')}`, bytes, async () => {
    const merged = new Set(others);
    // What the other does not reach comes out; a tip among it is not merged.
    const stdin = [...merged, `^${into}`, ''].join('\n');
    for await (const line of gitLines(
      objects.repo,
      { name: 'rev-list', flags: ['--stdin'] },
      { stdin, timeoutMs: 30_000 },
    )) {
      merged.delete(line.toString('latin1'));
    }
    return merged;
  });
}
