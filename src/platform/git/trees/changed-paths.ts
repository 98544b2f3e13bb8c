import { decodeText } from '../objects/text.ts';
import type { Repository } from '../process/command.ts';
import { gitLines } from '../process/output.ts';

/** The paths in which two commits differ: of a file that was moved, both. */
export async function* changedPaths(repo: Repository, from: string, to: string): AsyncGenerator<string, void> {
  const flags = ['-r', '--name-only', '-z', '--ignore-submodules=none'];
  const command = { name: 'diff-tree', flags, args: [from, to] } as const;
  for await (const path of gitLines(repo, command, { timeoutMs: 50_000 }, 0)) yield decodeText(path);
}
