import type { Reader, Writer } from '../../platform/database/database.ts';
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

/** Says whether there was one. */
export async function deleteAttribute(trx: Writer, kind: AttributeKind, id: number, key: string): Promise<boolean> {
  const result = await trx
    .deleteFrom('custom_attributes')
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', id)
    .where('key', '=', key)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}
