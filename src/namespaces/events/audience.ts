import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { ProjectAbility } from '../../access/policy.ts';
import { Role, Visibility } from '../../access/roles.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { memberProjects, type Value, type Viewer } from '../../access/visible.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Audience } from './event.ts';

const abilities: Readonly<Record<Audience, ProjectAbility>> = {
  project: 'read_project',
  code: 'read_code',
  issues: 'read_issue',
  merge_requests: 'read_merge_request',
  snippets: 'read_snippet',
  wiki: 'read_wiki',
  confidential: 'read_confidential_issue',
  internal: 'read_confidential_issue',
};

/** The audiences that somebody belongs to in one project. */
export function audiencesIn(subject: ProjectSubject): Audience[] {
  return (Object.keys(abilities) as Audience[]).filter((audience) => subject.can(abilities[audience]));
}

type Projects = ExpressionBuilder<Tables, 'projects'>;

// Guests of a private project do not see its code; planners and everyone above do.
const members = { code: Role.planner, merge_requests: Role.planner, issues: Role.guest } as const;
const columns = {
  code: 'projects.repository_access',
  merge_requests: 'projects.merge_requests_access',
  issues: 'projects.issues_access',
} as const;

/** The projects whose events of an audience a viewer may see; the same rules as `audiencesIn`, over many projects. */
export function projectsShowing(
  eb: Projects,
  { sees, user, now }: Viewer<Value>,
  audience: Audience,
): Expression<SqlBool> {
  if (sees === 'all') return sql<SqlBool>`1 = 1`;
  const open = eb('projects.visibility', '>=', Visibility[sees]);
  const member = (least: number) => (user === undefined ? sql<SqlBool>`1 = 0` : memberProjects(eb, user, least, now));
  if (audience === 'project') return eb.or([open, member(Role.guest)]);
  if (audience === 'confidential' || audience === 'internal') {
    return eb.and([eb(columns.issues, '>', 0), member(Role.planner)]);
  }
  if (audience === 'snippets' || audience === 'wiki') {
    // Levels of these features are kept among the settings, where only what differs from the default is written.
    const unchanged = sql<SqlBool>`projects.settings not like ${`%"${audience}_access_level"%`}`;
    return eb.and([unchanged, eb.or([open, member(Role.guest)])]);
  }
  const column = columns[audience];
  const everyone = eb.and([eb(column, '=', 20), eb('projects.visibility', '>', 0), eb.or([open, member(Role.guest)])]);
  return eb.or([everyone, eb.and([eb(column, '>', 0), member(members[audience])])]);
}

export const allAudiences = Object.keys(abilities) as readonly Audience[];
