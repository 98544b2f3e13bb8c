import { sql } from 'kysely';
import { tokenSearch } from '../../access/search.ts';
import type { AccessToken } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { form } from '../../platform/database/form.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { searchLists } from '../../platform/database/search-index.ts';
import { shapedList } from '../../platform/database/shaped.ts';
import { filterTokens, questionOf, type TokenFilter, type TokenQuestion, tokenValues } from './list-query.ts';

/** What a token of this kind belongs to. */
export interface Resource {
  readonly type: 'project' | 'group';
  readonly id: number;
}

/** A token of a project or group, with the role its bot has there. */
export interface ResourceTokenRow extends AccessToken {
  access_level: number;
  bot_name: string;
  bot_project_id: number | null;
  bot_namespace_id: number | null;
}

type BotQuestion = TokenQuestion & {
  readonly type?: Resource['type'];
  readonly id?: number;
  /** A group with everything below it. */
  readonly below?: number;
  readonly token?: number;
};

/** The tokens of bots, each with the role that the bot has in the place it belongs to. */
const botTokens = shapedList(
  form<BotQuestion>()({ values: [...tokenValues, 'id', 'below', 'token'], lists: searchLists }),
  (db, { type, id, below, token, ...ask }, engine) => {
    let query = db
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
    if (id) query = query.where(type === 'project' ? 'bot.bot_project_id' : 'bot.bot_namespace_id', '=', id);
    if (below) {
      const groups = sql<number>`(select namespace_id from namespace_ancestors where ancestor_id = ${below})`;
      const projects = sql<number>`(select id from projects where namespace_id in ${groups})`;
      query = query.where((eb) =>
        eb.or([eb('bot.bot_namespace_id', 'in', groups), eb('bot.bot_project_id', 'in', projects)]),
      );
    }
    if (token) query = query.where('access_tokens.id', '=', token);
    return filterTokens(query, ask, engine);
  },
);

/** The tokens of one project or group. */
export function listTokensOf(db: Reader, resource: Resource, filter: TokenFilter, slice: Slice) {
  return tokenSearch.page(botTokens, db, { ...questionOf(filter), ...resource }, slice);
}

/** The tokens of a group, of the groups below it and of the projects in them. */
export function listTokensBelow(db: Reader, group: number, filter: TokenFilter, slice: Slice) {
  return tokenSearch.page(botTokens, db, { ...questionOf(filter), below: group }, slice);
}

export function findTokenOf(db: Reader, resource: Resource, token: number): Promise<ResourceTokenRow | undefined> {
  return botTokens.first(db, { ...questionOf({}), ...resource, token });
}

/** The bots of a group's access tokens go with it. */
export async function removeGroupBots(trx: Writer, groupId: number): Promise<void> {
  await trx.deleteFrom('users').where('bot_namespace_id', '=', groupId).where('kind', '=', 'project_bot').execute();
}

/** The bots of a project stay, as the authors of what they did elsewhere, but nothing acts for them any more. */
export async function retireProjectBots(trx: Writer, projectId: number): Promise<void> {
  const bots = trx.selectFrom('users').select('id').where('bot_project_id', '=', projectId);
  await trx.deleteFrom('access_tokens').where('user_id', 'in', bots).execute();
  await trx.updateTable('users').set({ state: 'blocked' }).where('bot_project_id', '=', projectId).execute();
}
