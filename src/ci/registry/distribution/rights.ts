import { type Actor, anonymous } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import type { Project } from '../../../access/tables.ts';
import { bindDeploy } from '../../../code/deploy/public.ts';
import { type Guard, guardOf } from '../protection/guard.ts';
import { readings } from './names.ts';

/** What a container client does with a repository. */
export const actions = ['pull', 'push', 'delete'] as const;
export type Action = (typeof actions)[number];

/** What somebody may do under a name that is no project's; undefined where it is not of this kind. */
export type NamesElsewhere = (
  services: Services,
  actor: Actor,
  name: string,
) => Promise<ReadonlySet<Action> | undefined>;

declare module '../../../platform/domain-events.ts' {
  interface Contributions {
    'registry.names': NamesElsewhere;
  }
}

/** A repository as somebody finds it: whose it is, what they may do with it, and how its rules see them. */
export interface Access {
  readonly subject: ProjectSubject;
  /** What follows the path of the project. */
  readonly inner: string;
  readonly allowed: ReadonlySet<Action>;
  /** What the rules of the project keep from them. */
  readonly guard: Guard;
}

/** The project that a repository belongs to, and what follows its path; a former path leads nowhere. */
async function projectOf({ db }: Services, name: string) {
  for (const { path, inner } of readings(name)) {
    const found = await lookUpProject(db.read, path);
    if (found && !found.former) return { project: found.project, inner };
  }
  return undefined;
}

/** What a credential may be used for at all, by its scopes. */
export function actionsOfScopes({ carrier, scopes }: Pick<Actor, 'carrier' | 'scopes'>): Set<Action> {
  if (carrier === 'none') return new Set(['pull']);
  if (scopes.has('api')) return new Set(actions);
  const held = new Set<Action>();
  if (scopes.has('read_api') || scopes.has('read_registry')) held.add('pull');
  if (scopes.has('write_registry')) held.add('push');
  return held;
}

/** Whether a credential opens images of any kind: those of projects, or those that groups pull from elsewhere. */
export function opensImages(actor: Pick<Actor, 'carrier' | 'scopes'>): boolean {
  return actionsOfScopes(actor).size > 0 || actor.scopes.has('read_virtual_registry');
}

/** What somebody may do with the repository of a name; undefined where there is no such project. */
export async function accessTo(services: Services, actor: Actor, name: string): Promise<Access | undefined> {
  const found = await projectOf(services, name);
  if (!found) return undefined;
  const { project, inner } = found;
  const bound = actor.deploy ? await boundTo(services, actor, project) : actor;
  const subject = await projectSubject(services.db.read, bound, project);
  const guard = await guardOf(services, bound, subject);
  const held = actionsOfScopes(bound);
  const may = bound.deploy ? mayDoByToken : mayDo;
  const allowed = actions.filter(
    (action) =>
      held.has(action) &&
      may(bound, subject, action) &&
      (action === 'pull' || !guard.keepsRepository(`${subject.fullPath}/${inner}`, action)),
  );
  return { subject, inner, allowed: new Set(allowed), guard };
}

function mayDo(actor: Actor, subject: ProjectSubject, action: Action): boolean {
  if (action === 'pull') return subject.can('read_container_image');
  if (!actor.user) return false;
  if (!actor.job) return subject.can(action === 'push' ? 'create_container_image' : 'admin_container_image');
  // A job changes the images of its own project alone.
  if (actor.job.projectId !== subject.project.id) return false;
  return subject.can(action === 'push' ? 'create_container_image' : 'destroy_container_image');
}

/** A deploy token in a project that it is not for is as good as none, as it is for git; so is a key anywhere. */
async function boundTo(services: Services, actor: Actor, project: Project): Promise<Actor> {
  const bound = actor.carrier === 'deploy-token' ? await bindDeploy(services.db.read, actor, project) : undefined;
  return bound ?? { ...anonymous, ip: actor.ip };
}

/** It has no role: its scopes say what it may do in its projects. */
function mayDoByToken(_actor: Actor, subject: ProjectSubject, action: Action): boolean {
  if (subject.keptOut || subject.featureLevel('container_registry') === 0) return false;
  return action === 'pull' || !subject.archived;
}
