import { type Expression, type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Text } from '../../platform/database/expressions.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { CustomAttributeEntity } from './schema.ts';
import type { AttributeKind } from './tables.ts';

const ofOwners = statement((db, param: Param<{ kind: AttributeKind; ids: readonly number[] }>) =>
  db
    .selectFrom('custom_attributes')
    .select(['owner_id', 'key', 'value'])
    .where('owner_kind', '=', param('kind'))
    .where('owner_id', 'in', param.ids('ids'))
    .orderBy('id'),
);

export function attributesOf(db: Reader, kind: AttributeKind, ids: readonly number[]) {
  return ofOwners.all(db, { kind, ids });
}

export async function findAttribute(db: Reader, kind: AttributeKind, id: number, key: string) {
  return db
    .selectFrom('custom_attributes')
    .select(['key', 'value'])
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', id)
    .where('key', '=', key)
    .executeTakeFirst();
}

export async function setAttribute(
  trx: Writer,
  kind: AttributeKind,
  id: number,
  { key, value }: CustomAttributeEntity,
): Promise<void> {
  await trx
    .insertInto('custom_attributes')
    .values({ owner_kind: kind, owner_id: id, key, value })
    .onConflict((conflict) => conflict.columns(['owner_kind', 'owner_id', 'key']).doUpdateSet({ value }))
    .execute();
}

/** Returns whether the attribute existed. */
export async function deleteAttribute(trx: Writer, kind: AttributeKind, id: number, key: string): Promise<boolean> {
  const result = await trx
    .deleteFrom('custom_attributes')
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', id)
    .where('key', '=', key)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

/** Key-value pairs for `hasAttributes`. */
export type Pairs<T = string> = readonly (readonly T[])[];

/** Condition that the row with this id column (such as `namespaces.id`) has all of the attributes. */
export function hasAttributes(kind: AttributeKind, idColumn: string, filter: Pairs<Text>): Expression<SqlBool> {
  const conditions = filter.map(
    ([key, value]) => sql<SqlBool>`${sql.ref(idColumn)} in (
      select owner_id from custom_attributes
      where owner_kind = ${kind} and key = ${key} and substr(value, 1, 100) = substr(${value}, 1, 100)
        and value = ${value})`,
  );
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}

/** Deletes all attributes of a deleted owner. */
export async function deleteAttributesOf(trx: Writer, kind: AttributeKind, id: number): Promise<void> {
  await trx.deleteFrom('custom_attributes').where('owner_kind', '=', kind).where('owner_id', '=', id).execute();
}
