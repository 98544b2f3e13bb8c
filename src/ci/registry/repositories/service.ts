import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { type GroupSubject, type ProjectSubject, readableProject } from '../../../access/subjects.ts';
import { viewerOf } from '../../../access/visibility/visible.ts';
import { findProjects, subjectsOf } from '../../../namespaces/projects/public.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { deleteTags, tagNames } from '../distribution/manifest-store.ts';
import { protectionGuard } from '../protection/guard.ts';
import type { RepositoryRow } from '../tables.ts';
import { groupRepositoryList, repositoriesOfGroup } from './list.ts';
import { addressOf, presentRepositories, presentTag, presentTagDetail } from './present.ts';
import type { RegistryRepositoryEntity, RegistryTagDetailEntity, RegistryTagEntity, Shown } from './schema.ts';
import * as store from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'registry.delete-repository': { readonly repositoryId: number };
  }
}

const batchSize = 200;

export async function requireRepository(
  { db }: Services,
  { project }: ProjectSubject,
  id: number,
): Promise<RepositoryRow> {
  const row = await store.repositoryById(db.read, id);
  if (row?.project_id !== project.id) throw new NotFound();
  return row;
}

const singleProject = (subject: ProjectSubject) => new Map([[subject.project.id, subject]]);

export async function listRepositories(
  services: Services,
  subject: ProjectSubject,
  shown: Shown,
  page: PageRequest,
): Promise<Page<RegistryRepositoryEntity>> {
  const { rows, total } = await store.listOfProject(services.db.read, subject.project.id, page);
  return new Page(await presentRepositories(services, singleProject(subject), rows, shown), total);
}

/** Lists the repositories of a group's projects that the caller can read. */
export async function listGroupRepositories(
  services: Services,
  caller: Actor,
  { group }: GroupSubject,
  page: PageRequest,
): Promise<Page<RegistryRepositoryEntity>> {
  const { read } = services.db;
  const scope = repositoriesOfGroup(read, { group: group.id, ...viewerOf(caller) });
  const { rows, total } = await groupRepositoryList.page(read, scope, {}, { by: 'id', direction: 'asc' }, page);
  const projects = rows.length === 0 ? [] : await findProjects(read, [...new Set(rows.map((row) => row.project_id))]);
  const found = await subjectsOf(read, caller, projects);
  // IP restrictions of a subgroup may deny access to its projects.
  const readable = found.filter((subject) => subject.can('read_container_image'));
  const subjects = new Map(readable.map((subject) => [subject.project.id, subject]));
  return new Page(await presentRepositories(services, subjects, rows), total);
}

/** Finds a repository by ID. */
export async function getRepository(
  services: Services,
  caller: Actor,
  { id, ...shown }: Shown & { readonly id: number },
): Promise<RegistryRepositoryEntity> {
  const row = await store.repositoryById(services.db.read, id);
  if (!row) throw new NotFound();
  const subject = await readableProject(services.db, caller, row.project_id).catch((error: unknown) => {
    // The response must not reveal which project the repository belongs to.
    throw error instanceof NotFound ? new NotFound() : error;
  });
  if (!subject.can('read_container_image')) throw new Forbidden();
  const [entity] = await presentRepositories(services, singleProject(subject), [row], shown);
  if (!entity) throw new NotFound();
  return shown.size ? { ...entity, size: await store.repositorySize(services.db.read, id) } : entity;
}

const tagBatchSize = 1000;

/** Throws if the repository, or any of its tags, is protected. */
async function checkDelete(services: Services, caller: Actor, subject: ProjectSubject, row: RepositoryRow) {
  const guard = await protectionGuard(services, caller, subject);
  if (guard.protectsRepository(`${subject.fullPath}/${row.name}`, 'delete')) throw new Forbidden();
  if (!guard.protectsAnyTag('delete')) return;
  for (let last = ''; ; ) {
    const names = await tagNames(services.db.read, row.id, last, tagBatchSize);
    if (names.some((name) => guard.protectsTag(name, 'delete'))) throw new Forbidden();
    if (names.length < tagBatchSize) return;
    last = names.at(-1) ?? '';
  }
}

/** Schedules a repository for deletion with its contents. */
export async function deleteRepository(services: Services, caller: Actor, subject: ProjectSubject, id: number) {
  const row = await requireRepository(services, subject, id);
  await checkDelete(services, caller, subject, row);
  await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'registry_repositories', id))) throw new NotFound();
    await store.updateRepository(trx, id, { status: 'delete_scheduled', updated_at: Date.now() });
    await services.queue.enqueue(trx, 'registry.delete-repository', { repositoryId: id }, { dedupeKey: `${id}` });
  });
}

export function repositoryJobs({ db, queue }: Services): void {
  queue.defineJob('registry.delete-repository', async ({ payload: { repositoryId }, signal }) => {
    while (!signal.aborted && (await db.write((trx) => store.deleteBatch(trx, repositoryId, batchSize))));
  });
}

export async function listTags(
  services: Services,
  subject: ProjectSubject,
  repositoryId: number,
  page: PageRequest,
): Promise<Page<RegistryTagEntity>> {
  const row = await requireRepository(services, subject, repositoryId);
  const address = addressOf(services, subject, row);
  const { rows, total } = await store.listTags(services.db.read, row.id, page);
  return new Page(
    rows.map(({ name }) => presentTag(address, name)),
    total,
  );
}

export async function getTag(
  services: Services,
  subject: ProjectSubject,
  repositoryId: number,
  name: string,
): Promise<RegistryTagDetailEntity> {
  const row = await requireRepository(services, subject, repositoryId);
  const tag = await store.tagDetail(services.db.read, row.id, name);
  if (!tag) throw new NotFound('Tag');
  return presentTagDetail(addressOf(services, subject, row), tag);
}

export async function deleteTag(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  repositoryId: number,
  name: string,
): Promise<void> {
  const row = await requireRepository(services, subject, repositoryId);
  const guard = await protectionGuard(services, caller, subject);
  await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'registry_repositories', row.id))) throw new NotFound();
    const tag = await store.tagDetail(trx, row.id, name);
    if (!tag) throw new NotFound('Tag');
    if (guard.protectsTag(name, 'delete')) throw new Forbidden();
    await deleteTags(trx, [tag]);
  });
}
