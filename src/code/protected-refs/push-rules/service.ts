import { isProject, ownerColumnsOf, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Database, Reader } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { Invalid, NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { instant } from '../../../platform/http/schema.ts';
import { userRegexProblem } from '../../../platform/user-regex.ts';
import type { PushRuleRow } from '../tables.ts';
import { deleteRule, findRule, insertRule, updateRule } from './store.ts';

export const pushRuleRegexes = [
  'commit_message_regex',
  'commit_message_negative_regex',
  'branch_name_regex',
  'author_email_regex',
  'file_name_regex',
] as const;
export const pushRuleFlags = [
  'deny_delete_tag',
  'member_check',
  'prevent_secrets',
  'commit_committer_check',
  'commit_committer_name_check',
  'reject_unsigned_commits',
  'reject_non_dco_commits',
] as const;

/** The attributes of a push rule to change. */
export type PushRuleChange = { readonly [K in (typeof pushRuleRegexes)[number]]?: string } & {
  readonly [K in (typeof pushRuleFlags)[number]]?: boolean;
} & { readonly max_file_size?: number };

function present(row: PushRuleRow) {
  return {
    ...row,
    // A null column marks the kind of owner the rule does not have; the serializer drops that field.
    project_id: row.project_id ?? 0,
    created_at: instant(row.created_at),
    ...(Object.fromEntries(pushRuleFlags.map((flag) => [flag, row[flag] === 1])) as Record<
      (typeof pushRuleFlags)[number],
      boolean
    >),
  };
}

/** Returns the push rule of a project, or null. A group without one answers 404, as in GitLab. */
export async function getPushRule(db: Database, place: ProjectOrGroup) {
  const row = await findRule(db.read, place);
  if (!row && !isProject(place)) throw new NotFound();
  return row ? present(row) : null;
}

function changedColumns(change: PushRuleChange): Partial<PushRuleRow> {
  const problems: Record<string, string[]> = {};
  const columns: Partial<PushRuleRow> = {};
  for (const name of pushRuleRegexes) {
    const text = change[name];
    if (text === undefined) continue;
    const problem = userRegexProblem(text);
    if (problem !== undefined) problems[name] = [problem];
    columns[name] = text;
  }
  for (const name of pushRuleFlags) if (change[name] !== undefined) columns[name] = change[name] ? 1 : 0;
  const size = change.max_file_size;
  if (size !== undefined) columns.max_file_size = size;
  if (size !== undefined && size < 0) problems.max_file_size = ['must be greater than or equal to 0'];
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return columns;
}

export async function createPushRule(db: Database, place: ProjectOrGroup, change: PushRuleChange) {
  const blank = {
    commit_message_regex: null,
    commit_message_negative_regex: null,
    branch_name_regex: null,
    author_email_regex: null,
    file_name_regex: null,
  };
  const row = { ...blank, ...changedColumns(change), ...ownerColumnsOf(place), created_at: Date.now() };
  const created = await db
    .write((trx) => insertRule(trx, row))
    .catch((error: unknown) => {
      if (!uniqueViolation(error)) throw error;
      throw new Unprocessable(`${isProject(place) ? 'Project' : 'Group'} push rule exists`);
    });
  return present(created);
}

async function requireRule(db: Reader, place: ProjectOrGroup): Promise<PushRuleRow> {
  const row = await findRule(db, place);
  if (!row) throw new NotFound('Push rule');
  return row;
}

export async function updatePushRule(db: Database, place: ProjectOrGroup, change: PushRuleChange) {
  const { id } = await requireRule(db.read, place);
  const columns = changedColumns(change);
  if (Object.keys(columns).length > 0) {
    await db.write((trx) => updateRule(trx, id, columns));
  }
  return present(await requireRule(db.read, place));
}

/** Creates the push rule of a project, or replaces the one it has. */
export async function putPushRule(db: Database, place: ProjectOrGroup, change: PushRuleChange): Promise<void> {
  if (await findRule(db.read, place)) await updatePushRule(db, place, change);
  else await createPushRule(db, place, change);
}

export async function deletePushRule(db: Database, place: ProjectOrGroup): Promise<void> {
  const { id } = await requireRule(db.read, place);
  await db.write((trx) => deleteRule(trx, id));
}
