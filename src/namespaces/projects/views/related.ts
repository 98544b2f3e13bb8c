import { type Actor, canReadEverything, isAdmin } from '../../../access/actor.ts';
import { ipRestrictionCheck } from '../../../access/limits/address-restriction.ts';
import type { Services } from '../../../access/services.ts';
import { ProjectSubject, standingOf } from '../../../access/subjects.ts';
import type { Namespace, Project } from '../../../access/tables.ts';
import { levelsInProjects, noLevels } from '../../../access/visibility/levels.ts';
import { visibleGroupIds } from '../../../access/visibility/visible-ids.ts';
import { type CustomAttributeEntity, customAttributesOf } from '../../../people/custom-attributes/public.ts';
import { type BasicUserEntity, basicUsers, presentBasicUser } from '../../../people/users/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import {
  artifactSizes,
  findNamespaces,
  findProjects,
  findShares,
  restrictionsOf,
  type Share,
  snippetSizes,
} from './store.ts';

/** Which layers of the project entity to include, each extending the previous one. */
export interface View {
  readonly layer: 'basic' | 'anonymous' | 'full' | 'access';
  readonly statistics?: boolean | undefined;
  readonly license?: boolean | undefined;
  /** Include feature access levels in the anonymous view. */
  readonly accessLevels?: boolean | undefined;
  /** For administrators only. */
  readonly customAttributes?: boolean | undefined;
  /** Single-project responses show Maintainers the import error. */
  readonly importError?: boolean | undefined;
}

/** Data needed to serialize a page of projects besides their rows. */
export interface Related {
  /** Owners of the personal namespaces of the projects. */
  readonly owners: ReadonlyMap<number, BasicUserEntity>;
  readonly shares: ReadonlyMap<number, readonly Share[]>;
  /** Source projects of forks, if visible to the viewer. */
  readonly sources: ReadonlyMap<number, ProjectSubject>;
  readonly attributes: ReadonlyMap<number, readonly CustomAttributeEntity[]> | null;
  readonly openIssues: ReadonlyMap<number, OpenIssues>;
  /** Artifact sizes, if shown. */
  readonly artifacts: ReadonlyMap<number, number>;
  /** Snippet sizes, if shown. */
  readonly snippets: ReadonlyMap<number, number>;
  /** Next runs of enabled cleanup policies. */
  readonly cleanups: ReadonlyMap<number, number>;
}

/** Number of open issues of a project, and how many of them are confidential. */
export interface OpenIssues {
  readonly open: number;
  readonly confidential: number;
}

/** Counts the open issues of projects; those without any may be omitted. */
export type OpenIssueCounter = (db: Reader, projectIds: readonly number[]) => Promise<ReadonlyMap<number, OpenIssues>>;

/** Returns the next run of the cleanup policy of projects that have one. */
export type CleanupTimes = (db: Reader, projects: readonly Project[]) => Promise<ReadonlyMap<number, number>>;

declare module '../../../platform/domain-events.ts' {
  interface Contributions {
    'projects.openIssues': OpenIssueCounter;
    'projects.cleanupTimes': CleanupTimes;
  }
}

const empty: ReadonlyMap<number, never> = new Map<number, never>();
const unique = (ids: Iterable<number>) => [...new Set(ids)];

/** Builds the subjects of many projects in a fixed number of queries. */
export async function subjectsOf(db: Reader, actor: Actor, rows: readonly Project[]): Promise<ProjectSubject[]> {
  if (rows.length === 0) return [];
  const ids = unique(rows.map((row) => row.namespace_id));
  const [namespaces, { archived, ranges }, levels] = await Promise.all([
    findNamespaces(db, ids),
    restrictionsOf(db, ids),
    actor.user ? levelsInProjects(db, actor.user.id, rows) : empty,
  ]);
  const byId = new Map(namespaces.map((namespace) => [namespace.id, namespace]));
  const keepOut = ranges.size > 0 && !canReadEverything(actor) ? await ipRestrictionCheck(db, actor) : () => false;
  return rows.map((row) => {
    const own = levels.get(row.id) ?? noLevels;
    const namespace = byId.get(row.namespace_id) as Namespace;
    const keptOut = keepOut(ranges.get(row.namespace_id) ?? []);
    const standing = standingOf(actor, own);
    return new ProjectSubject(row, namespace, own, standing, archived.has(row.namespace_id), keptOut);
  });
}

