import { type Insertable, sql } from 'kysely';
import { belongsTo, ownerColumnsOf, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { PushRuleRow, PushRulesTable } from '../tables.ts';

// The project's own rule gets depth -1, so it sorts before those of its groups. A union of two queries, because with an
// OR PostgreSQL would read the whole table.
const effective = statement((db, param: Param<{ project: number; namespace: number }>) => {
  const inherited = db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('push_rules as p', 'p.namespace_id', 'a.ancestor_id')
    .selectAll('p')
    .select('a.depth')
    .where('a.namespace_id', '=', param('namespace'));
  const rules = db
    .selectFrom('push_rules as p')
    .selectAll('p')
    .select(sql<number>`-1`.as('depth'))
    .where('p.project_id', '=', param('project'))
    .unionAll(inherited);
  return db.selectFrom(rules.as('r')).selectAll().orderBy('r.depth').limit(1);
});

/** Returns the push rule that applies to a project: its own, or else that of the nearest ancestor group. */
export async function effectivePushRule(
  db: Reader,
  project: { id: number; namespace_id: number },
): Promise<PushRuleRow | undefined> {
  return effective.first(db, { project: project.id, namespace: project.namespace_id });
}

export function findRule(db: Reader, place: ProjectOrGroup): Promise<PushRuleRow | undefined> {
  return db
    .selectFrom('push_rules')
    .selectAll()
    .where(belongsTo('push_rules', ownerColumnsOf(place)))
    .executeTakeFirst();
}

export function insertRule(trx: Writer, row: Insertable<PushRulesTable>): Promise<PushRuleRow> {
  return trx.insertInto('push_rules').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function updateRule(trx: Writer, id: number, columns: Partial<PushRuleRow>): Promise<void> {
  await trx.updateTable('push_rules').set(columns).where('id', '=', id).execute();
}

export async function deleteRule(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('push_rules').where('id', '=', id).execute();
}
