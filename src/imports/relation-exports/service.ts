import { isProject, ownerColumnsOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { HttpError, NotFound } from '../../platform/http/errors.ts';
import { FileMissing, type OpenFile } from '../../platform/storage/storage.ts';
import { exportedGroup, exportedProject } from './exported.ts';
import { isBatchable, relationNames } from './files.ts';
import { payloadOf } from './jobs.ts';
import { presentRelation } from './present.ts';
import type { RelationStateEntity } from './schema.ts';
import * as store from './store.ts';

async function requireEnabled({ settings }: Services): Promise<void> {
  if (!(await settings.read()).bulk_import_enabled) throw new NotFound();
}

const missing = (message: string) => new HttpError(404, { message });

/** Requests exports of all relations. */
export async function startRelations(
  services: Services,
  place: ProjectOrGroup,
  batched: boolean,
): Promise<{ message: string }> {
  await requireEnabled(services);
  const owner = ownerColumnsOf(place);
  const nowhere = { folder: '', signal: AbortSignal.abort() };
  const exported = isProject(place)
    ? exportedProject(services, place.project, nowhere)
    : exportedGroup(services, place.group);
  const asked_at = Date.now();
  await services.db.write(async (trx) => {
    for (const relation of relationNames(exported)) {
      const parts = batched && isBatchable(exported, relation) ? 1 : 0;
      await store.requestRelation(trx, { ...owner, relation, batched: parts, asked_at });
      const { payload, dedupeKey } = payloadOf(owner, relation);
      await services.queue.enqueue(trx, 'relation-exports.make', payload, { dedupeKey });
    }
  });
  return { message: '202 Accepted' };
}

/** Export status of all relations. Not paginated, because their number is fixed. */
export async function relationStates(services: Services, place: ProjectOrGroup): Promise<RelationStateEntity[]> {
  await requireEnabled(services);
  const { read } = services.db;
  const rows = await store.exportsOf(read, ownerColumnsOf(place));
  const ids = rows.map(({ id }) => id);
  const files = Map.groupBy(await store.filesOf(read, ids), ({ export_id }) => export_id);
  return rows.map((row) => presentRelation(row, files.get(row.id) ?? []));
}

export async function relationState(
  services: Services,
  place: ProjectOrGroup,
  relation: string,
): Promise<RelationStateEntity> {
  await requireEnabled(services);
  const { read } = services.db;
  const row = await store.findExport(read, ownerColumnsOf(place), relation);
  if (!row) throw missing('Export not found');
  return presentRelation(row, await store.filesOf(read, [row.id]));
}

/** Opens the file of a relation, or one of its batches. */
export async function openRelation(
  services: Services,
  place: ProjectOrGroup,
  relation: string,
  batch: number | undefined,
): Promise<{ file: OpenFile; filename: string }> {
  await requireEnabled(services);
  const { read } = services.db;
  const row = await store.findExport(read, ownerColumnsOf(place), relation);
  if (!row) throw missing('Export not found');
  const found = await store.findFile(read, row.id, batch ?? 0);
  const absent = missing(batch === undefined ? 'Export file not found' : 'Batch not found');
  if (!found) throw absent;
  const file = await services.storage.get(found.storage_key).catch((error: unknown) => {
    throw error instanceof FileMissing ? absent : error;
  });
  return { file, filename: found.filename };
}
