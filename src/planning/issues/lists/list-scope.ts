import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { Visibility } from '../../../access/roles.ts';
import { memberProjectIds, type Viewer } from '../../../access/visibility/visible.ts';
import type { Engine, Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, form } from '../../../platform/database/form.ts';
import { shaped, written } from '../../../platform/database/shaped.ts';
import { apart, readApart } from '../../../platform/list-kit/apart.ts';
import * as where from './list-filters.ts';

type Condition = RawBuilder<SqlBool>;

/** Where issues are looked for, and by whom. */
export interface IssueScope extends Viewer {
  readonly within: 'project' | 'group' | 'all';
  readonly project?: number | undefined;
  readonly group?: number | undefined;
  /** Not of projects that are archived. */
  readonly unarchived?: boolean | undefined;
  /** In a project: whether the caller sees the confidential ones of others. */
  readonly confidential: boolean;
  /** Of those that a caller sees who does not see all: what is not confidential, or the caller's own of the rest. */
  readonly part?: 'plain' | 'own';
  /** No issue has two labels of one of the titles that are asked for: none is met twice by them. */
  readonly titlesTell?: boolean | undefined;
  /** One of the titles that are asked for stands for all labels of a scope. */
  readonly titleScopes?: boolean | undefined;
  readonly today: string;
}

/** What every query of issues is asked with. */
export const issueScopeForm = form<IssueScope>()({ values: ['project', 'group', 'user', 'now', 'today'] });
export type IssueScopeAsked = BoundFilterOf<typeof issueScopeForm>;
type Scope = IssueScopeAsked;

const nobody = sql<number>`0`;
const userOf = ({ user }: Scope): Expression<number> => user ?? nobody;

/** The least role that sees what is confidential: planners, and all above. */
const planning = 15;

/** Whether issues are read in a project `p`, of the group or of all: visible, with issues switched on for the caller. */
function isReadable({ sees, user, now, within, group, unarchived }: Scope): Condition {
  const member = (least: number): Condition =>
    user === undefined ? sql`1 = 0` : sql`p.id in (${memberProjectIds(user, least, now)})`;
  const visible: Condition =
    sees === 'all' ? sql`1 = 1` : sql`(p.visibility >= ${sql.lit(Visibility[sees])} or ${member(10)})`;
  const inGroup: Condition =
    within === 'group'
      ? sql`p.namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${group})`
      : sql`1 = 1`;
  const switchedOn: Condition =
    sees === 'all'
      ? sql`p.issues_access > 0`
      : sql`(p.issues_access >= 20 or (p.issues_access >= 10 and ${member(10)}))`;
  const alive: Condition = unarchived ? sql`p.archived = 0` : sql`1 = 1`;
  return sql`${inGroup} and ${visible} and ${switchedOn} and ${alive}`;
}

function readableProjects(ask: Scope): Condition {
  return sql`exists (select 1 from projects p where p.id = issues.project_id and ${isReadable(ask)})`;
}

/** What of a project is confidential and the caller's: they are sought by the caller, who has few, and not by the project. */
export const ownOfProject = (issue: Expression<unknown>, { project, user }: Scope): Condition =>
  sql`${issue} in (
      select own.id from issues own where own.author_id = ${user} and own.project_id = ${project} and own.confidential = 1
      union select a.issue_id from issue_assignees a
      where a.user_id = ${user} and a.project_id = ${project} and a.confidential = 1)`;

/**
 * A project's issues as what is plain and what is the caller's own: "or" of both makes an engine look at each, where
 * indexes have either.
 */
export function partsOf(scope: IssueScope): readonly IssueScope[] {
  if (scope.confidential) return [scope];
  const plain = { ...scope, part: 'plain' } as const;
  return scope.user === undefined ? [plain] : [plain, { ...scope, part: 'own' }];
}

const readableIn = shaped(issueScopeForm, (db, ask: Scope) => {
  const { sees, user, now } = ask;
  const member = user === undefined ? sql`1 = 0` : sql`p.id in (${memberProjectIds(user, planning, now)})`;
  const confidential = sees === 'all' ? sql`1` : sql`case when ${member} then 1 else 0 end`;
  return written<{ id: number; confidential: number }>(
    db,
    sql`select p.id, ${confidential} as confidential from projects p
      where ${isReadable(ask)} and exists (select 1 from issues i where i.project_id = p.id)
      limit ${sql.lit(readApart + 1)}`,
  );
});

/** A group's issues as those of each of its projects. */
export async function projectsApart(db: Reader, whole: IssueScope): Promise<readonly IssueScope[]> {
  const { group, ...viewer } = whole;
  const projects = apart<{ id: number; confidential: number }, IssueScope>(
    await readableIn.all(db, whole),
    whole,
    (found) => ({ ...viewer, within: 'project', project: found?.id ?? 0, confidential: found?.confidential !== 0 }),
  );
  return projects.flatMap((scope) => (scope.within === 'project' ? partsOf(scope) : [scope]));
}

/** What the caller may read of those: what is confidential only as a planner, an author or an assignee. */
export function readableIssues(ask: Scope, engine: Engine): Condition {
  const { within, project, sees, user, now, confidential, part } = ask;
  // SQLite would rather walk the project in the order of a list; PostgreSQL knows what either costs.
  if (part === 'own') {
    const own = ownOfProject(sql.ref('issues.id'), ask);
    return engine === 'sqlite' ? own : sql`issues.project_id = ${project} and ${own}`;
  }
  const own: Condition =
    user === undefined ? sql`1 = 0` : sql`(issues.author_id = ${user} or ${where.assignedTo(userOf(ask))})`;
  if (within === 'project') {
    const inProject: Condition = sql`issues.project_id = ${project}`;
    if (part === 'plain') return sql`${inProject} and issues.confidential = 0`;
    return confidential ? inProject : sql`${inProject} and (issues.confidential = 0 or ${own})`;
  }
  if (sees === 'all') return readableProjects(ask);
  const planned: Condition =
    user === undefined ? sql`1 = 0` : sql`issues.project_id in (${memberProjectIds(user, planning, now)})`;
  return sql`${readableProjects(ask)} and (issues.confidential = 0 or ${own} or ${planned})`;
}
