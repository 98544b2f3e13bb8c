import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { HttpError, NotFound, TooManyRequests } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import type { ParamsOf } from '../../platform/http/params.ts';
import { trimTrailing } from '../../platform/trim.ts';
import { checkDestination, checkEntities, checkEntity, checkSource, slugOf, typeOf } from './checks.ts';
import { bulkImportList, entitiesOfImport, entityList } from './list.ts';
import { presentEntity, presentFailure, presentImport } from './present.ts';
import type * as schema from './schema.ts';
import { packAccess, sourceClient } from './source.ts';
import * as store from './store.ts';
import type { BulkImportRow, EntityRow } from './tables.ts';

const perMinute = { count: 6, period: 60_000 };

async function requireEnabled({ settings }: Services): Promise<void> {
  if (!(await settings.read()).bulk_import_enabled) throw new NotFound();
}

/** Starts a migration after validating the request and the source. */
export async function startTransfer(
  services: Services,
  caller: SignedInActor,
  { configuration, entities }: schema.NewBulkImportParams,
): Promise<schema.BulkImportEntity> {
  await requireEnabled(services);
  checkEntities(entities);
  const access = { url: await sourceUrl(services, configuration.url), token: configuration.access_token };
  for (const entity of entities) await checkDestination(services, caller, entity);
  // The following checks send requests to other servers.
  const { exceeded } = await services.limits.count('bulk_import', caller.user.id, perMinute);
  if (exceeded) throw new TooManyRequests();
  const client = sourceClient(services, access);
  await checkSource(client);
  for (const entity of entities) await checkEntity(client, entity);
  return services.db.write(async (trx) => {
    const now = Date.now();
    const times = { created_at: now, updated_at: now };
    const row = await store.insertBulkImport(trx, {
      user_id: caller.user.id,
      status: 'created',
      source_url: access.url,
      encrypted_data: packAccess(services, access),
      ...times,
    });
    for (const entity of entities) {
      const made = await store.insertEntity(trx, {
        bulk_import_id: row.id,
        user_id: caller.user.id,
        parent_id: null,
        entity_type: typeOf(entity),
        source_full_path: entity.source_full_path,
        destination_namespace: entity.destination_namespace,
        destination_slug: slugOf(entity),
        migrate_projects: entity.migrate_projects ? 1 : 0,
        migrate_memberships: entity.migrate_memberships ? 1 : 0,
        status: 'created',
        ...times,
      });
      if (made) await services.queue.enqueue(trx, 'bulk-imports.entity', { entityId: made.id });
    }
    return presentImport(row);
  });
}

/** Validates the URL of the source server; only its origin is used. */
async function sourceUrl({ egress }: Services, text: string): Promise<string> {
  const urlBlocked = (why: string) => new HttpError(422, { message: `Validation failed: Url is blocked: ${why}` });
  try {
    const { url } = await egress.checkUrl(text);
    if (url.username !== '' || url.password !== '') throw urlBlocked('credentials are not allowed in the URL');
    return trimTrailing(`${url.origin}${url.pathname}`, '/');
  } catch (error) {
    throw error instanceof EgressRefused ? urlBlocked(error.message) : error;
  }
}

export async function listTransfers(
  services: Services,
  caller: SignedInActor,
  { sort, ...filters }: ParamsOf<typeof schema.importList>,
  slice: PageRequest,
): Promise<Page<schema.BulkImportEntity>> {
  await requireEnabled(services);
  const order = { by: 'id', direction: sort } as const;
  const { rows, total } = await bulkImportList.page(services.db.read, { user: caller.user.id }, filters, order, slice);
  return new Page(rows.map(presentImport), total);
}

export async function listAllEntities(
  services: Services,
  caller: SignedInActor,
  { sort, ...filters }: ParamsOf<typeof schema.allEntities>,
  slice: PageRequest,
): Promise<Page<schema.TransferEntityEntity>> {
  await requireEnabled(services);
  const order = { by: 'id', direction: sort } as const;
  const { rows, total } = await entityList.page(services.db.read, { user: caller.user.id }, filters, order, slice);
  return new Page(await withFailures(services, rows), total);
}

export async function getTransfer(services: Services, caller: SignedInActor, id: number) {
  return presentImport(await requireTransfer(services, caller, id));
}

export async function listEntities(
  services: Services,
  caller: SignedInActor,
  { import_id, ...filters }: ParamsOf<typeof schema.entitiesIn>,
  slice: PageRequest,
): Promise<Page<schema.TransferEntityEntity>> {
  const { id } = await requireTransfer(services, caller, import_id);
  const order = { by: 'id', direction: 'asc' } as const;
  const { rows, total } = await entitiesOfImport.page(services.db.read, { bulkImport: id }, filters, order, slice);
  return new Page(await withFailures(services, rows), total);
}

export async function getEntity(
  services: Services,
  caller: SignedInActor,
  params: ParamsOf<typeof schema.oneEntity>,
): Promise<schema.TransferEntityEntity> {
  const entity = await requireEntity(services, caller, params);
  return presentEntity(entity, await store.failuresOf(services.db.read, [entity.id]));
}

export async function listFailures(
  services: Services,
  caller: SignedInActor,
  params: ParamsOf<typeof schema.oneEntity>,
): Promise<schema.TransferFailureEntity[]> {
  const entity = await requireEntity(services, caller, params);
  return (await store.failuresOf(services.db.read, [entity.id])).map(presentFailure);
}

/** Cancels a migration. Imported content is kept. Ended migrations are unchanged. */
export async function cancelTransfer(services: Services, caller: SignedInActor, id: number) {
  const found = await requireTransfer(services, caller, id);
  return services.db.write(async (trx) => {
    if (await store.updateBulkImport(trx, id, { status: 'canceled', encrypted_data: null })) {
      await store.endEntities(trx, id, 'canceled');
      await services.queue.enqueue(trx, 'bulk-imports.cancel', { bulkImportId: id });
    }
    return presentImport((await store.findBulkImport(trx, id)) ?? found);
  });
}

/** Other users' migrations can only be accessed by administrators. */
async function requireTransfer(services: Services, caller: SignedInActor, id: number): Promise<BulkImportRow> {
  await requireEnabled(services);
  const row = await store.findBulkImport(services.db.read, id);
  if (!row || (row.user_id !== caller.user.id && !isAdmin(caller))) throw NotFound.record();
  return row;
}

async function requireEntity(
  services: Services,
  caller: SignedInActor,
  { import_id, entity_id }: ParamsOf<typeof schema.oneEntity>,
): Promise<EntityRow> {
  await requireTransfer(services, caller, import_id);
  const entity = await store.findEntity(services.db.read, entity_id);
  if (entity?.bulk_import_id !== import_id) throw NotFound.record();
  return entity;
}

async function withFailures({ db }: Services, rows: readonly EntityRow[]): Promise<schema.TransferEntityEntity[]> {
  const failed = rows.filter(({ has_failures }) => has_failures === 1).map(({ id }) => id);
  const failures = Map.groupBy(await store.failuresOf(db.read, failed), ({ entity_id }) => entity_id);
  return rows.map((row) => presentEntity(row, failures.get(row.id) ?? []));
}
