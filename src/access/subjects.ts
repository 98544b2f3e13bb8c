import type { Database, Reader } from '../platform/database/database.ts';
import { Forbidden, HttpError, MethodNotAllowed, NotFound } from '../platform/http/errors.ts';
import { type Actor, anonymous, canReadEverything } from './actor.ts';
import { acceptsJobToken } from './credentials/job-tokens.ts';
import { isExcludedByIpRestriction } from './limits/address-restriction.ts';
import {
  type AbilityRule,
  allows,
  type Feature,
  type GroupAbility,
  groupAbilities,
  type ProjectAbility,
  projectAbilities,
  type Standing,
} from './policy.ts';
import { Role } from './roles.ts';
import { settingsOf } from './stored-settings.ts';
import {
  findNamespace,
  inheritedGroupState,
  namespaceWithInheritedState,
  projectById,
  projectByPath,
  roleInOrBelowGroup,
  routeByPath,
} from './subject-queries.ts';
import type { Namespace, Project } from './tables.ts';
import { groupLevels, type Levels, noLevels, projectLevels } from './visibility/levels.ts';

export { settingsOf } from './stored-settings.ts';

/** A project in relation to one actor: rows, roles, and every authorization decision. */
export class ProjectSubject {
  readonly project: Project;
  readonly namespace: Namespace;
  readonly levels: Levels;
  readonly standing: Standing;
  /** Archived itself, marked for deletion, or below an archived group. */
  readonly archived: boolean;
  /** The actor's IP address is not allowed: they can do nothing, whatever their role. */
  readonly keptOut: boolean;

  constructor(
    project: Project,
    namespace: Namespace,
    levels: Levels,
    standing: Standing,
    archivedAbove: boolean,
    keptOut = false,
  ) {
    this.project = project;
    this.namespace = namespace;
    this.levels = levels;
    this.standing = standing;
    this.archived = project.archived === 1 || project.marked_for_deletion_at !== null || archivedAbove;
    this.keptOut = keptOut;
  }

  get visibility(): number {
    return this.project.visibility;
  }

  get fullPath(): string {
    return `${this.namespace.full_path}/${this.project.path}`;
  }

  get topLevel(): boolean {
    return false;
  }

  featureLevel(feature: Feature): number {
    return featureLevel(this.project, feature);
  }

  can(ability: ProjectAbility): boolean {
    return !this.keptOut && allows(projectAbilities[ability], this.standing, this);
  }
}

const words: Readonly<Record<string, number>> = { disabled: 0, private: 10, enabled: 20, public: 20 };

/** 0 disabled, 10 members only, 20 everyone who can see the project. */
export function featureLevel(project: Project, feature: Feature): number {
  if (feature === 'repository') return project.repository_access;
  if (feature === 'issues') return project.issues_access;
  if (feature === 'merge_requests') return Math.min(project.merge_requests_access, project.repository_access);
  const own = settingsOf(project)[`${feature}_access_level`];
  const level = typeof own === 'string' ? (words[own] ?? 20) : 20;
  return feature === 'builds' || feature === 'forking' ? Math.min(level, project.repository_access) : level;
}

/** A group in relation to one actor. */
export class GroupSubject {
  readonly group: Namespace;
  readonly levels: Levels;
  readonly standing: Standing;
  /** Archived itself, or below an archived group. */
  readonly archived: boolean;
  /** The actor has a role in a subgroup or project inside, and may therefore read the group like a public one. */
  readonly around: boolean;
  /**
   * The actor's IP address is not allowed: they can do nothing. Owners are exempt, so that they can correct mistakes.
   */
  readonly keptOut: boolean;

  constructor(
    group: Namespace,
    levels: Levels,
    standing: Standing,
    archived: boolean,
    { around = false, keptOut = false } = {},
  ) {
    this.group = group;
    this.levels = levels;
    this.standing = standing;
    this.archived = archived;
    this.around = around;
    this.keptOut = keptOut && standing.level < Role.owner;
  }

  get visibility(): number {
    return this.group.visibility;
  }

  get topLevel(): boolean {
    return this.group.parent_id === null;
  }

  featureLevel(): number {
    return 20;
  }

  can(ability: GroupAbility): boolean {
    if (this.keptOut) return false;
    const rule: AbilityRule = groupAbilities[ability];
    return allows(rule, this.standing, this) || (this.around && rule.reads === true && rule.outsider === true);
  }
}

/** The standing of an actor with these roles. */
export function standingOf({ user }: Actor, { highest, permissions }: Levels): Standing {
  return {
    level: highest,
    permissions,
    signedIn: user !== null,
    external: user?.external === 1,
    admin: user?.admin === 1,
    auditor: user?.auditor === 1,
  };
}

