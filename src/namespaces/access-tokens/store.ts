import type { Reader } from '../../platform/database/database.ts';

interface Idle {
  readonly endedBefore: number;
  readonly after: number;
}

/** Returns the ids of bots whose access tokens all expired or were revoked before an instant, ordered by id. */
export async function idleBots(db: Reader, { endedBefore, after }: Idle, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('users as bot')
    .select('bot.id')
    .where('bot.kind', '=', 'project_bot')
    .where('bot.id', '>', after)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('access_tokens as t').select('t.id').whereRef('t.user_id', '=', 'bot.id')),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('access_tokens as t')
            .select('t.id')
            .whereRef('t.user_id', '=', 'bot.id')
            .where((eb) => eb.or([eb('t.expires_at', 'is', null), eb('t.expires_at', '>', endedBefore)]))
            .where((eb) =>
              eb.or([eb('t.revoked', '=', 0), eb('t.revoked_at', 'is', null), eb('t.revoked_at', '>', endedBefore)]),
            ),
        ),
      ),
    )
    .orderBy('bot.id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
