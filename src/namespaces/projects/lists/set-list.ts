import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { namespaceSearch, projectSearch } from '../../../access/search.ts';
import type { Engine } from '../../../platform/database/database.ts';
import type { ProjectAsk } from './filter.ts';

/** A set of projects: the numbers of its members, and the condition that tells whether a project is one. */
export interface ProjectSet {
  /** A query of one column, `id`; a number may come twice. */
  readonly ids: RawBuilder<unknown>;
  readonly holds: RawBuilder<SqlBool>;
}

/** The projects whose numbers a query finds; it names its column `id`. */
const setOf = (ids: RawBuilder<unknown>): ProjectSet => ({ ids, holds: sql<SqlBool>`projects.id in (${ids})` });

const withTopic = (which: RawBuilder<unknown>) =>
  setOf(sql`select pt.project_id as id from project_topics pt join topics t on t.id = pt.topic_id where ${which}`);

/** The sets that bound a list: those of its place, and of filters that tend to leave few. */
export function setsOf(ask: ProjectAsk): ProjectSet[] {
  const sets: ProjectSet[] = ask.within ? [bounds(ask)] : [];
  if (ask.starred) sets.push(setOf(sql`select project_id as id from stars where user_id = ${ask.user}`));
  for (const name of ask.topic ?? []) sets.push(withTopic(sql`lower(t.name) = lower(${name})`));
  if (ask.topic_id) sets.push(withTopic(sql`t.id = ${ask.topic_id}`));
  if (ask.language) {
    sets.push(setOf(sql`select project_id as id from project_languages where lower(name) = lower(${ask.language})`));
  }
  return sets;
}

function bounds(ask: ProjectAsk): ProjectSet {
  const { within, about } = ask;
  switch (within) {
    case 'group':
      return inGroup(ask);
    case 'shared':
      return setOf(sharedWith(ask, sql`${about}`));
    case 'forks':
      return setOf(sql`select id from projects where forked_from_id = ${about}`);
    case 'personal':
      return setOf(
        sql`select p.id from projects p join namespaces n on n.id = p.namespace_id where n.owner_id = ${about}`,
      );
    case 'starred':
      return setOf(sql`select project_id as id from stars where user_id = ${about}`);
    case 'contributed':
      return setOf(
        // Who comes or goes has contributed nothing by that.
        sql`select distinct project_id as id from events where author_id = ${about} and project_id is not null
          and action not in ('joined', 'left', 'expired')`,
      );
    default:
      return setOf(sql`select id from projects where 1 = 0`);
  }
}

function inGroup(ask: ProjectAsk): ProjectSet {
  const { about } = ask;
  const below = sql`select namespace_id from namespace_ancestors where ancestor_id = ${about}`;
  const above = sql`select ancestor_id from namespace_ancestors where namespace_id = ${about}`;
  const own = ask.subgroups ? below : sql`${about}`;
  const inside = ask.ancestors
    ? sql<SqlBool>`(projects.namespace_id in (${own}) or projects.namespace_id in (${above}))`
    : sql<SqlBool>`projects.namespace_id in (${own})`;
  if (!ask.lent) return { ids: sql`select id from projects where ${inside}`, holds: inside };
  const lent = sharedWith(ask, own);
  return {
    ids: sql`select id from projects where ${inside} union all ${lent}`,
    holds: sql<SqlBool>`(${inside} or projects.id in (${lent}))`,
  };
}

const sharedWith = ({ now }: ProjectAsk, groups: RawBuilder<unknown>) => sql`
  select project_id as id from project_shares
  where with_namespace_id in (${groups}) and (expires_at is null or expires_at > ${now})`;

/** The projects that a search can find, as far as indexes know; undefined where they do not. */
export function searchedIds(ask: ProjectAsk, engine: Engine): RawBuilder<unknown> | undefined {
  const { whole, terms, search_namespaces, alone } = ask;
  if (whole) {
    return sql`
      select id from projects where lower(name) = lower(${whole})
      union all select id from projects where lower(path) = lower(${whole})
      union all select id from projects where substr(lower(description), 1, 100) = substr(lower(${whole}), 1, 100)`;
  }
  if (!terms) return undefined;
  const own = projectSearch.candidates(ask, engine);
  if (!search_namespaces) return own;
  if (!alone) return undefined;
  return sql`select id from (${own}) as own
    union all select p.id from (${namespaceSearch.candidates(ask, engine)}) as n join projects p on p.namespace_id = n.id`;
}
