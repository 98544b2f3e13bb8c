import { isAdmin, type SignedInActor } from '../../../access/actor.ts';
import { moveProjectAddress } from '../../../access/namespaces/addresses.ts';
import { ancestorsLost } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import { groupSubject, lookUpNamespace, type ProjectSubject } from '../../../access/subjects.ts';
import type { Namespace, Project } from '../../../access/tables.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { lockRows } from '../../../platform/database/locks.ts';
import { BadRequest, NotFound } from '../../../platform/http/errors.ts';
import { rubyDump } from '../../../platform/http/responses/ruby-dump.ts';
import { addProjectOwner } from '../../members/public.ts';
import { endRolesOf } from '../sharing/store.ts';
import { lockAddress, lockNamespace, updateProject } from '../store.ts';
import { mayCreateIn } from '../target-namespace.ts';

function refused(reason: string) {
  return BadRequest.plain(`Failed to transfer project ${rubyDump({ new_namespace: [reason] })}`);
}

/** Returns the requested namespace if the actor can see it. */
async function targetNamespace({ db }: Services, actor: SignedInActor, name: string): Promise<Namespace> {
  const namespace = await lookUpNamespace(db.read, name);
  if (!namespace) throw new NotFound('Namespace');
  if (namespace.kind === 'user') {
    if (namespace.owner_id === actor.user.id || isAdmin(actor)) return namespace;
    throw new NotFound('Namespace');
  }
  if (!(await groupSubject(db.read, actor, namespace)).can('read_group')) throw new NotFound('Namespace');
  return namespace;
}

/**
 * Whether the actor may transfer projects into a namespace: requires the right to create projects there and at least
 * Maintainer.
 */
async function mayMoveInto({ db }: Services, actor: SignedInActor, namespace: Namespace): Promise<boolean> {
  if (!(await mayCreateIn(db.read, actor, namespace))) return false;
  if (namespace.kind === 'user') return true;
  return (await groupSubject(db.read, actor, namespace)).can('import_project');
}

/** Moves a project to another namespace and leaves a redirect from its former path. */
export async function transferProject(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  name: string,
): Promise<Project> {
  const to = await targetNamespace(services, actor, name);
  if (to.id === subject.project.namespace_id) throw refused('Project is already in this namespace.');
  if (!(await mayMoveInto(services, actor, to))) {
    throw refused("You don't have permission to transfer projects into that namespace.");
  }
  return moveInto(services, actor, subject, to);
}

/**
 * Moves a project without checking the caller's rights, which `POST /groups/:id/projects/:project_id` checks
 * differently.
 */
export async function moveInto(
  { db, announce }: Services,
  { user: by }: SignedInActor,
  subject: ProjectSubject,
  to: Namespace,
): Promise<Project> {
  return db
    .write(async (trx) => {
      // Both are locked at once, in the order of their ids, because two projects may be moved in opposite directions.
      await lockRows(trx, 'namespaces', [to.id, subject.project.namespace_id]);
      const into = await lockNamespace(trx, to.id);
      const { project: before, namespace: from } = await lockAddress(trx, subject.project);
      const { id, path } = before;
      await moveProjectAddress(trx, `${from.full_path}/${path}`, `${into.full_path}/${path}`, id);
      if (to.owner_id !== null) await addProjectOwner(trx, id, to.owner_id);
      const visibility = Math.min(before.visibility, into.visibility);
      const project = await updateProject(trx, id, { namespace_id: to.id, visibility });
      const lost = await ancestorsLost(trx, from.id, into.id);
      await endRolesOf(trx, lost, { project: id });
      await announce(trx, 'project.transferred', { before, project, from, to: into, lost, by });
      return project;
    })
    .catch((error: unknown) => {
      if (!uniqueViolation(error)) throw error;
      throw refused('Project with same name or path in target namespace already exists');
    });
}
