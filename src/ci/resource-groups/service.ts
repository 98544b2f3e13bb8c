import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { instant } from '../../platform/http/schema.ts';
import { type JobEntity, presentJobs } from '../jobs/public.ts';
import { scheduleNext } from './assignment.ts';
import type { ResourceGroupEntity } from './schema.ts';
import * as store from './store.ts';
import type { ProcessMode, ResourceGroupRow } from './tables.ts';

function present({ id, key, process_mode, created_at, updated_at }: ResourceGroupRow): ResourceGroupEntity {
  return { id, key, process_mode, created_at: instant(created_at), updated_at: instant(updated_at) };
}

async function requireGroup({ db }: Services, subject: ProjectSubject, key: string): Promise<ResourceGroupRow> {
  const row = await store.groupByKey(db.read, subject.project.id, key);
  if (!row) throw new NotFound();
  return row;
}

export async function listGroups(
  { db }: Services,
  subject: ProjectSubject,
  slice: Slice,
): Promise<Page<ResourceGroupEntity>> {
  const { rows, total } = await store.listGroups(db.read, subject.project.id, slice);
  return new Page(rows, total).map(present);
}

export async function getGroup(services: Services, subject: ProjectSubject, key: string): Promise<ResourceGroupEntity> {
  return present(await requireGroup(services, subject, key));
}

export async function updateGroup(
  services: Services,
  subject: ProjectSubject,
  key: string,
  mode: ProcessMode | undefined,
): Promise<ResourceGroupEntity> {
  const row = await requireGroup(services, subject, key);
  if (mode === undefined) return present(row);
  const changed = await services.db.write(async (trx) => {
    // Another job may be next in the new mode.
    await scheduleNext(services, trx, row.id);
    return store.updateGroup(trx, row.id, mode);
  });
  return present(changed);
}

/** The job that holds the resource. */
export async function currentJob(services: Services, subject: ProjectSubject, key: string): Promise<JobEntity | null> {
  const { id } = await requireGroup(services, subject, key);
  const holder = await store.holderOf(services.db.read, id);
  const [entity] = holder ? await presentJobs(services, subject, [holder]) : [];
  return entity ?? null;
}

export async function upcomingJobs(
  services: Services,
  subject: ProjectSubject,
  key: string,
  slice: Slice,
): Promise<Page<JobEntity>> {
  const group = await requireGroup(services, subject, key);
  const { rows, total } = await store.listUpcoming(services.db.read, group, slice);
  return new Page(await presentJobs(services, subject, rows), total);
}
