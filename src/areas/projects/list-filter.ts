import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../access/actor.ts';
import { memberProjects } from '../../access/visible.ts';
import { contains, sameIgnoringCase } from '../../platform/database/expressions.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { dayToInstant } from '../../platform/http/schema.ts';
import { hasAttributes } from '../custom-attributes/service.ts';
import type { ListOptions } from './list-params.ts';
import { type SearchTerms, searchTerms } from './search-terms.ts';

export type ProjectsBuilder = ExpressionBuilder<Tables, 'projects'>;
/** A condition on a row of `projects`, written when the query is. */
export type Condition = (eb: ProjectsBuilder) => Expression<SqlBool>;

/** A set of projects: the numbers of its members, and the condition that tells whether a project is one. */
export interface ProjectSet {
  /** A query of one column, `id`; a number may come twice. */
  readonly ids: RawBuilder<unknown>;
  readonly holds: Condition;
}

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

const when = (wanted: boolean, condition: RawBuilder<SqlBool>): Condition =>
  wanted ? () => condition : (eb) => eb.not(condition);

/** The conditions that the sent filters mean, visibility and roles left aside; `ofMembers` when a role is needed. */
export function filterConditions(actor: Actor, options: ListOptions, ofMembers: boolean): Condition[] {
  const found: Condition[] = [];
  const add = (condition: Condition) => found.push(condition);
  const { archived, active, custom_attributes } = options;
  if (archived !== undefined) add(when(archived, isArchived));
  if (active !== undefined) add(when(!active, isInactive));
  const terms = searchTerms(options.search);
  if (terms) add((eb) => matches(eb, terms, options.search_namespaces === true));
  if (options.imported) add(importedBy(actor));
  for (const feature of ['issues', 'merge_requests'] as const) {
    if (options[`with_${feature}_enabled`]) add(featureFor(actor, `${feature}_access`, ofMembers));
  }
  if (options.wiki_checksum_failed || options.repository_checksum_failed) {
    // Repositories are not verified against copies elsewhere, so none has failed.
    add(() => sql<SqlBool>`1 = 0`);
  }
  if (isAdmin(actor)) {
    const { repository_storage } = options;
    if (repository_storage) add((eb) => eb('projects.repository_storage', '=', repository_storage));
    if (custom_attributes) add(() => hasAttributes('project', 'projects.id', custom_attributes));
  }
  return [...found, ...spans(options)];
}

/** Filters by number and by time. */
function spans(options: ListOptions): Condition[] {
  const found: Condition[] = [];
  const bound = (column: 'id' | 'last_activity_at' | 'updated_at', operator: '<' | '>', value: number | undefined) => {
    if (value !== undefined) found.push((eb) => eb(`projects.${column}`, operator, value));
  };
  bound('id', '>', options.id_after);
  bound('id', '<', options.id_before);
  bound('last_activity_at', '>', options.last_activity_after);
  bound('last_activity_at', '<', options.last_activity_before);
  bound('updated_at', '>', options.updated_after);
  bound('updated_at', '<', options.updated_before);
  const marked = options.marked_for_deletion_on;
  if (marked !== undefined) {
    const start = dayToInstant(marked);
    found.push((eb) => eb.between('projects.marked_for_deletion_at', start, start + day - 1));
  }
  return found;
}

function matches(eb: ProjectsBuilder, terms: SearchTerms, namespaces: boolean): Expression<SqlBool> {
  const inColumn = (column: Expression<string | null>) =>
    'whole' in terms
      ? sameIgnoringCase(column, terms.whole)
      : eb.and(terms.contained.map((term) => contains(column, term)));
  const columns = [eb.ref('projects.name'), eb.ref('projects.path'), eb.ref('projects.description')];
  const found: Expression<SqlBool>[] = columns.map(inColumn);
  if (namespaces) {
    const text = sql<string>`(n.full_path || '/' || projects.path || ' ' || n.full_name)`;
    found.push(sql<SqlBool>`exists (
      select 1 from namespaces n where n.id = projects.namespace_id and ${inColumn(text)})`);
  }
  return eb.or(found);
}

function importedBy(actor: Actor): Condition {
  return (eb) =>
    eb.and([eb('projects.import_type', 'is not', null), eb('projects.creator_id', '=', actor.user?.id ?? 0)]);
}

/** The feature is there for the caller: for everyone who sees the project, or for its members. */
function featureFor(actor: Actor, column: 'issues_access' | 'merge_requests_access', ofMembers: boolean): Condition {
  return (eb) => {
    if (ofMembers || isAdmin(actor)) return eb(`projects.${column}`, '>', 0);
    const open = eb(`projects.${column}`, '=', 20);
    if (!actor.user) return open;
    return eb.or([open, eb.and([eb(`projects.${column}`, '=', 10), memberProjects(eb, actor.user.id)])]);
  };
}

/** The filters that name sets of projects, which tend to be small. */
export function filterSets({ topic = [], topic_id, with_programming_language: language }: ListOptions): ProjectSet[] {
  const sets = topic.map((name) => withTopic(sql`lower(t.name) = lower(${name})`));
  if (topic_id !== undefined) sets.push(withTopic(sql`t.id = ${topic_id}`));
  if (language)
    sets.push(setOf(sql`select project_id as id from project_languages where lower(name) = lower(${language})`));
  return sets;
}

function withTopic(which: RawBuilder<unknown>): ProjectSet {
  return setOf(sql`
    select pt.project_id as id from project_topics pt join topics t on t.id = pt.topic_id where ${which}`);
}

/** The projects whose numbers a query finds; it names its column `id`. */
export const setOf = (ids: RawBuilder<unknown>): ProjectSet => ({ ids, holds: () => sql`projects.id in (${ids})` });
