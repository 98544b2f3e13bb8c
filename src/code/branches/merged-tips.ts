import type { Objects } from '../../platform/git/objects/objects.ts';
import { gitLines } from '../../platform/git/process/output.ts';

/**
 * Returns which of these commits are proper ancestors of another commit. Runs at most one git process, whatever their
 * number. Cached by commit ID only, so that concurrent ref updates cannot invalidate the result.
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
    // rev-list prints the commits that are not reachable from `into`: these tips are not merged.
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
