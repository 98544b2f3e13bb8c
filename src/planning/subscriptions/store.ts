import { sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { type Target, targetColumns } from '../target.ts';
import type { SubscriptionsTable } from './tables.ts';

const one = statement((db, param: Param<{ user: number; type: string; id: number }>) =>
  db
    .selectFrom('subscriptions')
    .select('subscribed')
    .where('user_id', '=', param('user'))
    .where('target_type', '=', param('type'))
    .where('target_id', '=', param('id')),
);

/** The explicit subscription of a user; undefined if there is none and participation decides. */
export async function subscriptionOf(
  db: Reader,
  user: number,
  { type, id }: Pick<Target, 'type' | 'id'>,
): Promise<boolean | undefined> {
  const found = await one.first(db, { user, type, id });
  return found && found.subscribed === 1;
}

const upsert = statement((db, param: Param<SubscriptionsTable>) =>
  db
    .insertInto('subscriptions')
    .values({
      user_id: param('user_id'),
      target_type: param('target_type'),
      target_id: param('target_id'),
      project_id: param('project_id'),
      namespace_id: param('namespace_id'),
      subscribed: param('subscribed'),
    })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'target_type', 'target_id']).doUpdateSet({ subscribed: param('subscribed') }),
    ),
);

/** The caller must keep the target from being deleted until the transaction ends. */
export async function setSubscription(trx: Writer, user: number, target: Target, subscribed: boolean): Promise<void> {
  await upsert.run(trx, { user_id: user, ...targetColumns(target), subscribed: subscribed ? 1 : 0 });
}

/** Copies subscriptions of one target to another, without overwriting existing ones. */
export async function copySubscriptions(trx: Writer, from: Target, to: Target): Promise<void> {
  const { target_type, target_id, project_id, namespace_id } = targetColumns(to);
  const columns = ['user_id', 'target_type', 'target_id', 'project_id', 'namespace_id', 'subscribed'] as const;
  const copied = sql`select user_id, cast(${target_type} as text), cast(${target_id} as bigint), cast(${project_id} as bigint),
      cast(${namespace_id} as bigint), subscribed
    from subscriptions where target_type = ${from.type} and target_id = ${from.id}`;
  await sql`insert into subscriptions (${sql.join(columns.map((column) => sql.ref(column)))}) ${copied}
    on conflict (user_id, target_type, target_id) do nothing`.execute(trx);
}

export async function deleteSubscriptionsTo(trx: Writer, type: Target['type'], ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await trx.deleteFrom('subscriptions').where('target_type', '=', type).where('target_id', 'in', ids).execute();
}
