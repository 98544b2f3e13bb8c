import { Type } from 'typebox';
import { lockProject } from '../../namespaces/projects/public.ts';
import type { Database, Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { storedJson } from '../../platform/stored-json.ts';
import { defaultBranchRemoved } from './checks/ref-rules.ts';
import { PushRefused, type PushRequest, type RefChange } from './push.ts';
import type { PushRow } from './tables.ts';

/** A recorded push that has not been announced yet. */
export type Intent = Pick<
  PushRow,
  'id' | 'project_id' | 'user_id' | 'deploy_key_id' | 'protocol' | 'push_options' | 'created_at'
>;

/** Durably records the intent of a push, before any ref is updated. */
export async function recordIntent(db: Database, request: PushRequest): Promise<Intent> {
  const { actor, subject } = request;
  const row = {
    project_id: subject.project.id,
    user_id: actor.user?.id ?? actor.deploy?.ownerId ?? null,
    deploy_key_id: actor.carrier === 'deploy-key' ? (actor.deploy?.id ?? null) : null,
    protocol: request.protocol,
    state: 'pending' as const,
    changes: writeChanges(request.changes),
    push_options: JSON.stringify(request.pushOptions ?? []),
    created_at: Date.now(),
  };
  const removed = removedBranches(request.changes);
  const work = async (trx: Writer) => {
    if (removed.length > 0) await keepDefaultBranch(trx, row.project_id, removed);
    await request.recordedWith?.(trx);
    return trx.insertInto('pushes').values(row).returning('id').executeTakeFirstOrThrow();
  };
  const { id } = await db.write(work, { together: !request.recordedWith && removed.length === 0 });
  return { ...row, id };
}

const branchPrefix = 'refs/heads/';

function removedBranches(changes: readonly RefChange[]): string[] {
  const removed = changes.filter((change) => change.new === null && change.ref.startsWith(branchPrefix));
  return removed.map(({ ref }) => ref.slice(branchPrefix.length));
}

/** Rejects the removal of a branch that has become the default branch since the push was checked. */
async function keepDefaultBranch(trx: Writer, projectId: number, removed: readonly string[]): Promise<void> {
  const { default_branch: name } = await lockProject(trx, projectId);
  if (name !== null && removed.includes(name)) throw new PushRefused(defaultBranchRemoved);
}

/** Whether a push that has not ended removes a branch. */
export async function removesBranch(trx: Writer, projectId: number, branch: string): Promise<boolean> {
  const pending = await trx
    .selectFrom('pushes')
    .select('changes')
    .where('state', '=', 'pending')
    .where('project_id', '=', projectId)
    .execute();
  return pending.some((row) => removedBranches(readChanges(row)).includes(branch));
}

export function writeChanges(changes: readonly RefChange[]): string {
  return JSON.stringify(changes.map(({ ref, old, new: now }) => ({ ref, old, new: now })));
}

const id = Type.Union([Type.String(), Type.Null()]);
const storedChanges = storedJson(Type.Array(Type.Object({ ref: Type.String(), old: id, new: id })));

export function readChanges(row: Pick<PushRow, 'changes'>): RefChange[] {
  return storedChanges(row.changes);
}

const claim = statement((db, param: Param<{ id: number; changes: string }>) =>
  db
    .updateTable('pushes')
    .set({ state: 'done', changes: param('changes') })
    .where('id', '=', param('id'))
    .where('state', '<>', 'done'),
);
const drop = statement((db, param: Param<{ id: number }>) =>
  db.updateTable('pushes').set({ state: 'dropped' }).where('id', '=', param('id')).where('state', '=', 'pending'),
);

/** Marks a push as done. Returns false if it already was, by the push itself or by a repair. */
export async function claimIntent(trx: Writer, id: number, moved: readonly RefChange[]): Promise<boolean> {
  return (await claim.run(trx, { id, changes: writeChanges(moved) })) > 0;
}

/** Records that no ref was updated. */
export async function dropIntent(db: Database, id: number): Promise<void> {
  await db.write((trx) => drop.run(trx, { id }));
}

export function findPush(db: Reader, id: number): Promise<PushRow | undefined> {
  return db.selectFrom('pushes').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Lists pending pushes created before a time. */
export function listPendingPushes(db: Reader, instant: number, limit: number): Promise<PushRow[]> {
  return db
    .selectFrom('pushes')
    .selectAll()
    .where('state', '=', 'pending')
    .where('created_at', '<=', instant)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Lists the pushes of a project starting at an ID, in any state. */
export function pushesFrom(db: Reader, projectId: number, id: number): Promise<PushRow[]> {
  return db
    .selectFrom('pushes')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '>=', id)
    .orderBy('id')
    .execute();
}

/** Deletes old finished pushes; their events are kept. */
export async function deleteFinishedPushes(db: Database, instant: number): Promise<void> {
  const old = await db.read
    .selectFrom('pushes')
    .select('id')
    .where('created_at', '<', instant)
    .where('state', '<>', 'pending')
    .limit(1)
    .executeTakeFirst();
  if (!old) return;
  await db.write((trx) =>
    trx.deleteFrom('pushes').where('created_at', '<', instant).where('state', '<>', 'pending').execute(),
  );
}
