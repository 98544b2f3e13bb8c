import { decodeText } from '../objects/text.ts';
import type { Repository } from '../process/command.ts';
import { gitLines } from '../process/output.ts';

/** Yields the paths in which two commits differ; for a renamed file, both paths. */
export async function* changedPaths(repo: Repository, from: string, to: string): AsyncGenerator<string, void> {
  const flags = ['-r', '--name-only', '-z', '--ignore-submodules=none'];
  const command = { name: 'diff-tree', flags, args: [from, to] } as const;
  for await (const path of gitLines(repo, command, { timeoutMs: 50_000 }, 0)) yield decodeText(path);
}

/** A file that was renamed between two commits, possibly with small changes. */
export interface MovedPath {
  readonly from: string;
  readonly to: string;
}

/** Yields the renames between two commits, as detected by git from the content. */
export async function* movedPaths(repo: Repository, from: string, to: string): AsyncGenerator<MovedPath, void> {
  const flags = ['-r', '-M', '-l1000', '--raw', '-z', '--ignore-submodules=none'];
  const command = { name: 'diff-tree', flags, args: [from, to] } as const;
  // Each raw line is followed by one path, or by two for a rename.
  let paths: string[] = [];
  let remaining = 0;
  for await (const part of gitLines(repo, command, { timeoutMs: 50_000 }, 0)) {
    if (remaining === 0) {
      remaining = / R\d+$/.test(part.toString('latin1')) ? 2 : 1;
      paths = [];
    } else {
      paths.push(decodeText(part));
      remaining -= 1;
      const [before = '', after] = paths;
      if (remaining === 0 && after !== undefined) yield { from: before, to: after };
    }
  }
}
