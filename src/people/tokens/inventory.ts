import { sql } from 'kysely';
import { type Actor, isAdmin } from '../../access/actor.ts';
import { tokenSearch } from '../../access/search.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import { form } from '../../platform/database/form.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { searchLists } from '../../platform/database/search-index.ts';
import { shapedList } from '../../platform/database/shaped.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pagination.ts';
import { filterTokens, questionOf, type TokenFilter, type TokenQuestion, tokenValues } from './list-query.ts';
import { presentToken } from './present.ts';
import { presentResourceToken } from './resource.ts';
import { listTokensBelow } from './resource-store.ts';

/** Credentials are kept an inventory of by the group at the top alone. */
function topLevel({ group }: GroupSubject): number {
  if (group.parent_id !== null) throw new NotFound('Group');
  return group.id;
}

type Accounts = TokenQuestion & { readonly group: number; readonly members: boolean };

const ofAccounts = shapedList(
  form<Accounts>()({ values: [...tokenValues, 'group'], lists: searchLists }),
  (db, { group, members, ...ask }, engine) => {
    const belonging = sql<number>`select id from users where provisioned_by_group_id = ${group}`;
    const joined = sql<number>`
      select m.user_id from members m join namespace_ancestors a on a.namespace_id = m.namespace_id
        where a.ancestor_id = ${group}
      union
      select m.user_id from members m join projects p on p.id = m.project_id
        join namespace_ancestors a on a.namespace_id = p.namespace_id
        where a.ancestor_id = ${group}`;
    const query = db
      .selectFrom('access_tokens')
      .innerJoin('users', 'users.id', 'access_tokens.user_id')
      .selectAll('access_tokens')
      .where('users.kind', '=', 'human')
      .where('access_tokens.impersonation', '=', 0)
      .where(
        'access_tokens.user_id',
        'in',
        members ? sql<number>`(${belonging} union ${joined})` : sql<number>`(${belonging})`,
      );
    return filterTokens(query, ask, engine);
  },
);

/**
 * The personal tokens of the accounts that belong to a group: those made for it. An administrator, who may see every
 * token anyway, also finds those of its other members; its owners do not, as they can make anybody a member.
 */
export async function listGroupPersonalTokens(
  { db }: Services,
  actor: Actor,
  subject: GroupSubject,
  filter: TokenFilter,
  slice: Slice,
) {
  const group = topLevel(subject);
  const question = { ...questionOf(filter), group, members: isAdmin(actor) };
  const { rows, total } = await tokenSearch.page(ofAccounts, db.read, question, slice);
  return new Page(rows, total).map(presentToken);
}

/** The tokens of a group, of the groups below it and of the projects in them. */
export async function listGroupResourceTokens(
  { db }: Services,
  subject: GroupSubject,
  filter: TokenFilter,
  slice: Slice,
) {
  const group = topLevel(subject);
  const { rows, total } = await listTokensBelow(db.read, group, filter, slice);
  return new Page(rows, total).map(presentResourceToken);
}
