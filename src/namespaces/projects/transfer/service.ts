import { type Actor, isAdmin } from '../../../access/actor.ts';
import { moveProjectAddress } from '../../../access/addresses.ts';
import type { Services } from '../../../access/services.ts';
import { groupSubject, lookUpNamespace, type ProjectSubject } from '../../../access/subjects.ts';
import type { Namespace, Project } from '../../../access/tables.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { lockRows } from '../../../platform/database/locks.ts';
import { BadRequest, NotFound } from '../../../platform/http/errors.ts';
import { rubyDump } from '../../../platform/http/ruby-dump.ts';
import { addOwner, lockAddress, lockNamespace, updateProject } from '../store.ts';
import { mayHold } from '../target-namespace.ts';

function refused(reason: string) {
  return BadRequest.plain(`Failed to transfer project ${rubyDump({ new_namespace: [reason] })}`);
}

/** The namespace that a request names, if the actor may know of it. */
async function target({ db }: Services, actor: Actor, name: string): Promise<Namespace> {
  const namespace = await lookUpNamespace(db.read, name);
  if (!namespace) throw new NotFound('Namespace');
  if (namespace.kind === 'user') {
    if (namespace.owner_id === actor.user?.id || isAdmin(actor)) return namespace;
    throw new NotFound('Namespace');
  }
  if (!(await groupSubject(db.read, actor, namespace)).can('read_group')) throw new NotFound('Namespace');
  return namespace;
}

/** May the actor move projects in: what creating one there takes, and Maintainer at least. */
export async function mayMoveInto({ db }: Services, actor: Actor, namespace: Namespace): Promise<boolean> {
  if (!(await mayHold(db.read, actor, namespace))) return false;
  if (namespace.kind === 'user') return true;
  return (await groupSubject(db.read, actor, namespace)).can('import_project');
}

/** Moves a project to another namespace; its former address leads to it. */
export async function transferProject(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  name: string,
): Promise<Project> {
  const to = await target(services, actor, name);
  if (to.id === subject.project.namespace_id) throw refused('Project is already in this namespace.');
  if (!(await mayMoveInto(services, actor, to))) {
    throw refused("You don't have permission to transfer projects into that namespace.");
  }
  return moveInto(services, subject, to);
}

/** Moves a project, whoever asks: administrators do it from the group's side. */
export async function moveInto({ db }: Services, subject: ProjectSubject, to: Namespace): Promise<Project> {
  return db
    .write(async (trx) => {
      // Both at once, in the order of their numbers: two projects may be on their way past each other.
      await lockRows(trx, 'namespaces', [to.id, subject.project.namespace_id]);
      const into = await lockNamespace(trx, to.id);
      const { project, namespace: from } = await lockAddress(trx, subject.project);
      const [former, next] = [from, into].map(({ full_path }) => `${full_path}/${project.path}`) as [string, string];
      await moveProjectAddress(trx, former, next, project.id);
      if (to.owner_id !== null) await addOwner(trx, project.id, to.owner_id);
      const visibility = Math.min(project.visibility, into.visibility);
      return updateProject(trx, project.id, { namespace_id: to.id, visibility });
    })
    .catch((error: unknown) => {
      if (!uniqueViolation(error)) throw error;
      throw refused('Project with same name or path in target namespace already exists');
    });
}
