import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import { planLimits } from '../../../access/limits/plan-limits.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { BadRequest, NotFound } from '../../../platform/http/errors.ts';
import { requireUnprotected } from '../protection/guard.ts';
import { presentPublished } from '../publish.ts';
import type { PublishedEntity } from '../schema.ts';
import { removeFiles } from '../service.ts';
import { fileTooLarge, publishFile } from '../store-file.ts';
import { readInfo } from './info.ts';
import { type ConanRequest, locationOf } from './paths.ts';
import * as store from './store.ts';

const maxInfoBytes = 256 * 1024;

/** Stores an uploaded file of a recipe or package, replacing an existing file in the same revision. */
export async function receiveFile(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  target: ConanRequest | undefined,
  request: FastifyRequest,
): Promise<PublishedEntity> {
  const content = (request.body as Readable | undefined) ?? Readable.from([]);
  try {
    // Validated here, where the rest of the body is always consumed.
    if (target?.what !== 'file' || target.file_name === undefined) throw new NotFound();
    const { name, version, username, channel, file_name } = target;
    const maxSize = (await planLimits(services.db.read)).conan_max_file_size;
    if (maxSize > 0 && Number(request.headers['content-length'] ?? 0) > maxSize) throw fileTooLarge();
    const named = { package_type: 'conan' as const, name, version, file_name };
    await requireUnprotected(services, caller, subject, named, 'push');
    const found = { project_id: subject.project.id, name, version, username, channel };
    const part = { ...found, ...locationOf(target) };
    const info = part.package_reference !== '' && file_name === 'conaninfo.txt' ? await shortText(content) : undefined;
    const file = await publishFile(services, caller, subject, {
      ...{ ...named, maxSize, content: info === undefined ? content : Readable.from([info]) },
      async join(trx, { id }) {
        // Concurrent uploads of the same file wait for this lock and then find the file.
        if (!(await lockRow(trx, 'packages', id))) throw new NotFound('Package');
        const fileId = await store.fileIdAt(trx, part, file_name);
        if (fileId !== undefined) await removeFiles(services, trx, subject, { fileId });
      },
      joinFile: (trx, { id: file_id }) =>
        store.insertFile(trx, {
          ...{ ...part, file_id, file_name },
          info: info === undefined ? null : JSON.stringify(readInfo(info.toString())),
        }),
    });
    return presentPublished(services, subject.project.id, file);
  } finally {
    content.resume();
  }
}

async function shortText(content: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxInfoBytes) throw new BadRequest('conaninfo.txt is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
