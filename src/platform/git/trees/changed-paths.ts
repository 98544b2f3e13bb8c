import { decodeText } from '../objects/text.ts';
import type { Repository } from '../process/command.ts';
import { gitLines } from '../process/output.ts';

/** The paths in which two commits differ: of a file that was moved, both. */
export async function* changedPaths(repo: Repository, from: string, to: string): AsyncGenerator<string, void> {
  const flags = ['-r', '--name-only', '-z', '--ignore-submodules=none'];
  const command = { name: 'diff-tree', flags, args: [from, to] } as const;
  for await (const path of gitLines(repo, command, { timeoutMs: 50_000 }, 0)) yield decodeText(path);
}

/** A file that lies elsewhere in another commit, perhaps changed a little. */
export interface MovedPath {
  readonly from: string;
  readonly to: string;
}

/** The files that were moved between two commits, as git tells by what is in them. */
export async function* movedPaths(repo: Repository, from: string, to: string): AsyncGenerator<MovedPath, void> {
  const flags = ['-r', '-M', '-l1000', '--raw', '-z', '--ignore-submodules=none'];
  const command = { name: 'diff-tree', flags, args: [from, to] } as const;
  // A line of what has changed, then one path, or of what was moved both.
  let paths: string[] = [];
  let wanted = 0;
  for await (const part of gitLines(repo, command, { timeoutMs: 50_000 }, 0)) {
    if (wanted === 0) {
      wanted = / R\d+$/.test(part.toString('latin1')) ? 2 : 1;
      paths = [];
    } else {
      paths.push(decodeText(part));
      wanted -= 1;
      const [before = '', after] = paths;
      if (wanted === 0 && after !== undefined) yield { from: before, to: after };
    }
  }
}
