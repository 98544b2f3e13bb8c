import Type, { type Static } from 'typebox';
import type { SignedInActor } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { Conflict, NotFound } from '../../platform/http/errors.ts';
import { instant } from '../../platform/http/schema.ts';
import { storedJson } from '../../platform/stored-json.ts';
import type { LockEntity, LockParams } from './schema.ts';
import * as store from './store.ts';
import type { StateRow } from './tables.ts';

const LockInfo = Type.Object({
  Operation: Type.String(),
  Info: Type.String(),
  Version: Type.String(),
  Path: Type.String(),
});
const readLockInfo = storedJson(LockInfo);
const maxFieldLength = 1024;

/** Whether a write is allowed: the request must name the lock that is held, or none if the state is unlocked. */
export function mayWrite({ lock_id }: Pick<StateRow, 'lock_id'>, lockId: string | undefined): boolean {
  return (lock_id ?? '') === (lockId ?? '');
}

function toLockInfo({ Operation, Info, Version, Path }: LockParams): Static<typeof LockInfo> {
  const truncate = (text: string) => text.slice(0, maxFieldLength);
  return { Operation: truncate(Operation), Info: truncate(Info), Version: truncate(Version), Path: truncate(Path) };
}

async function present({ db }: Services, state: StateRow): Promise<LockEntity> {
  const holder = await findUser(db.read, state.locked_by_id);
  return {
    ...readLockInfo(state.lock_info ?? '{}'),
    ID: state.lock_id ?? '',
    Who: holder?.username ?? '',
    Created: instant(state.locked_at ?? 0),
  };
}

/** Locks a state, creating it if necessary. If it is locked already, returns the existing lock. */
export async function lockState(
  services: Services,
  { user }: SignedInActor,
  { project }: ProjectSubject,
  params: LockParams,
): Promise<{ readonly taken: boolean; readonly lock: LockEntity }> {
  const { state, taken } = await services.db.write(async (trx) => {
    const found = await store.ensureState(trx, project.id, params.name);
    if (!found) throw new NotFound();
    // Idempotent: a client that missed the response retries with the same lock ID.
    if (found.lock_id === params.ID && found.locked_by_id === user.id) return { state: found, taken: true };
    if (found.lock_id !== null) return { state: found, taken: false };
    const lock = { lock_id: params.ID, lock_info: JSON.stringify(toLockInfo(params)), locked_by_id: user.id };
    return { state: await store.updateState(trx, found.id, { ...lock, locked_at: Date.now() }), taken: true };
  });
  return { taken, lock: await present(services, state) };
}

/** Unlocks a state. Without a lock ID, any lock is removed. */
export async function unlockState(
  { db }: Services,
  { project }: ProjectSubject,
  name: string,
  lockId: string | undefined,
): Promise<void> {
  await db.write(async (trx) => {
    const state = await store.lockState(trx, project.id, name);
    if (!state) throw new NotFound();
    if (lockId !== undefined && !mayWrite(state, lockId)) throw new Conflict();
    await store.updateState(trx, state.id, { lock_id: null, lock_info: null, locked_by_id: null, locked_at: null });
  });
}
