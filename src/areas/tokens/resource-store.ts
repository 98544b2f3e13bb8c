import { sql } from 'kysely';
import type { AccessToken } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';

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

/** The tokens of bots, each with the role that the bot has in the place it belongs to. */
export function botTokens(db: Reader) {
  return db
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
}

/** The tokens of one project or group. */
export function tokensOf(db: Reader, { type, id }: Resource) {
  return botTokens(db).where(type === 'project' ? 'bot.bot_project_id' : 'bot.bot_namespace_id', '=', id);
}

export function findTokenOf(db: Reader, resource: Resource, id: number): Promise<ResourceTokenRow | undefined> {
  return tokensOf(db, resource).where('access_tokens.id', '=', id).executeTakeFirst();
}
