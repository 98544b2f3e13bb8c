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
    .where('namespace_id', namespace_id === null ? 'is' : '=', namespace_id)
    .where('kind', 'is', null);
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

/** Locks a webhook until the end of the transaction. */
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

const hooksOfProject = statement((db, param: Param<{ projectId: number }>) =>
  db
    .selectFrom('webhooks as w')
    .selectAll('w')
    .select((eb) => eb.lit<number>(0).as('distance'))
    .where('w.project_id', '=', param('projectId'))
    .unionAll(
      db
        .selectFrom('projects as p')
        .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'p.namespace_id')
        .innerJoin('webhooks as w', 'w.namespace_id', 'a.ancestor_id')
        .selectAll('w')
        .select((eb) => eb('a.depth', '+', 1).as('distance'))
        .where('p.id', '=', param('projectId')),
    ),
);

const hooksOfGroup = statement((db, param: Param<{ namespaceId: number }>) =>
  db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('webhooks as w', 'w.namespace_id', 'a.ancestor_id')
    .selectAll('w')
    .select('a.depth as distance')
    .where('a.namespace_id', '=', param('namespaceId')),
);

const systemHooks = statement((db, _param: Param<Record<never, never>>) =>
  db.selectFrom('webhooks as w').selectAll('w').where('w.project_id', 'is', null).where('w.namespace_id', 'is', null),
);

const isOn = (hook: WebhookRow, names: readonly EventSwitch[]) => {
  const events = storedStrings(hook.events);
  return names.some((name) => events.includes(name));
};

/** The project or group of an event. */
export type HookScope = { readonly projectId: number } | { readonly namespaceId: number };

/** A webhook, and how many levels above the place it is defined. */
export type PlacedHook = WebhookRow & { readonly distance: number };

/** Keeps only the nearest integration of each kind: a project's own overrides its group's. */
function withoutOverruled(hooks: readonly PlacedHook[]): PlacedHook[] {
  return hooks.filter(
    ({ kind, distance }) => kind === null || hooks.every((other) => other.kind !== kind || other.distance >= distance),
  );
}

function hooksAround(db: Reader, place: HookScope): Promise<PlacedHook[]> {
  return 'projectId' in place ? hooksOfProject.all(db, place) : hooksOfGroup.all(db, place);
}

/** Returns the integrations in effect for a place, active or not, ordered by name. */
export async function effectiveIntegrations(db: Reader, place: HookScope): Promise<PlacedHook[]> {
  const found = withoutOverruled(await hooksAround(db, place)).filter(({ kind }) => kind !== null);
  return found.sort((one, other) => (one.kind ?? '').localeCompare(other.kind ?? ''));
}

/** Returns the integration of a kind that each project uses, active or not: its own, or that of the nearest group. */
export async function integrationsOfProjects(
  db: Reader,
  kind: string,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, WebhookRow>> {
  if (projectIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('webhooks as w')
    .selectAll('w')
    .select((eb) => ['w.project_id as used_by', eb.lit<number>(0).as('distance')])
    .where('w.project_id', 'in', projectIds)
    .where('w.kind', '=', kind)
    .unionAll(
      db
        .selectFrom('projects as p')
        .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'p.namespace_id')
        .innerJoin('webhooks as w', 'w.namespace_id', 'a.ancestor_id')
        .selectAll('w')
        .select((eb) => ['p.id as used_by', eb('a.depth', '+', 1).as('distance')])
        .where('p.id', 'in', projectIds)
        .where('w.kind', '=', kind),
    )
    .execute();
  const farthestFirst = rows.sort((one, other) => other.distance - one.distance);
  return new Map(farthestFirst.map(({ used_by, distance: _, ...row }) => [used_by ?? 0, row]));
}

/** Returns the webhooks of a place and all groups above it that are subscribed to one of the events. */
export async function hooksListening(
  db: Reader,
  place: HookScope,
  ...names: readonly EventSwitch[]
): Promise<WebhookRow[]> {
  const hooks = withoutOverruled(await hooksAround(db, place));
  return hooks.filter((hook) => hook.active === 1 && isOn(hook, names));
}

/** Returns the system hooks, or those subscribed to one of the events. */
export async function systemHooksListening(db: Reader, ...names: readonly EventSwitch[]): Promise<WebhookRow[]> {
  const hooks = await systemHooks.all(db, {});
  return names.length === 0 ? hooks : hooks.filter((hook) => isOn(hook, names));
}