/** Loads everything that decisions about a project need. */
export async function projectSubject(db: Reader, caller: Actor, project: Project): Promise<ProjectSubject> {
  // If the project does not accept the job's token, the job is treated as anonymous.
  const actor = caller.job && !(await acceptsJobToken(db, project, caller)) ? { ...anonymous, ip: caller.ip } : caller;
  const namespace = await namespaceWithInheritedState.first(db, { id: project.namespace_id });
  if (!namespace) throw new NotFound('Project');
  const levels = actor.user ? await projectLevels(db, actor.user.id, project) : noLevels;
  const standing = standingOf(actor, levels);
  const keptOut =
    namespace.restricted_above === 1 &&
    !canReadEverything(actor) &&
    (await isExcludedByIpRestriction(db, actor, namespace.id));
  return new ProjectSubject(project, namespace, levels, standing, namespace.archived_above === 1, keptOut);
}

/** Loads everything that decisions about a group need. */
export async function groupSubject(db: Reader, actor: Actor, group: Namespace): Promise<GroupSubject> {
  const levels = actor.user ? await groupLevels(db, actor.user.id, group.id) : noLevels;
  const above = await inheritedGroupState.first(db, { id: group.id });
  const archived = above?.archived === 1;
  const keptOut =
    above?.restricted === 1 && !canReadEverything(actor) && (await isExcludedByIpRestriction(db, actor, group.id));
  const subject = new GroupSubject(group, levels, standingOf(actor, levels), archived, { keptOut });
  if (!actor.user || subject.keptOut || subject.can('read_group')) return subject;
  const around =
    (await roleInOrBelowGroup.first(db, { id: group.id, user: actor.user.id, now: Date.now() })) !== undefined;
  return new GroupSubject(group, levels, subject.standing, archived, { around });
}

const isNumber = (id: string) => /^-?\d{1,15}$/.test(id);

/** The documented response for a former path: a redirect to the id for reads, an error for writes. */
export function projectMovedError(
  method: string,
  id: number,
  request: { url: string; externalUrl: string },
): HttpError {
  if (method !== 'GET' && method !== 'HEAD') {
    return new MethodNotAllowed('Non GET methods are not allowed for moved projects');
  }
  const location = request.externalUrl + request.url.replace(/^(\/api\/v4\/projects\/)[^/?]+/, `$1${id}`);
  return new HttpError(301, `This resource has been moved permanently to ${location}`, {
    location,
    'content-type': 'text/plain',
  });
}

export interface Visited {
  readonly method: string;
  readonly url: string;
  readonly externalUrl: string;
}

/** The project with this id or path, if the actor can read it; throws 404 otherwise. */
export async function readableProject(
  db: Database,
  actor: Actor,
  id: string | number,
  visited?: Visited,
): Promise<ProjectSubject> {
  const found = await lookUpProject(db.read, String(id));
  if (!found) throw new NotFound('Project');
  const subject = await projectSubject(db.read, actor, found.project);
  if (!subject.can('read_project')) throw await notReadable(db.read, actor, found.project);
  if (found.former && visited) throw projectMovedError(visited.method, found.project.id, visited);
  return subject;
}

/**
 * Invisible projects are reported as not found; a user who can see the project learns that their job's token is not
 * accepted.
 */
async function notReadable(db: Reader, { job, ...withoutJob }: Actor, project: Project): Promise<HttpError> {
  if (!job || (await acceptsJobToken(db, project, { job }))) return new NotFound('Project');
  const asUser = await projectSubject(db, withoutJob, project);
  const own = asUser.can('read_project') ? await projectById.first(db, { id: job.projectId }) : undefined;
  if (!own) return new NotFound('Project');
  return new Forbidden(`Authentication by CI/CD job token not allowed from ${own.path} to project #${project.id}.`);
}

/** The project with this id or path (including former paths), without checking access. */
export async function lookUpProject(
  db: Reader,
  id: string,
): Promise<{ project: Project; former: boolean } | undefined> {
  if (isNumber(id)) {
    const project = await projectById.first(db, { id: Number(id) });
    return project && { project, former: false };
  }
  if (!id.includes('/')) return undefined;
  const project = await projectByPath.first(db, { path: id.toLowerCase() });
  return project && { project, former: project.former === 1 };
}

/** The group with this id or path, if the actor can read it; throws 404 otherwise. */
export async function readableGroup(db: Database, actor: Actor, id: string | number): Promise<GroupSubject> {
  const group = await lookUpNamespace(db.read, String(id));
  if (group?.kind !== 'group') throw new NotFound('Group');
  const subject = await groupSubject(db.read, actor, group);
  if (!subject.can('read_group')) throw new NotFound('Group');
  return subject;
}

/** The namespace with this id or current full path, without checking access. */
export async function lookUpNamespace(db: Reader, id: string): Promise<Namespace | undefined> {
  if (isNumber(id)) return findNamespace(db, Number(id));
  const route = await routeByPath.first(db, { path: id.toLowerCase() });
  if (!route?.namespace_id || route.redirect !== 0) return undefined;
  return findNamespace(db, route.namespace_id);
}
