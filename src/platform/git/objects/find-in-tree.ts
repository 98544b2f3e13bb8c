import type { Repository } from '../process/command.ts';
import { gitLines } from '../process/output.ts';
import type { TreeEntry, TreeMode } from '../trees/tree.ts';

const TAB = 9;

/** Finds an entry by name in a tree that is too large to be held in memory; null when missing. */
export async function findInTree(repo: Repository, tree: string, name: string): Promise<TreeEntry | null> {
  const command = { name: 'ls-tree', flags: ['-z', '--full-tree'], args: [tree], paths: [name] } as const;
  for await (const line of gitLines(repo, command, { timeoutMs: 30_000 }, 0)) {
    // `mode SP type SP id TAB path`
    const [mode = '', , oid = ''] = line.toString('latin1', 0, line.indexOf(TAB)).split(' ');
    return { mode: mode as TreeMode, name, oid };
  }
  return null;
}
