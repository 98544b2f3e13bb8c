import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { Conflict, Forbidden } from '../../platform/http/errors.ts';
import { checkUnmodified } from '../../platform/http/precondition.ts';
import { tagAccess } from '../protected-refs/service.ts';
import { moveRefsPlainly } from '../pushes/service.ts';
import { peelTag, repositoryOf } from '../repository/public.ts';
import { requireTag } from './read.ts';

/** Deletes a tag; its release goes in the transaction that records the push. */
export async function deleteTag(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  name: string,
  request: FastifyRequest,
): Promise<void> {
  const { oid } = await requireTag(services, subject, name);
  const access = await tagAccess(services.db.read, actor, subject);
  if (!access.canDelete(name)) throw new Forbidden();
  const { commit } = await peelTag(services.git.objects(repositoryOf(services, subject)), oid);
  if (commit) checkUnmodified(request, commit.author.seconds * 1000);
  const changes = [{ ref: `refs/tags/${name}`, old: oid, new: null }];
  const result = await moveRefsPlainly(services, { actor, subject, changes, protocol: 'web' });
  if (result.status !== 'ok') throw new Conflict('409 Conflict: Resource lock');
}
