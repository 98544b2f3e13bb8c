import type { Services } from '../../access/services.ts';
import { LFS_POINTER_BYTES, type LfsPointer, parseLfsPointer } from '../../platform/git/objects/lfs-pointer.ts';
import { gitLines } from '../../platform/git/process/output.ts';
import { repositoryExists } from '../../platform/git/repository.ts';

const batchSize = 100;

/** The objects to scan: everything, or only what is reachable from the tips but from no other ref. */
interface Range {
  readonly tips?: readonly string[];
  /** Pattern of refs that are not excluded. */
  readonly except?: string;
  readonly signal: AbortSignal;
}

/** Yields the LFS pointers of a repository in batches. */
export async function* lfsPointers(
  { git }: Services,
  projectId: number,
  { tips, except, signal }: Range,
): AsyncGenerator<LfsPointer[], void> {
  const repo = git.repository(projectId);
  if (!(await repositoryExists(repo))) return;
  const objects = git.objects(repo);
  const filter = `--filter=combine:object:type=blob+blob:limit=${LFS_POINTER_BYTES.max + 1}`;
  const exclude = except === undefined ? [] : [`--exclude=${except}`];
  const flags = ['--objects', '--no-object-names', filter, ...(tips ? ['--stdin', '--not', ...exclude] : []), '--all'];
  const stdin = tips ? { stdin: `${tips.join('\n')}\n` } : {};
  const options = { ...stdin, signal, timeoutMs: 60 * 60_000 };
  let found: LfsPointer[] = [];
  for await (const line of gitLines(repo, { name: 'rev-list', flags }, options)) {
    const blob = await objects.blob(line.toString('latin1'));
    const pointer = blob && parseLfsPointer(blob);
    if (!pointer) continue;
    found.push(pointer);
    if (found.length < batchSize) continue;
    yield found;
    found = [];
  }
  if (found.length > 0) yield found;
}
