import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { Visibility } from '../../access/roles.ts';
import type { Value } from '../../access/visibility/visible.ts';
import { memberProjectIds, type Viewer } from '../../access/visibility/visible.ts';
import { type BoundFilterOf, form } from '../../platform/database/form.ts';
import * as where from './list-filters.ts';

type Condition = RawBuilder<SqlBool>;

/** Where issues are looked for, and by whom. */
export interface IssueScope extends Viewer {
  readonly within: 'project' | 'group' | 'all';
  readonly project?: number | undefined;
  readonly group?: number | undefined;
  /** In a project: whether the caller sees the confidential ones of others. */
  readonly confidential: boolean;
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

/** In which projects issues are read, of the group or of all: visible, with issues switched on for the caller. */
function readableProjects({ sees, user, now, within, group }: Scope): Condition {
  const member = (least: number): Condition =>
    user === undefined ? sql`1 = 0` : sql`p.id in (${memberProjectIds(user as Value, least, now as Value)})`;
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
  return sql`exists (select 1 from projects p where p.id = issues.project_id
    and ${inGroup} and ${visible} and ${switchedOn})`;
}

/** What the caller may read of those: what is confidential only as a planner, an author or an assignee. */
export function readableIssues(ask: Scope): Condition {
  const { within, project, sees, user, now, confidential } = ask;
  const own: Condition =
    user === undefined ? sql`1 = 0` : sql`(issues.author_id = ${user} or ${where.assignedTo(userOf(ask))})`;
  if (within === 'project') {
    const inProject: Condition = sql`issues.project_id = ${project}`;
    return confidential ? inProject : sql`${inProject} and (issues.confidential = 0 or ${own})`;
  }
  if (sees === 'all') return readableProjects(ask);
  const planned: Condition =
    user === undefined
      ? sql`1 = 0`
      : sql`issues.project_id in (${memberProjectIds(user as Value, planning, now as Value)})`;
  return sql`${readableProjects(ask)} and (issues.confidential = 0 or ${own} or ${planned})`;
}
