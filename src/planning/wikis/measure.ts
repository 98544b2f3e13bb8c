import type { OwnerColumns } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { updateRepositoryColumns } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { repositorySize } from '../../platform/git/upkeep/size.ts';
import type { Job } from '../../platform/queue/job.ts';
import { wikiOf } from './repository.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'wikis.measure': { projectId: number };
  }
}

/** Delay that combines several changes in a row into one measurement. */
const waitMs = 1000;

/** Enqueues a size measurement of a project wiki; the size of group wikis is not shown. */
export async function enqueueMeasure({ queue }: Services, trx: Writer, { project_id }: OwnerColumns): Promise<void> {
  if (project_id === null) return;
  const options = { dedupeKey: `${project_id}`, runAt: Date.now() + waitMs };
  await queue.enqueue(trx, 'wikis.measure', { projectId: project_id }, options);
}

export async function measureWiki(services: Services, { payload, signal }: Job<{ projectId: number }>): Promise<void> {
  const { projectId } = payload;
  const repo = wikiOf(services, { project_id: projectId, namespace_id: null });
  if (!(await repositoryExists(repo))) return;
  const wiki_size = await repositorySize(repo, { signal });
  await services.db.write((trx) => updateRepositoryColumns(trx, projectId, { wiki_size }));
}
