import type { Insertable, Updateable } from 'kysely';
import type { OwnerColumns } from '../../../access/project-or-group.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import { storedStrings } from '../../../platform/stored-json.ts';
import type { EventSwitch } from '../events.ts';
import type { WebhookRow, WebhooksTable } from '../tables.ts';

function hooksOf(db: Reader, { project_id, namespace_id }: OwnerColumns) {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('project_id', project_id === null ? 'is' : '=', project_id)
    .where('namespace_id', namespace_id === null ? 'is' : '=', namespace_id);
}

export function listHooks(db: Reader, owner: OwnerColumns, slice: Slice) {
  return fetchPage(db, hooksOf(db, owner).orderBy('id'), slice);
}

export function findHook(db: Reader, owner: OwnerColumns, id: number): Promise<WebhookRow | undefined> {
  return hooksOf(db, owner).where('id', '=', id).executeTakeFirst();
}

export function hookById(db: Reader, id: number): Promise<WebhookRow | undefined> {
  return db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
}

/** A webhook that nobody else changes until the transaction ends. */
export function lockHook(trx: Writer, id: number): Promise<WebhookRow | undefined> {
  return lockRow(trx, 'webhooks', id);
}

export async function countHooks(db: Reader, owner: OwnerColumns): Promise<number> {
  const { count } = await hooksOf(db, owner)
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function insertHook(trx: Writer, row: Insertable<WebhooksTable>): Promise<WebhookRow> {
  return trx.insertInto('webhooks').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateHook(trx: Writer, id: number, change: Updateable<WebhooksTable>): Promise<WebhookRow> {
  return trx.updateTable('webhooks').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteHook(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('webhooks').where('id', '=', id).execute();
}

const hooksAround = statement((db, param: Param<{ projectId: number; namespaceId: number }>) =>
  db
    .selectFrom('webhooks as w')
    .selectAll('w')
    .where('w.project_id', '=', param('projectId'))
    .unionAll(
      db
        .selectFrom('namespace_ancestors as a')
        .innerJoin('webhooks as w', 'w.namespace_id', 'a.ancestor_id')
        .selectAll('w')
        .where('a.namespace_id', '=', param('namespaceId')),
    ),
);

const systemHooks = statement((db, _param: Param<Record<never, never>>) =>
  db.selectFrom('webhooks as w').selectAll('w').where('w.project_id', 'is', null).where('w.namespace_id', 'is', null),
);

const isOn = (hook: WebhookRow, name: EventSwitch) => storedStrings(hook.events).includes(name);

/** The webhooks of a project and of all groups around it, or of a group and those around that, with a switch on. */
export async function hooksListening(
  db: Reader,
  place: { readonly projectId?: number; readonly namespaceId: number },
  name: EventSwitch,
): Promise<WebhookRow[]> {
  const { projectId = 0, namespaceId } = place;
  return (await hooksAround.all(db, { projectId, namespaceId })).filter((hook) => isOn(hook, name));
}

/** The webhooks of the instance: all of them, or those with a switch on. */
export async function systemHooksListening(db: Reader, name?: EventSwitch): Promise<WebhookRow[]> {
  const hooks = await systemHooks.all(db, {});
  return name === undefined ? hooks : hooks.filter((hook) => isOn(hook, name));
}
