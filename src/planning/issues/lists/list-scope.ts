import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { Visibility } from '../../../access/roles.ts';
import { isArchivedProject } from '../../../access/visibility/archived.ts';
import { memberProjectIds, type Viewer } from '../../../access/visibility/visible.ts';
import type { Engine, Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { rawQuery, shapedQuery } from '../../../platform/database/shaped.ts';
import { maxSplitScopes, splitScopes } from '../../../platform/list-kit/split-scopes.ts';
import * as where from './list-filters.ts';

type Condition = RawBuilder<SqlBool>;

/** The scope of an issue query and the user it is executed for. */
export interface IssueScope extends Viewer {
  readonly within: 'project' | 'group' | 'all';
  readonly project?: number | undefined;
  readonly group?: number | undefined;
  /** Excludes archived projects, also those below archived groups or marked for deletion. */
  readonly unarchived?: boolean | undefined;
  /** Within a project: whether the caller may read confidential issues of other users. */
  readonly confidential: boolean;
  /**
   * For a caller who may not read all confidential issues: either the non-confidential issues, or the caller's own
   * confidential ones.
   */
  readonly part?: 'plain' | 'own';
  /** No issue has two labels with one of the requested titles, so joining by them yields no duplicates. */
  readonly titlesTell?: boolean | undefined;
  /** One of the requested titles stands for all labels of a scope. */
  readonly titleScopes?: boolean | undefined;
  readonly today: string;
}

/** The form of the scope that all issue queries share. */
export const issueScopeForm = boundProperties<IssueScope>()({ values: ['project', 'group', 'user', 'now', 'today'] });
export type IssueScopeAsked = BoundFilterOf<typeof issueScopeForm>;
type Scope = IssueScopeAsked;

const noUser = sql<number>`0`;
const userOf = ({ user }: Scope): Expression<number> => user ?? noUser;

/** The minimum access level for confidential issues: planner. */
const planning = 15;

/** Condition that project `p` is within the scope and visible, and that the caller may use its issues feature. */
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
  const alive: Condition = unarchived ? sql`not ${isArchivedProject('p')}` : sql`1 = 1`;
  return sql`${inGroup} and ${visible} and ${switchedOn} and ${alive}`;
}

function readableProjects(ask: Scope): Condition {
  return sql`exists (select 1 from projects p where p.id = issues.project_id and ${isReadable(ask)})`;
}

/**
 * The caller's confidential issues of a project. They are selected by author and assignee, which yields few rows, and
 * not by project.
 */
export const ownConfidentialIssues = (issue: Expression<unknown>, { project, user }: Scope): Condition =>
  sql`${issue} in (
      select own.id from issues own where own.author_id = ${user} and own.project_id = ${project} and own.confidential = 1
      union select a.issue_id from issue_assignees a
      where a.user_id = ${user} and a.project_id = ${project} and a.confidential = 1)`;

/**
 * Splits a project's issues into non-confidential ones and the caller's own. A single query with "or" makes the
 * databases check every row, while each part has an index.
 */
export function splitByConfidentiality(scope: IssueScope): readonly IssueScope[] {
  if (scope.confidential) return [scope];
  const plain = { ...scope, part: 'plain' } as const;
  return scope.user === undefined ? [plain] : [plain, { ...scope, part: 'own' }];
}

const readableIn = shapedQuery(issueScopeForm, (db, ask: Scope) => {
  const { sees, user, now } = ask;
  const member = user === undefined ? sql`1 = 0` : sql`p.id in (${memberProjectIds(user, planning, now)})`;
  const confidential = sees === 'all' ? sql`1` : sql`case when ${member} then 1 else 0 end`;
  return rawQuery<{ id: number; confidential: number }>(
    db,
    sql`select p.id, ${confidential} as confidential from projects p
      where ${isReadable(ask)} and exists (select 1 from issues i where i.project_id = p.id)
      limit ${sql.lit(maxSplitScopes + 1)}`,
  );
});

/** Splits a group's issues by project. */
export async function splitByProject(db: Reader, whole: IssueScope): Promise<readonly IssueScope[]> {
  const { group, ...viewer } = whole;
  const projects = splitScopes<{ id: number; confidential: number }, IssueScope>(
    await readableIn.all(db, whole),
    whole,
    (found) => ({ ...viewer, within: 'project', project: found?.id ?? 0, confidential: found?.confidential !== 0 }),
  );
  return projects.flatMap((scope) => (scope.within === 'project' ? splitByConfidentiality(scope) : [scope]));
}

/** Condition that the caller may read an issue: confidential ones only as planner, author or assignee. */
export function readableIssues(ask: Scope, engine: Engine): Condition {
  const { within, project, sees, user, now, confidential, part } = ask;
  // SQLite would otherwise scan the project in list order; PostgreSQL estimates both costs.
  if (part === 'own') {
    const own = ownConfidentialIssues(sql.ref('issues.id'), ask);
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
