import type { Reader } from '../platform/database/database.ts';
import { type Param, statement } from '../platform/database/statement.ts';

/** Settings that differ from their defaults, by name. */
export type StoredSettings = Readonly<Record<string, unknown>>;

const parsed = new Map<string, StoredSettings>();

/** The settings that differ from their defaults. Kept by content, so never out of date: do not change the object. */
export function settingsOf(row: { settings: string }): StoredSettings {
  let settings = parsed.get(row.settings);
  if (!settings) {
    settings = Object.freeze(JSON.parse(row.settings) as Record<string, unknown>);
    if (parsed.size >= 1000) parsed.clear();
    parsed.set(row.settings, settings);
  }
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

/** What a namespace and the groups above it have set, the nearest first. */
export async function settingsAbove(
  db: Reader,
  id: number,
): Promise<{ readonly id: number; readonly settings: StoredSettings }[]> {
  return (await above.all(db, { id })).map((row) => ({ id: row.id, settings: settingsOf(row) }));
}
