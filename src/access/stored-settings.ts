import Type from 'typebox';
import type { Reader } from '../platform/database/database.ts';
import { type Param, statement } from '../platform/database/statement.ts';
import { storedJson } from '../platform/stored-json.ts';

/** Non-default settings by name. */
export type StoredSettings = Readonly<Record<string, unknown>>;

const read = storedJson(Type.Record(Type.String(), Type.Unknown()));

/** Parsed settings by row: rows in the statement cache are shared by many requests. */
const ofRows = new WeakMap<object, { readonly text: string; readonly settings: StoredSettings }>();

/** Parses the non-default settings of a row. The result is shared and frozen. */
export function settingsOf(row: { readonly settings: string }): StoredSettings {
  const known = ofRows.get(row);
  if (known?.text === row.settings) return known.settings;
  const settings = Object.freeze(read(row.settings));
  ofRows.set(row, { text: row.settings, settings });
  return settings;
}

const above = statement(
  (db, param: Param<{ id: number }>) =>
    db
      .selectFrom('namespace_ancestors as a')
      .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
      .select(['n.id', 'n.settings'])
      .where('a.namespace_id', '=', param('id'))
      .orderBy('a.depth'),
  { cached: true },
);

/** The settings of a namespace and its ancestors, the nearest first. */
export async function settingsWithAncestors(
  db: Reader,
  id: number,
): Promise<{ readonly id: number; readonly settings: StoredSettings }[]> {
  return (await above.all(db, { id })).map((row) => ({ id: row.id, settings: settingsOf(row) }));
}
