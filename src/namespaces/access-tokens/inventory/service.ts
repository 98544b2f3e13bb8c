import { type Actor, isAdmin, type SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { removeKey } from '../../../people/keys/public.ts';
import {
  presentToken,
  revokeToken,
  rotateToken,
  type TokenListParams,
  tokenOrder,
} from '../../../people/tokens/public.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { BadRequest, Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import { findTokenBelow, resourceTokens } from '../list.ts';
import { presentResourceToken } from '../present.ts';
import { accountKeys, accountTokens } from './list.ts';
import type { KeyListParams } from './schema.ts';

/** Only top-level groups have a credentials inventory. */
function topLevel({ group }: GroupSubject): number {
  if (group.parent_id !== null) throw new NotFound('Group');
  return group.id;
}

/**
 * Scope of the accounts that belong to a group: those provisioned by it. Administrators, who can see every credential
 * anyway, also get those of its members; group owners do not, because they can add any user as a member.
 */
function accountsFor(actor: Actor, subject: GroupSubject) {
  return { group: topLevel(subject), members: isAdmin(actor), now: Date.now() };
}

export async function listGroupPersonalTokens(
  { db }: Services,
  actor: Actor,
  subject: GroupSubject,
  { sort, ...filters }: TokenListParams,
  slice: Slice,
) {
  const scope = accountsFor(actor, subject);
  const { rows, total } = await accountTokens.page(db.read, scope, filters, tokenOrder(sort), slice);
  return new Page(rows, total).map(presentToken);
}

/** Lists the tokens of a group, its descendant groups and their projects. */
export async function listGroupResourceTokens(
  { db }: Services,
  subject: GroupSubject,
  { sort, ...filters }: TokenListParams,
  slice: Slice,
) {
  const scope = { of: 'below', id: topLevel(subject), now: Date.now() } as const;
  const { rows, total } = await resourceTokens.page(db.read, scope, filters, tokenOrder(sort), slice);
  return new Page(rows, total).map(presentResourceToken);
}

const first = { offset: 0, perPage: 1 };

async function findPersonal({ db }: Services, actor: Actor, subject: GroupSubject, token: number) {
  const order = { by: 'created', direction: 'asc' } as const;
  const [found] = await accountTokens.rows(db.read, accountsFor(actor, subject), { token }, order, first);
  if (!found) throw new NotFound('Personal Access Token');
  return found;
}

export async function revokePersonal(services: Services, actor: Actor, subject: GroupSubject, id: number) {
  const token = await findPersonal(services, actor, subject, id);
  await services.db.write(async (trx) => {
    if (!(await revokeToken(services, trx, token.id, actor.user))) throw new BadRequest('Token already revoked');
  });
}

/** Rotates the token; the response contains the new secret, as for the owner of the token. */
export async function rotatePersonal(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  id: number,
  expires_at: string | undefined,
) {
  refuseBots(caller);
  const { row, token } = await rotateToken(
    services,
    caller,
    await findPersonal(services, caller, subject, id),
    expires_at,
  );
  return { ...presentToken(row), token };
}

async function findResourceToken({ db }: Services, subject: GroupSubject, id: number) {
  const found = await findTokenBelow(db.read, topLevel(subject), id);
  if (!found) throw new NotFound('Access Token');
  return found;
}

export async function revokeResource(services: Services, actor: Actor, subject: GroupSubject, id: number) {
  const token = await findResourceToken(services, subject, id);
  await services.db.write(async (trx) => {
    if (!(await revokeToken(services, trx, token.id, actor.user))) throw new BadRequest('Token already revoked');
  });
}

export async function rotateResource(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  id: number,
  expires_at: string | undefined,
) {
  refuseBots(caller);
  const old = await findResourceToken(services, subject, id);
  const { row, token } = await rotateToken(services, caller, old, expires_at);
  return { ...presentResourceToken({ ...old, ...row }), token };
}

/** Bots may not rotate or revoke the credentials of other users. */
function refuseBots({ user }: SignedInActor): void {
  if (user.kind !== 'human') throw new Forbidden();
}

export async function listKeys(
  { db }: Services,
  actor: Actor,
  subject: GroupSubject,
  { id: _, ...filters }: KeyListParams,
  slice: Slice,
) {
  const order = { by: 'id', direction: 'asc' } as const;
  const { rows, total } = await accountKeys.page(db.read, accountsFor(actor, subject), filters, order, slice);
  return new Page(rows, total).map((row) => ({
    id: row.id,
    title: row.title,
    created_at: instant(row.created_at),
    expires_at: instantOrNull(row.expires_at),
    last_used_at: instantOrNull(row.last_used_at),
    usage_type: row.usage_type,
    user_id: row.user_id ?? 0,
  }));
}

export async function deleteKey(services: Services, actor: Actor, subject: GroupSubject, key: number) {
  const order = { by: 'id', direction: 'asc' } as const;
  const [found] = await accountKeys.rows(services.db.read, accountsFor(actor, subject), { key }, order, first);
  if (!found) throw new NotFound('Key');
  await removeKey(services, found);
}
