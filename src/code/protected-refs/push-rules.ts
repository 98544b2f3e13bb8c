import { sql } from 'kysely';
import { belongs, columnsOf, isProject, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Database, Reader } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { Invalid, NotFound, Unprocessable } from '../../platform/http/errors.ts';
import { instant } from '../../platform/http/schema.ts';
import { tooLong } from '../../platform/http/too-long.ts';
import { compileUserRegex } from '../../platform/user-regex.ts';
import type { PushRuleRow } from './tables.ts';

const regexes = [
  'commit_message_regex',
  'commit_message_negative_regex',
  'branch_name_regex',
  'author_email_regex',
  'file_name_regex',
] as const;
const flags = [
  'deny_delete_tag',
  'member_check',
  'prevent_secrets',
  'commit_committer_check',
  'commit_committer_name_check',
  'reject_unsigned_commits',
  'reject_non_dco_commits',
] as const;

/** What of a push rule is to change. */
export type PushRuleChange = { readonly [K in (typeof regexes)[number]]?: string } & {
  readonly [K in (typeof flags)[number]]?: boolean;
} & { readonly max_file_size?: number };

// The project's own rule stands at depth -1, so that it comes before those of the groups above. Two queries in one: with
// either condition in a single one PostgreSQL would read the whole table.
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

/** The rule that pushes to a project must follow: its own, else that of the nearest group above. */
export async function effectivePushRule(
  db: Reader,
  project: { id: number; namespace_id: number },
): Promise<PushRuleRow | undefined> {
  return effective.first(db, { project: project.id, namespace: project.namespace_id });
}

function find(db: Reader, place: ProjectOrGroup): Promise<PushRuleRow | undefined> {
  return db
    .selectFrom('push_rules')
    .selectAll()
    .where(belongs('push_rules', columnsOf(place)))
    .executeTakeFirst();
}

function present(row: PushRuleRow) {
  return {
    ...row,
    // A null marks the owner that a rule does not have; the serializer leaves the other one out.
    project_id: row.project_id ?? 0,
    created_at: instant(row.created_at),
    ...(Object.fromEntries(flags.map((flag) => [flag, row[flag] === 1])) as Record<(typeof flags)[number], boolean>),
  };
}

/** The rule of a project or group; null where there is none. */
export async function getPushRule(db: Database, place: ProjectOrGroup) {
  const row = await find(db.read, place);
  return row ? present(row) : null;
}

function changedColumns(change: PushRuleChange): Partial<PushRuleRow> {
  const problems: Record<string, string[]> = {};
  const columns: Partial<PushRuleRow> = {};
  for (const name of regexes) {
    const text = change[name];
    if (text === undefined) continue;
    const problem = regexProblem(text);
    if (problem !== undefined) problems[name] = [problem];
    columns[name] = text === '' ? null : text;
  }
  for (const name of flags) if (change[name] !== undefined) columns[name] = change[name] ? 1 : 0;
  const size = change.max_file_size;
  if (size !== undefined) columns.max_file_size = size;
  if (size !== undefined && size < 0) problems.max_file_size = ['must be greater than or equal to 0'];
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return columns;
}

const maxRegexLength = 511;

function regexProblem(text: string): string | undefined {
  const long = tooLong(text, maxRegexLength);
  if (long !== undefined) return long;
  try {
    compileUserRegex(text);
    return undefined;
  } catch (error) {
    return `not valid RE2 syntax: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export async function createPushRule(db: Database, place: ProjectOrGroup, change: PushRuleChange) {
  const blank = {
    commit_message_regex: null,
    commit_message_negative_regex: null,
    branch_name_regex: null,
    author_email_regex: null,
    file_name_regex: null,
  };
  const row = { ...blank, ...changedColumns(change), ...columnsOf(place), created_at: Date.now() };
  const created = await db
    .write((trx) => trx.insertInto('push_rules').values(row).returningAll().executeTakeFirstOrThrow())
    .catch((error: unknown) => {
      if (!uniqueViolation(error)) throw error;
      throw new Unprocessable(`${isProject(place) ? 'Project' : 'Group'} push rule exists`);
    });
  return present(created);
}

async function requireRule(db: Reader, place: ProjectOrGroup): Promise<PushRuleRow> {
  const row = await find(db, place);
  if (!row) throw new NotFound('Push rule');
  return row;
}

export async function updatePushRule(db: Database, place: ProjectOrGroup, change: PushRuleChange) {
  const { id } = await requireRule(db.read, place);
  const columns = changedColumns(change);
  if (Object.keys(columns).length > 0) {
    await db.write((trx) => trx.updateTable('push_rules').set(columns).where('id', '=', id).execute());
  }
  return present(await requireRule(db.read, place));
}

export async function deletePushRule(db: Database, place: ProjectOrGroup): Promise<void> {
  const { id } = await requireRule(db.read, place);
  await db.write((trx) => trx.deleteFrom('push_rules').where('id', '=', id).execute());
}
