import type { Actor, SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject, readableProject } from '../../../access/subjects.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRows } from '../../../platform/database/locks.ts';
import { Conflict, Forbidden, Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { mayUpdate } from '../access.ts';
import { requestScope } from '../lists/browse.ts';
import { enqueueAutoMerge } from '../merge/auto-merge-queue.ts';
import { presentRequests } from '../present.ts';
import { requireRequest } from '../service.ts';
import { findRequest, requestById, requestsById } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { blockeeList, blockList } from './list.ts';
import type { BlockEntity, NewBlockParams } from './schema.ts';
import * as store from './store.ts';
import type { BlockRow } from './tables.ts';

async function present(services: Services, caller: Actor, rows: readonly BlockRow[]): Promise<BlockEntity[]> {
  const ids = rows.flatMap(({ blocking_id, blocked_id }) => [blocking_id, blocked_id]);
  const requests = [...(await requestsById(services.db.read, ids)).values()];
  const entities = await presentRequests(services, caller, requests, { within: null });
  const byId = new Map(entities.map((entity) => [entity.id, entity]));
  return rows.flatMap(({ id, blocking_id, blocked_id }) => {
    const [blocking, blocked] = [byId.get(blocking_id), byId.get(blocked_id)];
    if (!blocking || !blocked) return [];
    const pair = { blocking_merge_request: blocking, blocked_merge_request: blocked };
    return [{ id, ...pair, project_id: blocked.project_id }];
  });
}

/** Lists the merge requests that block a merge request, or those that it blocks. */
export async function listBlocks(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  side: 'blocks' | 'blockees',
  page: PageRequest,
): Promise<Page<BlockEntity>> {
  const { request } = await requireRequest(services, subject, iid);
  const scope = { ...requestScope(caller, null), request: request.id };
  const order = { by: 'id', direction: 'asc' } as const;
  const list = side === 'blocks' ? blockList : blockeeList;
  const { rows, total } = await list.page(services.db.read, scope, {}, order, page);
  return new Page(await present(services, caller, rows), total);
}

/** Returns the blocking merge request if the caller may read it. */
async function requireBlocking(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: NewBlockParams,
): Promise<MergeRequestRow> {
  const { read } = services.db;
  const { blocking_merge_request_id: id, blocking_merge_request_iid: iid, blocking_project_id: path } = params;
  const place = path === undefined ? subject : await readableProject(services.db, caller, path);
  const found = id === undefined ? await findRequest(read, place.project.id, iid ?? 0) : await requestById(read, id);
  const project = found && (await findProject(read, found.project_id));
  if (!found || !project) throw NotFound.record();
  if (!(await projectSubject(read, caller, project)).can('read_merge_request')) throw NotFound.record();
  return found;
}

export async function createBlock(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: NewBlockParams,
): Promise<BlockEntity> {
  const { request, assigneeIds } = await requireRequest(services, subject, params.merge_request_iid);
  if (!mayUpdate(caller, subject, request, assigneeIds)) throw new Forbidden();
  const blocking = await requireBlocking(services, caller, subject, params);
  if (blocking.id === request.id) throw new Invalid({ base: ['This block is self-referential'] });
  const row = await services.db.write(async (trx) => {
    // Two concurrent requests could make the merge requests block each other.
    await lockRows(trx, 'merge_requests', [request.id, blocking.id]);
    if (await store.blocks(trx, request.id, blocking.id)) {
      throw new Invalid({ base: ['Two merge requests cannot block each other'] });
    }
    return store.insertBlock(trx, blocking.id, request.id);
  });
  if (!row) throw new Conflict('Block already exists');
  const [entity] = await present(services, caller, [row]);
  if (!entity) throw NotFound.record();
  return entity;
}

async function requireBlock(services: Services, caller: Actor, request: MergeRequestRow, id: number) {
  const block = await store.findBlock(services.db.read, id);
  const [entity] = block?.blocked_id === request.id ? await present(services, caller, [block]) : [];
  if (!block || !entity) throw NotFound.record();
  return { block, entity };
}

export async function getBlock(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  { merge_request_iid: iid, block_id: id }: { merge_request_iid: number; block_id: number },
): Promise<BlockEntity> {
  const { request } = await requireRequest(services, subject, iid);
  const { entity } = await requireBlock(services, caller, request, id);
  const project = await findProject(services.db.read, entity.blocking_merge_request.project_id);
  const place = project && (await projectSubject(services.db.read, caller, project));
  if (!place?.can('read_merge_request')) throw NotFound.record();
  return entity;
}

export async function deleteBlock(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { merge_request_iid: iid, block_id: id }: { merge_request_iid: number; block_id: number },
): Promise<void> {
  const { request, assigneeIds } = await requireRequest(services, subject, iid);
  if (!mayUpdate(caller, subject, request, assigneeIds)) throw new Forbidden();
  const { block } = await requireBlock(services, caller, request, id);
  await services.db.write(async (trx) => {
    await store.deleteBlock(trx, block.id);
    await enqueueAutoMerge(services, trx, request);
  });
}

/** Triggers the automatic merge of the merge requests that a merged one has blocked. */
export async function releaseBlockees(
  services: Services,
  trx: Writer,
  { action, after }: { readonly action: string; readonly after: { readonly request: MergeRequestRow } },
): Promise<void> {
  if (action !== 'merge') return;
  for (const request of await store.openBlockees(trx, after.request.id)) await enqueueAutoMerge(services, trx, request);
}
