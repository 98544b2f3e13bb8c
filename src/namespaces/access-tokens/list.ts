import { type Expression, sql } from 'kysely';
import type { AccessToken } from '../../access/tables.ts';
import { tokenFilters, tokenOrders } from '../../people/tokens/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { boundProperties } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { equals } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';

/** The project or group that a token belongs to. */
export interface Resource {
  readonly type: 'project' | 'group';
  readonly id: number;
}

/** A project or group access token with the access level of its bot. */
export interface ResourceTokenRow extends AccessToken {
  access_level: number;
  bot_name: string;
  bot_project_id: number | null;
  bot_namespace_id: number | null;
}

interface BotScope {
  /** `below` selects the tokens of a group and of everything inside it. */
  readonly of: Resource['type'] | 'below';
  readonly id: number;
  readonly now: number;
}

/** Access tokens of bot users, each with the access level of the bot in its project or group. */
export const resourceTokens = list({
  id: 'access_tokens.id',
  scope: boundProperties<BotScope>()({ values: ['id', 'now'] }),
  filters: { ...tokenFilters, token: equals('access_tokens.id', param.integer()) },
  orders: tokenOrders,
  select: (db, { of, id }) => {
    const query = db
      .selectFrom('access_tokens')
      .innerJoin('users as bot', 'bot.id', 'access_tokens.user_id')
      .leftJoin('members as m', (join) =>
        join
          .onRef('m.user_id', '=', 'bot.id')
          .on((eb) =>
            eb.or([
              eb('m.project_id', '=', eb.ref('bot.bot_project_id')),
              eb('m.namespace_id', '=', eb.ref('bot.bot_namespace_id')),
            ]),
          ),
      )
      .selectAll('access_tokens')
      .select([
        sql<number>`coalesce(m.access_level, 0)`.as('access_level'),
        'bot.name as bot_name',
        'bot.bot_project_id',
        'bot.bot_namespace_id',
      ])
      .where('bot.kind', '=', 'project_bot');
    if (of === 'project') return query.where('bot.bot_project_id', '=', id);
    if (of === 'group') return query.where('bot.bot_namespace_id', '=', id);
    const { groups, projects } = below(id);
    return query.where((eb) =>
      eb.or([eb('bot.bot_namespace_id', 'in', groups), eb('bot.bot_project_id', 'in', projects)]),
    );
  },
});

function below(group: Expression<number>) {
  const groups = sql<number>`(select namespace_id from namespace_ancestors where ancestor_id = ${group})`;
  return { groups, projects: sql<number>`(select id from projects where namespace_id in ${groups})` };
}

export function findTokenOf(db: Reader, { type, id }: Resource, token: number): Promise<ResourceTokenRow | undefined> {
  return findIn(db, { of: type, id, now: Date.now() }, token);
}

/** Returns a token of a group or of any subgroup or project inside it. */
export function findTokenBelow(db: Reader, group: number, token: number): Promise<ResourceTokenRow | undefined> {
  return findIn(db, { of: 'below', id: group, now: Date.now() }, token);
}

async function findIn(db: Reader, scope: BotScope, token: number): Promise<ResourceTokenRow | undefined> {
  const order = { by: 'created', direction: 'asc' } as const;
  const [found] = await resourceTokens.rows(db, scope, { token }, order, { offset: 0, perPage: 1 });
  return found;
}
