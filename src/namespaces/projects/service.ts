import { type Actor, actingFor } from '../../access/actor.ts';
import { findUser } from '../../access/identify.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import type { Project, User } from '../../access/tables.ts';
import { linkFork } from '../../code/forks/relation.ts';
import { type ForkOptions, forkProject } from '../../code/forks/service.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { archiveProject } from './archive/service.ts';
import { createProject } from './create.ts';
import type { NewProject, ProjectChange } from './params.ts';
import { restoreProject } from './removal/service.ts';
import type { ProjectEntity } from './schema.ts';
import { starProject } from './stars/service.ts';
import { transferProject } from './transfer/service.ts';
import { updateProjectAs } from './update.ts';
import { presentProject } from './views/present.ts';

/** The answer to what changed a project: the full view of how it is now. */
async function answerWith(services: Services, actor: Actor, change: Promise<Project>): Promise<ProjectEntity> {
  const subject = await projectSubject(services.db.read, actor, await change);
  return presentProject(services, actor, subject, { layer: 'full', importError: true });
}

export function create(services: Services, actor: Actor, wanted: NewProject) {
  return answerWith(services, actor, createProject(services, actor, wanted));
}

/** Creates a project that another user owns. */
export async function createFor(services: Services, actor: Actor, userId: number, wanted: NewProject) {
  const owner = await findUser(services.db.read, userId);
  if (!owner) throw new NotFound('User');
  return answerWith(services, actor, createProject(services, actingFor(owner), wanted));
}

export function update(services: Services, actor: Actor, subject: ProjectSubject, wanted: ProjectChange) {
  return answerWith(services, actor, updateProjectAs(services, actor, subject, wanted));
}

export function restore(services: Services, actor: Actor, subject: ProjectSubject) {
  return answerWith(services, actor, restoreProject(services, subject));
}

export function archive(services: Services, actor: Actor, subject: ProjectSubject, wanted: boolean) {
  return answerWith(services, actor, archiveProject(services, subject, wanted));
}

export function star(services: Services, actor: Actor, subject: ProjectSubject, wanted: boolean) {
  return answerWith(services, actor, starProject(services, actor.user as User, subject, wanted));
}

export function transfer(services: Services, actor: Actor, subject: ProjectSubject, namespace: string) {
  return answerWith(services, actor, transferProject(services, actor, subject, namespace));
}

export function fork(services: Services, actor: Actor, subject: ProjectSubject, wanted: ForkOptions) {
  return answerWith(services, actor, forkProject(services, actor, subject, wanted));
}

export function linkTo(services: Services, actor: Actor, subject: ProjectSubject, source: string) {
  return answerWith(services, actor, linkFork(services, actor, subject, source));
}
