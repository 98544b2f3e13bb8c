import { LFS_POINTER_BYTES } from '../../../platform/git/objects/lfs-pointer.ts';
import { decodeText } from '../../../platform/git/objects/text.ts';
import type { GitCommand, Repository } from '../../../platform/git/process/command.ts';
import { gitLines } from '../../../platform/git/process/output.ts';

const notYetHere = ['--stdin', '--not', '--all'];

function walk(repo: Repository, flags: readonly string[], tips: readonly string[]): AsyncGenerator<Buffer, void> {
  const command: GitCommand = { name: 'rev-list', flags: [...flags, ...notYetHere] };
  return gitLines(repo, command, { stdin: `${tips.join('\n')}\n`, timeoutMs: 50_000 });
}

/** The commits that a push brings. */
export async function* newCommits(repo: Repository, tips: readonly string[]): AsyncGenerator<string, void> {
  for await (const line of walk(repo, [], tips)) yield line.toString('latin1');
}

/** The blobs that a push brings and that are small enough to be LFS pointers. */
export async function* newSmallBlobs(repo: Repository, tips: readonly string[]): AsyncGenerator<string, void> {
  const filter = `--filter=combine:object:type=blob+blob:limit=${LFS_POINTER_BYTES.max + 1}`;
  for await (const line of walk(repo, ['--objects', '--no-object-names', filter], tips)) yield line.toString('latin1');
}

/** A file that a commit adds, changes or removes, against its first parent. */
export interface ChangedFile {
  readonly path: string;
  /** Null when the commit removes the file. */
  readonly blob: string | null;
  /** What the file was before; null when there was none. */
  readonly was: string | null;
  readonly added: boolean;
}

/** The files that the commits of a push touch. */
export async function* changedFiles(repo: Repository, commits: readonly string[]): AsyncGenerator<ChangedFile, void> {
  const flags = [
    '--stdin',
    '-r',
    '--root',
    '--raw',
    '--no-abbrev',
    '-z',
    '--no-commit-id',
    '--diff-merges=first-parent',
  ];
  const options = { stdin: `${commits.join('\n')}\n`, timeoutMs: 50_000 };
  let header: Omit<ChangedFile, 'path'> | undefined;
  for await (const field of gitLines(repo, { name: 'diff-tree', flags }, options, 0)) {
    if (header === undefined) header = readHeader(field.toString('latin1'));
    else {
      yield { path: decodeText(field), ...header };
      header = undefined;
    }
  }
}

// `:100644 100644 <old id> <new id> M`; links to other repositories carry the id of a commit, not of a blob.
function readHeader(text: string): Omit<ChangedFile, 'path'> | undefined {
  const match = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])/.exec(text);
  if (!match) return undefined;
  const [, oldMode, mode, oldId, id, status] = match;
  const isFile = status !== 'D' && mode !== '160000';
  const wasFile = status !== 'A' && oldMode !== '160000';
  return { blob: isFile ? (id as string) : null, was: wasFile ? (oldId as string) : null, added: status === 'A' };
}
