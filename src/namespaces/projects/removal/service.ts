import { isAdmin, type SignedInActor } from '../../../access/actor.ts';
import { deletionDelay } from '../../../access/application-settings/effective.ts';
import { moveProjectAddress } from '../../../access/namespaces/addresses.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Project, User } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { BadRequest, Forbidden, Invalid } from '../../../platform/http/errors.ts';
import { nameTaken } from '../rules.ts';
import { lockAddress, lockProject, updateProject } from '../store.ts';
import { recount, topicIdsOf } from '../topics/store.ts';
import type { RemovalParams } from './schema.ts';
import { deleteProjectRow } from './store.ts';

/** Suffix of the name and path of a project marked for deletion. */
const suffixOf = (id: number) => `-deletion_scheduled-${id}`;

/** Marks a project for deletion, or deletes it if it is marked already or there is no deletion delay. */
export async function removeProject(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  options: Omit<RemovalParams, 'id'>,
): Promise<void> {
  const { db } = services;
  const { project } = subject;
  const settings = await services.settings.read();
  if (settings.default_project_deletion_protection && !isAdmin(actor)) throw new Forbidden();
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
  await db.write(async (trx) => {
    if (!options.permanently_remove) return deleteOrMark(services, trx, project, actor.user);
    await lockProject(trx, project.id, 'remove');
    await deleteUnchanged(services, trx, project);
  });
}

/** Marks a project for deletion, or deletes it if there is no deletion delay. */
export async function deleteOrMark(services: Services, trx: Writer, snapshot: Project, by: User | null): Promise<void> {
  if (deletionDelay(services.config, await services.settings.read()) > 0)
    return markForDeletion(services, trx, snapshot, by);
  await lockProject(trx, snapshot.id, 'remove');
  await deleteUnchanged(services, trx, snapshot);
}

async function deleteUnchanged(services: Services, trx: Writer, snapshot: Project): Promise<void> {
  // Restored meanwhile.
  if (!(await deleteProject(services, trx, snapshot)))
    throw BadRequest.plain('Project must be marked for deletion first.');
}

async function markForDeletion(services: Services, trx: Writer, snapshot: Project, by: User | null): Promise<void> {
  const { project, namespace } = await lockAddress(trx, snapshot);
  const { id, name, path } = project;
  if (project.marked_for_deletion_at !== null) throw BadRequest.plain('Project has already been marked for deletion');
  const change = { name: `${name}${suffixOf(id)}`, path: `${path}${suffixOf(id)}` };
  const marked = { marked_for_deletion_at: Date.now(), marked_by_id: by?.id ?? null };
  await rename(services, trx, namespace.full_path, project, { ...change, ...marked }, by);
}

/** Changes the name and path of a project; the former path becomes a redirect that a new project can take over. */
async function rename(
  { announce }: Services,
  trx: Writer,
  namespacePath: string,
  before: Project,
  change: Pick<Project, 'name' | 'path' | 'marked_for_deletion_at' | 'marked_by_id'>,
  by: User | null,
): Promise<Project> {
  const formerPath = `${namespacePath}/${before.path}`;
  const fullPath = `${namespacePath}/${change.path}`;
  await moveProjectAddress(trx, formerPath, fullPath, before.id);
  const project = await updateProject(trx, before.id, change);
  const event = { before, project, by };
  if (fullPath !== formerPath) await announce(trx, 'project.renamed', { ...event, formerPath, fullPath });
  await announce(trx, 'project.updated', event);
  return project;
}

/** Removes the deletion mark and the suffix of the name and path. */
export async function restoreProject(
  services: Services,
  { user: by }: SignedInActor,
  subject: ProjectSubject,
): Promise<Project> {
  return services.db
    .write(async (trx) => {
      const { project, namespace } = await lockAddress(trx, subject.project);
      const { id } = project;
      if (project.marked_for_deletion_at === null) throw BadRequest.plain('Project has not been marked for deletion');
      const before = (text: string) => (text.endsWith(suffixOf(id)) ? text.slice(0, -suffixOf(id).length) : text);
      const change = { name: before(project.name), path: before(project.path) };
      const unmarked = { marked_for_deletion_at: null, marked_by_id: null };
      return rename(services, trx, namespace.full_path, project, { ...change, ...unmarked }, by);
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Invalid(nameTaken) : error;
    });
}

/**
 * Deletes a project permanently: its rows in the transaction, its repository and files in the background afterwards.
 * Also used to delete groups. Returns false if the project was deleted, restored or moved since it was read.
 */
export async function deleteProject({ queue, announce }: Services, trx: Writer, snapshot: Project): Promise<boolean> {
  const project = await lockRow(trx, 'projects', snapshot.id, 'remove');
  const isUnchanged =
    project?.namespace_id === snapshot.namespace_id &&
    project.marked_for_deletion_at === snapshot.marked_for_deletion_at;
  if (!isUnchanged) return false;
  const topics = await topicIdsOf(trx, project.id);
  await announce(trx, 'project.removed', { project });
  await deleteProjectRow(trx, project.id);
  await recount(trx, topics);
  await queue.enqueue(trx, 'projects.clear', { projectId: project.id, avatar: project.avatar });
  return true;
}
