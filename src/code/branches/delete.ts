import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { Conflict } from '../../platform/http/errors.ts';
import { checkUnmodified } from '../../platform/http/precondition.ts';
import { moveRefsPlainly } from '../pushes/service.ts';
import { repositoryOf } from '../repository/public.ts';
import { requireBranch } from './read.ts';

/** Deletes a branch, unless it is the default one or protected. */
export async function deleteBranch(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  name: string,
  request: FastifyRequest,
): Promise<void> {
  const { oid } = await requireBranch(services, subject, name);
  const tip = await services.git.objects(repositoryOf(services, subject)).commit(oid);
  if (tip) checkUnmodified(request, tip.author.seconds * 1000);
  const changes = [{ ref: `refs/heads/${name}`, old: oid, new: null }];
  const result = await moveRefsPlainly(services, { actor, subject, changes, protocol: 'web' });
  if (result.status !== 'ok') throw new Conflict('409 Conflict: Resource lock');
}
