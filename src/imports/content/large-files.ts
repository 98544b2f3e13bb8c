import { downloadLfsObjects, LfsFailed, type LfsPointer } from '../../code/lfs/public.ts';
import { LFS_POINTER_BYTES, parseLfsPointer } from '../../platform/git/objects/lfs-pointer.ts';
import { gitLines } from '../../platform/git/process/output.ts';
import type { Credentials } from '../../platform/git/remote/address.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { RateLimited } from '../host-client/public.ts';
import type { ImportRun } from '../project-imports/public.ts';
import { importTargets } from './repository.ts';

const atOnce = 100;
const patience = 120_000;

/** The large files that the repository points to; one that cannot be had is kept as a failure. */
export async function importLfsObjects(run: ImportRun, url: string, credentials: Credentials): Promise<void> {
  const { services, project, signal } = run;
  const target = await services.egress.checkUrl(url, importTargets);
  const remote = { url: target.url, credentials };
  const fetchSome = async (pointers: readonly LfsPointer[]) => {
    const failed = new Set<string>();
    await downloadLfsObjects(services, project.id, remote, pointers, signal, async ({ oid }, reason) => {
      failed.add(oid);
      await run.fail('lfs_object', oid, new Error(reason));
    });
    for (const { oid } of pointers) if (!failed.has(oid)) await run.once('lfs_object', oid, async () => null);
  };
  try {
    for await (const pointers of pointersOf(run)) await fetchSome(pointers);
  } catch (error) {
    if (!(error instanceof LfsFailed)) throw error;
    if (error.status === 429) throw new RateLimited(patience);
    // A server that knows nothing of large files has none.
    await run.fail('lfs_object', 'batch', error);
  }
}

async function* pointersOf({ services, project, signal }: ImportRun): AsyncGenerator<LfsPointer[], void> {
  const repo = services.git.repository(project.id);
  if (!(await repositoryExists(repo))) return;
  const objects = services.git.objects(repo);
  const filter = `--filter=combine:object:type=blob+blob:limit=${LFS_POINTER_BYTES.max + 1}`;
  const command = { name: 'rev-list', flags: ['--objects', '--no-object-names', filter, '--all'] } as const;
  let found: LfsPointer[] = [];
  for await (const line of gitLines(repo, command, { signal, timeoutMs: 60 * 60_000 })) {
    const blob = await objects.blob(line.toString('latin1'));
    const pointer = blob && parseLfsPointer(blob);
    if (!pointer) continue;
    found.push(pointer);
    if (found.length < atOnce) continue;
    yield found;
    found = [];
  }
  if (found.length > 0) yield found;
}
