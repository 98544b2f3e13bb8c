import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { branchAccess } from '../../../code/protected-refs/public.ts';
import { Conflict } from '../../../platform/http/errors.ts';
import * as store from '../store.ts';
import type { Branches } from '../versions/collect.ts';

/** Rejects a second open merge request for the same branches. */
export async function refuseDuplicate({ db }: Services, branches: Branches, except?: number): Promise<void> {
  if (branches.source_project_id === null) return;
  const open = await store.openFrom(db.read, branches.source_project_id, branches.source_branch);
  const other = open.find(
    (request) =>
      request.project_id === branches.project_id &&
      request.target_branch === branches.target_branch &&
      request.id !== except,
  );
  if (other) throw duplicateOf(other.iid);
}

const duplicateOf = (iid: number) =>
  new Conflict([`Another open merge request already exists for this source branch: !${iid}`]);

const internal = 10;

/** Whether a project is visible to all signed-in users. */
export const isShown = ({ visibility }: Pick<ProjectSubject, 'visibility'>): boolean => visibility >= internal;

/**
 * Whether collaboration can be enabled: only for a branch of a fork that the caller may push to, and if both projects
 * are visible to all signed-in users.
 */
export async function mayCollaborate(
  { db }: Services,
  caller: SignedInActor,
  source: ProjectSubject,
  target: ProjectSubject,
  branch: string,
): Promise<boolean> {
  if (source.project.id === target.project.id) return false;
  if (!isShown(source) || !isShown(target)) return false;
  const access = await branchAccess(db.read, caller, source);
  return access.canPush(branch) && !access.isProtected(branch);
}