/** Loads the related data of these projects for a view in a fixed number of queries. */
export async function loadRelated(
  services: Services,
  actor: Actor,
  subjects: readonly ProjectSubject[],
  view: View,
): Promise<Related> {
  const db = services.db.read;
  const ids = subjects.map(({ project }) => project.id);
  const full = view.layer === 'full' || view.layer === 'access';
  const forks = view.layer === 'basic' ? [] : subjects.filter(({ project }) => project.forked_from_id !== null);
  const sources = forks.length === 0 ? empty : await sourcesOf(db, actor, forks);
  const wantsAttributes = view.customAttributes === true && isAdmin(actor);
  const [countOpen] = services.contributions('projects.openIssues');
  const [cleanupTimes] = services.contributions('projects.cleanupTimes');
  const [owners, shares, attributes, openIssues, artifacts, snippets, cleanups] = await Promise.all([
    ownersOf(services, actor, [...subjects, ...sources.values()]),
    full && ids.length > 0 ? visibleShares(db, actor, ids) : empty,
    wantsAttributes ? customAttributesOf(db, 'project', ids) : null,
    full && ids.length > 0 && countOpen ? countOpen(db, ids) : empty,
    view.statistics && ids.length > 0 ? artifactSizes(db, ids) : empty,
    view.statistics && ids.length > 0 ? snippetSizes(db, ids) : empty,
    full && cleanupTimes
      ? cleanupTimes(
          db,
          subjects.map(({ project }) => project),
        )
      : empty,
  ]);
  return { owners, shares, sources, attributes, openIssues, artifacts, snippets, cleanups };
}

function ownersOf(
  { db, externalUrl }: Services,
  actor: Actor,
  subjects: readonly ProjectSubject[],
): ReadonlyMap<number, BasicUserEntity> | Promise<ReadonlyMap<number, BasicUserEntity>> {
  const ids = new Set<number>();
  for (const { namespace } of subjects) if (namespace.owner_id !== null) ids.add(namespace.owner_id);
  if (ids.size === 0) return empty;
  const [only] = ids;
  if (actor.user && ids.size === 1 && only === actor.user.id) {
    return new Map([[only, presentBasicUser(actor.user, externalUrl)]]);
  }
  return basicUsers(db.read, ids, externalUrl);
}

async function visibleShares(
  db: Reader,
  actor: Actor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly Share[]>> {
  const now = Date.now();
  const all = await findShares(db, ids);
  const shares = all.filter(({ expires_at }) => expires_at === null || expires_at > now);
  if (shares.length === 0) return empty;
  const visibleGroups = await visibleGroupIds(db, actor, unique(shares.map((share) => share.with_namespace_id)));
  return Map.groupBy(
    shares.filter((share) => visibleGroups.has(share.with_namespace_id)),
    (share) => share.project_id,
  );
}

async function sourcesOf(
  db: Reader,
  actor: Actor,
  subjects: readonly ProjectSubject[],
): Promise<ReadonlyMap<number, ProjectSubject>> {
  const ids = new Set<number>();
  for (const { project } of subjects) if (project.forked_from_id !== null) ids.add(project.forked_from_id);
  if (ids.size === 0) return empty;
  const sources = await subjectsOf(db, actor, await findProjects(db, [...ids]));
  return new Map(sources.filter((source) => source.can('read_project')).map((source) => [source.project.id, source]));
}
