import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { requireUnprotected } from '../protection/guard.ts';
import { deletePackage } from '../service.ts';
import { packageNamed } from '../store.ts';
import { type NpmAddress, readNpmRevision } from './names.ts';
import { versionIn } from './service.ts';
import { versionsBefore } from './store.ts';

const batchSize = 100;

/**
 * Answers the first request of `npm unpublish`, which sends the remaining versions; the second deletes the file of a
 * version. Only the second has an effect, because the first does not know versions published in the meantime.
 */
export async function announceRemoval(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  { name }: NpmAddress,
  request: FastifyRequest,
): Promise<void> {
  (request.body as Readable | undefined)?.resume();
  // npm reports success for a 404, so missing permissions are reported as 403 here.
  if (!subject.can('destroy_package')) throw new Forbidden();
  await requireUnprotected(services, caller, subject, { name, package_type: 'npm' }, 'delete');
}

/** Deletes the version of a file, or the whole package if no file is named. */
export async function removeVersions(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  rest: string,
): Promise<void> {
  const address = readNpmRevision(rest);
  if (!address) throw new NotFound();
  const { name, file } = address;
  const { read } = services.db;
  if (file !== undefined) {
    const version = versionIn(name, file);
    const named = { project_id: subject.project.id, package_type: 'npm' as const, name };
    const found = version === undefined ? undefined : await packageNamed(read, { ...named, version });
    if (!found) throw new NotFound('Package');
    return deletePackage(services, caller, subject, found.id);
  }
  const named = { projects: [subject.project.id], name };
  const next = () => versionsBefore(read, named, Number.MAX_SAFE_INTEGER, batchSize);
  let batch = await next();
  if (batch.length === 0) throw new NotFound('Package');
  while (batch.length > 0) {
    for (const { id } of batch) await deletePackage(services, caller, subject, id);
    batch = await next();
  }
}
