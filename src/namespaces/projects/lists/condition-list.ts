import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { memberProjects } from '../../../access/visible.ts';
import { hasAttributes } from '../../../people/custom-attributes/public.ts';
import { contains, sameIgnoringCase } from '../../../platform/database/expressions.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { dayToInstant } from '../../../platform/http/schema.ts';
import type { ProjectAsk } from './filter.ts';

type ProjectsBuilder = ExpressionBuilder<Tables, 'projects'>;

const day = 24 * 60 * 60 * 1000;

const archivedNamespaces = sql`
  select a.namespace_id from namespace_ancestors a join namespaces n on n.id = a.ancestor_id where n.archived = 1`;
const markedNamespaces = sql`
  select a.namespace_id from namespace_ancestors a join namespaces n on n.id = a.ancestor_id
  where n.marked_for_deletion_at is not null`;

/** Archived itself, below an archived group, or on its way out. */
const isArchived = sql<SqlBool>`
  (projects.archived = 1 or projects.marked_for_deletion_at is not null or projects.namespace_id in (${archivedNamespaces}))`;
const isInactive = sql<SqlBool>`(${isArchived} or projects.namespace_id in (${markedNamespaces}))`;

/** The conditions that the sent filters mean; visibility, roles and sets left aside. */
export function filterConditions(eb: ProjectsBuilder, ask: ProjectAsk): Expression<SqlBool>[] {
  const found: Expression<SqlBool>[] = [];
  const when = (wanted: boolean, condition: RawBuilder<SqlBool>) => (wanted ? condition : eb.not(condition));
  const { archived, active, user, repository_storage, attributes } = ask;
  if (archived !== undefined) found.push(when(archived, isArchived));
  if (active !== undefined) found.push(when(!active, isInactive));
  if (ask.words || ask.whole) found.push(matches(eb, ask));
  if (ask.imported) {
    const creator = eb('projects.creator_id', '=', user ?? 0);
    found.push(eb.and([eb('projects.import_type', 'is not', null), creator]));
  }
  for (const feature of ['issues', 'merge_requests'] as const) {
    if (ask[`with_${feature}_enabled`]) found.push(featureFor(eb, ask, `${feature}_access`));
  }
  if (ask.impossible) found.push(sql<SqlBool>`1 = 0`);
  if (repository_storage) found.push(eb('projects.repository_storage', '=', repository_storage));
  if (attributes) found.push(hasAttributes('project', 'projects.id', attributes));
  return [...found, ...spans(eb, ask)];
}

/** Filters by number and by time. */
function* spans(eb: ProjectsBuilder, ask: ProjectAsk): Generator<Expression<SqlBool>> {
  if (ask.id_after) yield eb('projects.id', '>', ask.id_after);
  if (ask.id_before) yield eb('projects.id', '<', ask.id_before);
  if (ask.last_activity_after) yield eb('projects.last_activity_at', '>', ask.last_activity_after);
  if (ask.last_activity_before) yield eb('projects.last_activity_at', '<', ask.last_activity_before);
  if (ask.updated_after) yield eb('projects.updated_at', '>', ask.updated_after);
  if (ask.updated_before) yield eb('projects.updated_at', '<', ask.updated_before);
  if (ask.marked) {
    const end = ask.marked.to((text) => dayToInstant(text) + day - 1);
    yield eb.between('projects.marked_for_deletion_at', ask.marked.to(dayToInstant), end);
  }
}

function matches(eb: ProjectsBuilder, { words, whole, search_namespaces }: ProjectAsk): Expression<SqlBool> {
  const inColumn = (column: Expression<string | null>) =>
    whole ? sameIgnoringCase(column, whole) : eb.and((words ?? []).map((word) => contains(column, word)));
  const columns = [eb.ref('projects.name'), eb.ref('projects.path'), eb.ref('projects.description')];
  const found: Expression<SqlBool>[] = columns.map(inColumn);
  if (search_namespaces) {
    const text = sql<string>`(n.full_path || '/' || projects.path || ' ' || n.full_name)`;
    found.push(sql<SqlBool>`exists (
      select 1 from namespaces n where n.id = projects.namespace_id and ${inColumn(text)})`);
  }
  return eb.or(found);
}

/** The feature is there for the caller: for everyone who sees the project, or for its members. */
function featureFor(
  eb: ProjectsBuilder,
  { ofMembers, admin, user, now }: ProjectAsk,
  column: 'issues_access' | 'merge_requests_access',
): Expression<SqlBool> {
  if (ofMembers || admin) return eb(`projects.${column}`, '>', 0);
  const open = eb(`projects.${column}`, '=', 20);
  if (!user) return open;
  return eb.or([open, eb.and([eb(`projects.${column}`, '=', 10), memberProjects(eb, user, undefined, now)])]);
}
