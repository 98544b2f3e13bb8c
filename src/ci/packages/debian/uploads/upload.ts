import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../../access/actor.ts';
import type { Services } from '../../../../access/services.ts';
import type { ProjectSubject } from '../../../../access/subjects.ts';
import type { Writer } from '../../../../platform/database/database.ts';
import { acquireLock } from '../../../../platform/database/locks.ts';
import { BadRequest, NotFound, ParameterError } from '../../../../platform/http/errors.ts';
import { updatePackage } from '../../store.ts';
import { fileTooLarge, publishFile } from '../../store-file.ts';
import { valuesOf } from '../distributions/service.ts';
import { distributionNamed } from '../distributions/store.ts';
import { incomingPackage, isBinary, isFileName, kindOf } from '../names.ts';

declare module '../../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** An uploaded `.changes`, or a binary package for a distribution that the uploader chose. */
    'packages.process-debian': {
      fileId: number;
      userId: number | null;
      target: { distributionId: number; component: string } | null;
    };
  }
}

/** GitLab's limit; there is no setting for it. */
const maxSize = 3 * 1024 ** 3;

export interface UploadParams {
  readonly file_name: string;
  readonly distribution?: string | undefined;
  readonly component?: string | undefined;
}

/** Locks the incoming files of a project, whose package is removed when it is empty. */
export const lockIncoming = (trx: Writer, projectId: number) => acquireLock(trx, `debian-incoming:${projectId}`);

/** Validates an upload. Returns the distribution that the uploader chose, if any. */
export async function checkUpload(
  { db }: Services,
  { project }: ProjectSubject,
  { file_name, distribution: name, component }: UploadParams,
): Promise<{ distributionId: number; component: string } | null> {
  if (!isFileName(file_name)) throw new ParameterError('file_name is invalid');
  if (name === undefined && component === undefined) return null;
  if (name === undefined || component === undefined) {
    throw new ParameterError('distribution, component provide all or none of parameters');
  }
  if (!isBinary(kindOf(file_name))) {
    throw new BadRequest('Only .deb, .udeb and .ddeb files can be added to a distribution directly');
  }
  const distribution = await distributionNamed(db.read, { project_id: project.id }, name);
  if (!distribution) throw new NotFound('Distribution');
  if (!valuesOf(distribution).components.includes(component)) {
    throw new BadRequest('The distribution has no such component');
  }
  return { distributionId: distribution.id, component };
}

/** Stores an uploaded file. What it belongs to is found out by a job. */
export async function receiveFile(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  request: FastifyRequest,
  params: UploadParams,
): Promise<void> {
  const content = (request.body as Readable | undefined) ?? Readable.from([]);
  try {
    const target = await checkUpload(services, subject, params);
    if (Number(request.headers['content-length'] ?? 0) > maxSize) throw fileTooLarge();
    const { file_name } = params;
    await publishFile(services, caller, subject, {
      ...{ ...incomingPackage, status: 'processing' as const, file_name, content, maxSize },
      lock: (trx) => lockIncoming(trx, subject.project.id),
      join: (trx, { id }) => updatePackage(trx, id, { status_message: null }),
      joinFile: async (trx, { id: fileId }) => {
        if (target === null && kindOf(file_name) !== 'changes') return;
        const userId = caller.user?.id ?? null;
        await services.queue.enqueue(trx, 'packages.process-debian', { fileId, userId, target });
      },
    });
  } finally {
    content.resume();
  }
}
