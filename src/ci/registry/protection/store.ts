import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { ProtectionRuleRow, RegistryProtectionRulesTable } from '../tables.ts';

export type RuleKind = ProtectionRuleRow['kind'];

/** Returns all rules of a project; there are few. */
export function rulesOf(db: Reader, projectId: number): Promise<ProtectionRuleRow[]> {
  return db.selectFrom('registry_protection_rules').selectAll().where('project_id', '=', projectId).execute();
}

export function listRules(db: Reader, projectId: number, kind: RuleKind, slice: Slice) {
  const query = db
    .selectFrom('registry_protection_rules')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .orderBy('id');
  return fetchPage(db, query, slice);
}

export function ruleById(
  db: Reader,
  projectId: number,
  kind: RuleKind,
  id: number,
): Promise<ProtectionRuleRow | undefined> {
  return db
    .selectFrom('registry_protection_rules')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .executeTakeFirst();
}

export function insertRule(trx: Writer, row: Insertable<RegistryProtectionRulesTable>): Promise<ProtectionRuleRow> {
  return trx.insertInto('registry_protection_rules').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateRule(
  trx: Writer,
  id: number,
  change: Pick<ProtectionRuleRow, 'pattern' | 'push_level' | 'delete_level' | 'updated_at'>,
): Promise<ProtectionRuleRow> {
  return trx
    .updateTable('registry_protection_rules')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteRule(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('registry_protection_rules').where('id', '=', id).execute();
}
