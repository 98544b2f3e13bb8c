import { LFS_POINTER_BYTES } from '../../../platform/git/objects/lfs-pointer.ts';
import { decodeText } from '../../../platform/git/objects/text.ts';
import type { GitCommand, Repository } from '../../../platform/git/process/command.ts';
import { gitLines } from '../../../platform/git/process/output.ts';

const excludeExisting = ['--stdin', '--not', '--all'];

function walk(repo: Repository, flags: readonly string[], tips: readonly string[]): AsyncGenerator<Buffer, void> {
  const command: GitCommand = { name: 'rev-list', flags: [...flags, ...excludeExisting] };
  return gitLines(repo, command, { stdin: `${tips.join('\n')}\n`, timeoutMs: 50_000 });
}

/** Lists the new commits of a push. */
export async function* newCommits(repo: Repository, tips: readonly string[]): AsyncGenerator<string, void> {
  for await (const line of walk(repo, [], tips)) yield line.toString('latin1');
}

/** Lists the new blobs of a push that are small enough to be LFS pointers. */
export async function* newSmallBlobs(repo: Repository, tips: readonly string[]): AsyncGenerator<string, void> {
  const filter = `--filter=combine:object:type=blob+blob:limit=${LFS_POINTER_BYTES.max + 1}`;
  for await (const line of walk(repo, ['--objects', '--no-object-names', filter], tips)) yield line.toString('latin1');
}

/** A file changed by a commit, compared with its first parent. */
export interface ChangedFile {
  readonly path: string;
  /** Null if the commit deletes the file. */
  readonly blob: string | null;
  /** The previous blob; null if the file is new. */
  readonly was: string | null;
  readonly added: boolean;
}

/** Lists the files changed by the given commits. */
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

// `:100644 100644 <old id> <new id> M`. For submodules the IDs are commits, not blobs.
function readHeader(text: string): Omit<ChangedFile, 'path'> | undefined {
  const match = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])/.exec(text);
  if (!match) return undefined;
  const [, oldMode, mode, oldId, id, status] = match;
  const isFile = status !== 'D' && mode !== '160000';
  const wasFile = status !== 'A' && oldMode !== '160000';
  return { blob: isFile ? (id as string) : null, was: wasFile ? (oldId as string) : null, added: status === 'A' };
}
