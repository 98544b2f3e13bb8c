import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { isBranchName } from '../../platform/git/refs/refname.ts';
import { BadRequest, NotFound } from '../../platform/http/errors.ts';
import { type NamedRef, readNamedRef } from '../repository/public.ts';
import { presentBranches } from './present.ts';
import type { BranchEntity } from './schema.ts';

/** The branch of this name: 400 for a name that none can have, 404 when there is none. */
export async function requireBranch(services: Services, subject: ProjectSubject, name: string): Promise<NamedRef> {
  if (!isBranchName(name)) throw BadRequest.plain('The branch refname is invalid');
  const oid = await readNamedRef(services, subject, `refs/heads/${name}`);
  if (oid === null) throw new NotFound('Branch');
  return { name, oid };
}

/** The entity of one branch. */
export async function presentBranch(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  ref: NamedRef,
): Promise<BranchEntity> {
  const [entity] = await presentBranches(services, caller, subject, [ref]);
  if (!entity) throw new NotFound('Branch');
  return entity;
}
