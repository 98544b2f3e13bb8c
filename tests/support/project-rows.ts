import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { migrations } from '../../src/migrations/list.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { openTestDatabase } from './engines.ts';

/** Referenced table by column, by table. */
type References = ReadonlyMap<string, ReadonlyMap<string, string>>;
type Row = Record<string, unknown>;

// Users and namespaces are shared by projects; jobs, import bookkeeping and random tokens are not content.
const outside = new Set([
  'users',
  'namespaces',
  'jobs',
  'project_imports',
  'imported_objects',
  'import_source_users',
  'bulk_imports',
  'bulk_import_entities',
  'bulk_import_failures',
  'runner_registration_tokens',
]);
/** Polymorphic references: the column with the type of the referenced object. */
const byType: Readonly<Record<string, string>> = {
  noteable_id: 'noteable_type',
  target_id: 'target_type',
  awardable_id: 'awardable_type',
};
const tableOfType: Readonly<Record<string, string>> = {
  Issue: 'issues',
  MergeRequest: 'merge_requests',
  Note: 'notes',
};

/** Returns the foreign keys of all tables. They are the same for both engines. */
export async function tableReferences(): Promise<References> {
  const db = await openTestDatabase('sqlite', migrations);
  const { rows } = await sql<{ name: string; column: string; target: string }>`
    select m.name, f."from" as "column", f."table" as target
    from sqlite_master m join pragma_foreign_key_list(m.name) f where m.type = 'table'`.execute(db.read);
  const references = new Map<string, Map<string, string>>();
  for (const { name, column, target } of rows) {
    if (outside.has(name)) continue;
    const columns = references.get(name) ?? new Map<string, string>();
    references.set(name, columns.set(column, target));
  }
  return references;
}

/**
 * Returns all rows of a project by table, without anything that differs between two projects of the same content: IDs
 * are replaced by ranks, and times after `since` by a constant.
 */
export async function projectRows(
  db: Database,
  references: References,
  projectId: number,
  since: number,
): Promise<Record<string, string[]>> {
  const found = await reachable(db, references, projectId);
  const names = await namesOf(db);
  const ranks = new Map([...found].map(([table, rows]) => [table, ranksOf(rows)]));
  const [project] = found.get('projects') ?? [];
  const threads = new Map<string, string>();
  const value = (table: string, row: Row, column: string): unknown => {
    const at = row[column];
    const typed = tableOfType[String(row[byType[column] ?? ''])];
    const target = references.get(table)?.get(column) ?? typed ?? (column === 'project_id' ? 'projects' : undefined);
    const rank = column === 'id' ? ranks.get(table)?.get(at) : target && ranks.get(target)?.get(at);
    if (rank !== undefined) return `#${rank}`;
    if (target === 'users') return names.get(Number(at)) ?? at;
    if (column === 'discussion_id') return threadOf(threads, String(at));
    if (typeof at === 'number' && at >= since) return 'now';
    if (typeof at !== 'string') return at;
    if (/^v1\.[0-9a-f]{8}\./.test(at)) return 'secret';
    // A restarted server has another port, which is part of its links.
    return at
      .replaceAll(String(project?.path), 'PROJECT')
      .replaceAll(String(project?.name), 'PROJECT')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
      .replaceAll(/snippet-[0-9a-f-]{36}/g, 'SNIPPET')
      .replaceAll(/(?:uploads\/[0-9a-f]{2}\/)?\b[0-9a-f]{32}\b/g, 'SECRET');
  };
  const shown = [...found].map(([table, rows]) => {
    const sorted = rows.toSorted((a, b) => Number(a.id ?? 0) - Number(b.id ?? 0));
    const lines = sorted.map((row) =>
      JSON.stringify(
        Object.fromEntries(
          Object.keys(row)
            .sort()
            .map((column) => [column, value(table, row, column)]),
        ),
      ),
    );
    return [table, lines.sort()] as const;
  });
  return Object.fromEntries(shown.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** User names by ID. The same user imported from two files becomes two users whose names differ in the suffix only. */
async function namesOf(db: Database): Promise<Map<number, string>> {
  const users = await db.read.selectFrom('users').select(['id', 'username']).execute();
  return new Map(users.map(({ id, username }) => [id, username.replace(/_placeholder_.*$/, ' elsewhere')]));
}

function ranksOf(rows: readonly Row[]): Map<unknown, number> {
  const ids = rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
  return new Map(ids.map((id, rank) => [id, rank]));
}

function threadOf(threads: Map<string, string>, id: string): string {
  const known = threads.get(id) ?? `thread ${threads.size}`;
  threads.set(id, known);
  return known;
}

async function reachable(db: Database, references: References, projectId: number): Promise<Map<string, Row[]>> {
  const found = new Map([['projects', await rowsOf(db, 'projects', 'id', [projectId])]]);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [table, columns] of references) {
      if (found.has(table) || table === 'projects') continue;
      // Directly from the project if the table references it; otherwise from a table that does.
      const owners = [...columns].filter(([, target]) => found.has(target));
      const [column, target] = owners.find(([, to]) => to === 'projects') ?? owners[0] ?? [];
      if (column === undefined || target === undefined) continue;
      const ids = (found.get(target) ?? []).map(({ id }) => id);
      const rows = await rowsOf(db, table, column, ids);
      if (rows.length > 0) found.set(table, rows);
    }
  }
  return found;
}

async function rowsOf(db: Database, table: string, column: string, ids: readonly unknown[]): Promise<Row[]> {
  const all: Row[] = [];
  for (let at = 0; at < ids.length; at += 500) {
    const some = sql.join(ids.slice(at, at + 500));
    const { rows } = await sql<Row>`select * from ${sql.table(table)} where ${sql.ref(column)} in (${some})`.execute(
      db.read,
    );
    all.push(...rows);
  }
  return all;
}

/** Asserts equality and reports the rows that only one of two projects has. */
export function assertSameRows(got: Record<string, string[]>, expected: Record<string, string[]>): void {
  assert.deepEqual(Object.keys(got), Object.keys(expected), 'the same tables');
  for (const [table, rows] of Object.entries(expected)) {
    const [ours, theirs] = [new Set(got[table]), new Set(rows)];
    const [added, lost] = [[...ours.difference(theirs)], [...theirs.difference(ours)]];
    assert.deepEqual({ added, lost }, { added: [], lost: [] }, table);
    assert.equal(got[table]?.length, rows.length, table);
  }
}
