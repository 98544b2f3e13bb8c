import { downloadLfsObjects, LfsFailed, type LfsPointer, lfsPointers } from '../../code/lfs/public.ts';
import type { Credentials } from '../../platform/git/remote/address.ts';
import { RateLimited } from '../host-client/public.ts';
import type { ImportRun } from '../project-imports/public.ts';
import { importTargets } from './repository.ts';

const rateLimitWaitMs = 120_000;

/** Imports the LFS objects of the repository. Objects that cannot be fetched are recorded as failures. */
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
    if (error.status === 429) throw new RateLimited(rateLimitWaitMs);
    // A server without LFS support has no LFS objects.
    await run.fail('lfs_object', 'batch', error);
  }
}
