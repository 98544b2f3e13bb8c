import { downloadLfsObjects, LfsFailed, type LfsPointer, lfsPointers } from '../../code/lfs/public.ts';
import type { Credentials } from '../../platform/git/remote/address.ts';
import { RateLimited } from '../host-client/public.ts';
import type { ImportRun } from '../project-imports/public.ts';
import { importTargets } from './repository.ts';

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
    for await (const pointers of lfsPointers(services, project.id, { signal })) await fetchSome(pointers);
  } catch (error) {
    if (!(error instanceof LfsFailed)) throw error;
    if (error.status === 429) throw new RateLimited(patience);
    // A server that knows nothing of large files has none.
    await run.fail('lfs_object', 'batch', error);
  }
}
