import type { WorkTree } from '../work-tree.ts';

/** Paths that the commits below change, and some that they never touch. */
export const paths = ['a', 'b', 'd/x', 'd/y', 'd/e/z', 'd', 'd/e', 'never', '*', 'a/b'];

/** Generates merges of up to three parents, files that are deleted and created again, and files that become folders. */
export function tangled(work: WorkTree, size: number): string[] {
  let state = 7;
  const next = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  let input = '';
  for (let i = 1; i <= size; i++) {
    const parents = new Set<number>();
    for (let p = 0; p < (i === 1 ? 0 : ([1, 1, 1, 2, 3][next(5)] ?? 1)); p++) parents.add(Math.max(1, i - 1 - next(4)));
    const [from, ...merges] = parents;
    input += `reset refs/heads/c${i}\n\ncommit refs/heads/c${i}\nmark :${i}\ncommitter A <a@x> ${1_600_000_000 + i} +0000\ndata 1\nx\n`;
    if (from) input += `from :${from}\n`;
    for (const parent of merges) input += `merge :${parent}\n`;
    if (merges.length === 0 || next(3) === 0) {
      const path = paths[next(paths.length - 3)];
      input += next(4) === 0 ? `D ${path}\n` : `M 100644 inline ${path}\ndata 1\n${next(3)}\n`;
    }
    input += '\n';
  }
  work.gitWith({ input }, 'fast-import', '--quiet', '--force');
  return Array.from({ length: size }, (_, i) => work.git('rev-parse', `refs/heads/c${i + 1}`));
}
