import { type Actor, anonymous } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import type { Project } from '../../../access/tables.ts';
import { bindDeployCredential } from '../../../code/deploy/public.ts';
import { type Guard, protectionGuard } from '../protection/guard.ts';
import { readings } from './names.ts';

/** Actions a container client can request on a repository. */
export const actions = ['pull', 'push', 'delete'] as const;
export type Action = (typeof actions)[number];

/** Resolves actions on names that do not belong to a project. Returns undefined for names of another kind. */
export type NameResolver = (services: Services, actor: Actor, name: string) => Promise<ReadonlySet<Action> | undefined>;

declare module '../../../platform/domain-events.ts' {
  interface Contributions {
    'registry.names': NameResolver;
  }
}

/** Access of an actor to a repository. */
export interface Access {
  readonly subject: ProjectSubject;
  /** The repository name after the project path. */
  readonly inner: string;
  readonly allowed: ReadonlySet<Action>;
  /** Protection rules as they apply to the actor. */
  readonly guard: Guard;
}

/** Finds the project of a repository name. Former project paths are not followed. */
async function projectOf({ db }: Services, name: string) {
  for (const { path, inner } of readings(name)) {
    const found = await lookUpProject(db.read, path);
    if (found && !found.former) return { project: found.project, inner };
  }
  return undefined;
}

/** The actions a credential's scopes allow at most. */
export function actionsOfScopes({ carrier, scopes }: Pick<Actor, 'carrier' | 'scopes'>): Set<Action> {
  if (carrier === 'none') return new Set(['pull']);
  if (scopes.has('api')) return new Set(actions);
  const held = new Set<Action>();
  if (scopes.has('read_api') || scopes.has('read_registry')) held.add('pull');
  if (scopes.has('write_registry')) held.add('push');
  return held;
}

/** Whether a credential gives access to any images, of projects or of the dependency proxy. */
export function canAccessImages(actor: Pick<Actor, 'carrier' | 'scopes'>): boolean {
  return actionsOfScopes(actor).size > 0 || actor.scopes.has('read_virtual_registry');
}

/** Access of an actor to the repository with a name; undefined if there is no such project. */
export async function accessTo(services: Services, actor: Actor, name: string): Promise<Access | undefined> {
  const found = await projectOf(services, name);
  if (!found) return undefined;
  const { project, inner } = found;
  const bound = actor.deploy ? await boundTo(services, actor, project) : actor;
  const subject = await projectSubject(services.db.read, bound, project);
  const guard = await protectionGuard(services, bound, subject);
  const held = actionsOfScopes(bound);
  const may = bound.deploy ? mayDoByToken : mayDo;
  const allowed = actions.filter(
    (action) =>
      held.has(action) &&
      may(bound, subject, action) &&
      (action === 'pull' || !guard.protectsRepository(`${subject.fullPath}/${inner}`, action)),
  );
  return { subject, inner, allowed: new Set(allowed), guard };
}

function mayDo(actor: Actor, subject: ProjectSubject, action: Action): boolean {
  if (action === 'pull') return subject.can('read_container_image');
  if (!actor.user) return false;
  if (!actor.job) return subject.can(action === 'push' ? 'create_container_image' : 'admin_container_image');
  // A job can only change images of its own project.
  if (actor.job.projectId !== subject.project.id) return false;
  return subject.can(action === 'push' ? 'create_container_image' : 'destroy_container_image');
}

/** A deploy token counts as anonymous in projects it does not belong to, as for Git; deploy keys always do. */
async function boundTo(services: Services, actor: Actor, project: Project): Promise<Actor> {
  const bound =
    actor.carrier === 'deploy-token' ? await bindDeployCredential(services.db.read, actor, project) : undefined;
  return bound ?? { ...anonymous, ip: actor.ip };
}

/** Deploy tokens have no role; in their projects their scopes decide. */
function mayDoByToken(_actor: Actor, subject: ProjectSubject, action: Action): boolean {
  if (subject.keptOut || subject.featureLevel('container_registry') === 0) return false;
  return action === 'pull' || !subject.archived;
}
