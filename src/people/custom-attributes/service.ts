import { type Expression, type SqlBool, sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Text } from '../../platform/database/expressions.ts';
import type { CustomAttributeEntity } from './schema.ts';
import * as store from './store.ts';
import type { AttributeKind } from './tables.ts';

/** The attributes of these owners by number, in one query; owners without any are left out. */
export async function customAttributesOf(
  db: Reader,
  kind: AttributeKind,
  ids: readonly number[],
): Promise<Map<number, CustomAttributeEntity[]>> {
  const found = new Map<number, CustomAttributeEntity[]>();
  if (ids.length === 0) return found;
  for (const { owner_id, key, value } of await store.attributesOf(db, kind, ids)) {
    const list = found.get(owner_id);
    if (list) list.push({ key, value });
    else found.set(owner_id, [{ key, value }]);
  }
  return found;
}

/** Names and values of attributes, for `hasAttributes`. */
export type Pairs<T = string> = readonly (readonly T[])[];

/** For `where`: the row whose id column this is has every one of the attributes. `idColumn` as `namespaces.id`. */
export function hasAttributes(kind: AttributeKind, idColumn: string, filter: Pairs<Text>): Expression<SqlBool> {
  const conditions = filter.map(
    ([key, value]) => sql<SqlBool>`${sql.ref(idColumn)} in (
      select owner_id from custom_attributes
      where owner_kind = ${kind} and key = ${key} and substr(value, 1, 100) = substr(${value}, 1, 100)
        and value = ${value})`,
  );
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}

/** Drops everything attached to an owner that goes away, or to all that a query finds. */
export async function forgetAttributes(
  trx: Writer,
  kind: AttributeKind,
  id: number | Expression<number>,
): Promise<void> {
  const owners = typeof id === 'number' ? [id] : id;
  await trx.deleteFrom('custom_attributes').where('owner_kind', '=', kind).where('owner_id', 'in', owners).execute();
}
