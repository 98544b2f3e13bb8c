import { type Actor, isAdmin } from '../../../access/actor.ts';
import { moveProjectAddress } from '../../../access/addresses.ts';
import { deletionDelay } from '../../../access/application-settings/effective.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Project } from '../../../access/tables.ts';
import { forgetAttributes } from '../../../people/custom-attributes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { BadRequest, Invalid } from '../../../platform/http/errors.ts';
import { nameTaken } from '../rules.ts';
import { countUp, lockAddress, lockProject, updateProject } from '../store.ts';
import { recount, topicIdsOf } from '../topics/store.ts';

declare module '../../../platform/occurrences.ts' {
  interface Occurrences {
    /** A project is gone for good, with all rows that pointed to it; what else it left is for the subscriber to remove. */
    'project.removed': { readonly projectId: number };
  }
}

/** What a project's name and path end with while it waits to be removed. */
const suffixOf = (id: number) => `-deletion_scheduled-${id}`;

export interface RemovalOptions {
  readonly permanently_remove: boolean;
  readonly full_path?: string | undefined;
}

/** Marks a project for deletion; once it is marked, or where nothing can be restored, removes it. */
export async function removeProject(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  options: RemovalOptions,
): Promise<void> {
  const { db, config } = services;
  const { project } = subject;
  const settings = await services.settings.read();
  const marked = project.marked_for_deletion_at !== null;
  if (options.permanently_remove) {
    if (!settings.allow_immediate_namespaces_deletion && !isAdmin(actor)) {
      throw BadRequest.plain('`permanently_remove` option is not permitted on this instance.');
    }
    if (!marked) throw BadRequest.plain('Project must be marked for deletion first.');
    if (options.full_path !== subject.fullPath) {
      throw BadRequest.plain('`full_path` is incorrect. You must enter the complete path for the project.');
    }
  } else if (marked) throw BadRequest.plain('Project has already been marked for deletion');
  if (options.permanently_remove || deletionDelay(config, settings) === 0) {
    await db.write(async (trx) => {
      await lockProject(trx, project.id, 'remove');
      const removed = await deleteProject(services, trx, project);
      // Somebody restored it meanwhile.
      if (!removed) throw BadRequest.plain('Project must be marked for deletion first.');
    });
  } else await db.write((trx) => mark(trx, subject, actor));
}

async function mark(trx: Writer, subject: ProjectSubject, actor: Actor): Promise<void> {
  const { project, namespace } = await lockAddress(trx, subject.project);
  const { id } = project;
  if (project.marked_for_deletion_at !== null) throw BadRequest.plain('Project has already been marked for deletion');
  await rename(trx, namespace.full_path, project, {
    name: `${project.name}${suffixOf(id)}`,
    path: `${project.path}${suffixOf(id)}`,
  });
  await updateProject(trx, id, { marked_for_deletion_at: Date.now(), marked_by_id: actor.user?.id ?? null });
}

/** Gives a project another name and path; the former address stays free for whoever comes next. */
async function rename(
  trx: Writer,
  place: string,
  project: Project,
  to: { readonly name: string; readonly path: string },
): Promise<void> {
  await moveProjectAddress(trx, `${place}/${project.path}`, `${place}/${to.path}`, project.id);
  await updateProject(trx, project.id, to);
}

/** Takes the mark away, and with it the ending of the name and path. */
export async function restoreProject({ db }: Services, subject: ProjectSubject): Promise<Project> {
  return db
    .write(async (trx) => {
      const { project, namespace } = await lockAddress(trx, subject.project);
      const { id } = project;
      if (project.marked_for_deletion_at === null) throw BadRequest.plain('Project has not been marked for deletion');
      const before = (text: string) => (text.endsWith(suffixOf(id)) ? text.slice(0, -suffixOf(id).length) : text);
      await rename(trx, namespace.full_path, project, { name: before(project.name), path: before(project.path) });
      return updateProject(trx, id, { marked_for_deletion_at: null, marked_by_id: null });
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Invalid(nameTaken) : error;
    });
}

/**
 * Removes a project for good: its rows go with the transaction, its repository and files after it, in the background.
 * For whoever removes a group, too. False when it is not as it was seen: gone already, restored, or moved elsewhere.
 */
export async function deleteProject(services: Services, trx: Writer, seen: Project): Promise<boolean> {
  const project = await lockRow(trx, 'projects', seen.id, 'remove');
  const asSeen =
    project?.namespace_id === seen.namespace_id && project.marked_for_deletion_at === seen.marked_for_deletion_at;
  if (!asSeen) return false;
  const topics = await topicIdsOf(trx, project.id);
  await forgetAttributes(trx, 'project', project.id);
  if (project.forked_from_id !== null) await countUp(trx, project.forked_from_id, 'forks_count', -1);
  await retireBots(trx, project.id);
  await trx.deleteFrom('projects').where('id', '=', project.id).execute();
  await recount(trx, topics);
  await services.announce(trx, 'project.removed', { projectId: project.id });
  await services.queue.enqueue(trx, 'projects.clear', { projectId: project.id, avatar: project.avatar });
  return true;
}

/** The bots of a project's access tokens stay, as the authors of what they did elsewhere, but nothing acts for them. */
async function retireBots(trx: Writer, projectId: number): Promise<void> {
  const bots = trx.selectFrom('users').select('id').where('bot_project_id', '=', projectId);
  await trx.deleteFrom('access_tokens').where('user_id', 'in', bots).execute();
  await trx.updateTable('users').set({ state: 'blocked' }).where('bot_project_id', '=', projectId).execute();
}
