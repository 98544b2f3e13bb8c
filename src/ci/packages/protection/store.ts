import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { PackageProtectionRulesTable, PackageRuleRow } from '../tables.ts';

/** Returns all rules of a project; there are few. */
export function rulesOf(db: Reader, projectId: number): Promise<PackageRuleRow[]> {
  return db.selectFrom('package_protection_rules').selectAll().where('project_id', '=', projectId).execute();
}

export function listRules(db: Reader, projectId: number, slice: Slice) {
  const query = db.selectFrom('package_protection_rules').selectAll().where('project_id', '=', projectId).orderBy('id');
  return fetchPage(db, query, slice);
}

export function ruleById(db: Reader, projectId: number, id: number): Promise<PackageRuleRow | undefined> {
  return db
    .selectFrom('package_protection_rules')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

export function insertRule(trx: Writer, row: Insertable<PackageProtectionRulesTable>): Promise<PackageRuleRow> {
  return trx.insertInto('package_protection_rules').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateRule(
  trx: Writer,
  id: number,
  change: Omit<PackageRuleRow, 'id' | 'project_id' | 'created_at'>,
): Promise<PackageRuleRow> {
  return trx
    .updateTable('package_protection_rules')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteRule(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('package_protection_rules').where('id', '=', id).execute();
}
