import { sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { boundProperties } from '../../platform/database/form.ts';
import { shapedQuery } from '../../platform/database/shaped.ts';
import { type Actor, canReadEverything } from '../actor.ts';
import { type Viewer, viewerOf, visibleGroups, visibleProjects } from './visible.ts';

interface IdFilter extends Viewer {
  readonly ids: readonly number[];
}

const idFilter = boundProperties<IdFilter>()({ values: ['user', 'now'], lists: ['ids'] });

const groupsAmong = shapedQuery(idFilter, (db, filter) =>
  db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where(filter.ids.has(sql.ref('namespaces.id')))
    .where((eb) => visibleGroups(eb, filter)),
);
const projectsAmong = shapedQuery(idFilter, (db, filter) =>
  db
    .selectFrom('projects')
    .select('projects.id')
    .where(filter.ids.has(sql.ref('projects.id')))
    .where((eb) => visibleProjects(eb, filter)),
);

/** Those of the groups that the actor can see. */
export async function visibleGroupIds(db: Reader, actor: Actor, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (canReadEverything(actor) || ids.length === 0) return new Set(ids);
  return new Set((await groupsAmong.all(db, { ids, ...viewerOf(actor) })).map(({ id }) => id));
}

/** Those of the projects that the actor can see. */
export async function visibleProjectIds(
  db: Reader,
  actor: Actor,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (canReadEverything(actor) || ids.length === 0) return new Set(ids);
  return new Set((await projectsAmong.all(db, { ids, ...viewerOf(actor) })).map(({ id }) => id));
}
