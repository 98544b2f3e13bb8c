import { type Actor, isAdmin } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { presentToken, type TokenListParams, tokenOrder } from '../../../people/tokens/public.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { resourceTokens } from '../list.ts';
import { presentResourceToken } from '../present.ts';
import { accountTokens } from './list.ts';

/** Credentials are kept an inventory of by the group at the top alone. */
function topLevel({ group }: GroupSubject): number {
  if (group.parent_id !== null) throw new NotFound('Group');
  return group.id;
}

/**
 * The personal tokens of the accounts that belong to a group: those made for it. An administrator, who may see every
 * token anyway, also finds those of its other members; its owners do not, as they can make anybody a member.
 */
export async function listGroupPersonalTokens(
  { db }: Services,
  actor: Actor,
  subject: GroupSubject,
  { sort, ...filters }: TokenListParams,
  slice: Slice,
) {
  const scope = { group: topLevel(subject), members: isAdmin(actor), now: Date.now() };
  const { rows, total } = await accountTokens.page(db.read, scope, filters, tokenOrder(sort), slice);
  return new Page(rows, total).map(presentToken);
}

/** The tokens of a group, of the groups below it and of the projects in them. */
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
