import { type Actor, isAdmin, type SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { basicUsers } from '../../people/users/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { emojiName } from '../../platform/emoji.ts';
import { NotFound, Unauthorized } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { instant } from '../../platform/http/schema.ts';
import { lockTarget, type Target } from '../target.ts';
import type { AwardEntity, NoteReactionEntity } from './schema.ts';
import * as store from './store.ts';
import type { AwardRow } from './tables.ts';

/**
 * A target of emoji reactions as seen by one caller. Its area has checked read access and decides whether the caller
 * may react.
 */
export interface Awardable {
  readonly target: Target;
  /** The item it belongs to: the noteable of a note, otherwise the target itself. */
  readonly about: Target;
  readonly mayAward: boolean;
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** An emoji reaction was added or deleted. */
    'award.changed': {
      readonly action: 'award' | 'revoke';
      readonly actorId: number;
      readonly award: AwardRow;
      readonly about: Target;
    };
    /** Emoji reactions were deleted together with their user. */
    'awards.dropped': { readonly awards: readonly AwardRow[] };
  }
}

async function presentAwards({ db, externalUrl }: Services, rows: readonly AwardRow[]): Promise<AwardEntity[]> {
  const users = await basicUsers(
    db.read,
    rows.map(({ user_id }) => user_id),
    externalUrl,
  );
  return rows.flatMap((row) => {
    const user = users.get(row.user_id);
    if (!user) return [];
    return {
      id: row.id,
      name: row.name,
      user,
      created_at: instant(row.created_at),
      updated_at: instant(row.updated_at),
      awardable_id: row.awardable_id,
      awardable_type: row.awardable_type,
      url: null,
    };
  });
}

async function presentAward(services: Services, row: AwardRow): Promise<AwardEntity> {
  const [entity] = await presentAwards(services, [row]);
  if (!entity) throw NotFound.record();
  return entity;
}

export async function listAwards(services: Services, { target }: Awardable, slice: Slice): Promise<Page<AwardEntity>> {
  const { rows, total } = await store.awardsOf(services.db.read, target, slice);
  return new Page(await presentAwards(services, rows), total);
}

/** Counts the reactions to notes that the caller has already been found to be allowed to read. */
export async function countNoteReactions(
  { db }: Services,
  { user }: Actor,
  noteIds: readonly number[],
): Promise<NoteReactionEntity[]> {
  const rows = await store.countReactions(db.read, noteIds, user?.id ?? 0);
  return rows.map(({ awardable_id, name, count, own }) => ({
    note_id: awardable_id,
    name,
    count: Number(count),
    own_award_id: own === null ? null : Number(own),
  }));
}

async function requireAward({ db }: Services, { target }: Awardable, id: number): Promise<AwardRow> {
  const award = await store.findAward(db.read, id);
  if (award?.awardable_type !== target.type || award.awardable_id !== target.id) throw NotFound.record();
  return award;
}

export async function getAward(services: Services, awardable: Awardable, id: number): Promise<AwardEntity> {
  return presentAward(services, await requireAward(services, awardable, id));
}

/** Returns undefined if the user has already added the same reaction. */
async function addAward(
  services: Services,
  trx: Writer,
  userId: number,
  { target, about }: Awardable,
  name: string,
): Promise<AwardRow | undefined> {
  const isThere = (await lockTarget(trx, about)) && (target === about || (await lockTarget(trx, target)));
  if (!isThere) throw new NotFound('Award Emoji');
  const now = Date.now();
  const award = await store.insertAward(trx, {
    name,
    user_id: userId,
    awardable_type: target.type,
    awardable_id: target.id,
    project_id: target.project_id,
    namespace_id: target.namespace_id,
    created_at: now,
    updated_at: now,
  });
  if (award) await services.announce(trx, 'award.changed', { action: 'award', actorId: userId, award, about });
  return award;
}

async function revokeAward(
  services: Services,
  trx: Writer,
  actorId: number,
  { about }: Awardable,
  award: AwardRow,
): Promise<void> {
  if (!(await store.deleteAward(trx, award.id))) return;
  await services.announce(trx, 'award.changed', { action: 'revoke', actorId, award, about });
}

/** Adds an emoji reaction. GitLab reports every failure as 404 with the reason in the message. */
export async function createAward(
  services: Services,
  caller: Actor,
  awardable: Awardable,
  wanted: string,
): Promise<AwardEntity> {
  const { user } = caller;
  if (user === null || !awardable.mayAward) throw new NotFound('Award Emoji');
  const name = emojiName(wanted);
  if (name === undefined) throw new NotFound('Award Emoji Name is not a valid emoji name');
  const award = await services.db.write((trx) => addAward(services, trx, user.id, awardable, name));
  if (!award) throw new NotFound('Award Emoji Name has already been taken');
  return presentAward(services, award);
}

/** Adds an emoji reaction for a note that consists of a single emoji; does nothing if it already exists. */
export async function ensureAward(
  services: Services,
  caller: SignedInActor,
  awardable: Awardable,
  name: string,
): Promise<AwardEntity> {
  const award = await services.db.write(
    async (trx) =>
      (await addAward(services, trx, caller.user.id, awardable, name)) ??
      (await store.findOwnAward(trx, awardable.target, caller.user.id, name)),
  );
  if (!award) throw NotFound.record();
  return presentAward(services, award);
}

/** Adds an emoji reaction, or deletes it if it exists, for the quick action. */
export async function toggleAward(
  services: Services,
  trx: Writer,
  userId: number,
  awardable: Awardable,
  wanted: string,
): Promise<void> {
  const name = emojiName(wanted);
  if (name === undefined) return;
  const given = await store.findOwnAward(trx, awardable.target, userId, name);
  if (given) await revokeAward(services, trx, userId, awardable, given);
  else await addAward(services, trx, userId, awardable, name);
}

export async function deleteAward(
  services: Services,
  caller: Actor,
  awardable: Awardable,
  id: number,
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  const award = await requireAward(services, awardable, id);
  const { user } = caller;
  if (user === null || (award.user_id !== user.id && !isAdmin(caller))) throw new Unauthorized();
  checkUnmodified(http, award.updated_at);
  await services.db.write((trx) => revokeAward(services, trx, user.id, awardable, award));
}

const deleteBatchSize = 500;

/**
 * Transfers the reactions of a deleted user to the heir. Duplicates are deleted, and so are all if there is no heir.
 */
export async function transferAwards(
  services: Services,
  trx: Writer,
  { user, heir }: { readonly user: User; readonly heir: User | null },
): Promise<void> {
  if (heir) await store.handOverAwards(trx, user.id, heir.id);
  for (;;) {
    const awards = await store.deleteAwardBatch(trx, user.id, deleteBatchSize);
    if (awards.length === 0) return;
    await services.announce(trx, 'awards.dropped', { awards });
  }
}
