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
import { type Asked, placeOf } from './paths.ts';
import * as store from './store.ts';

const longestInfo = 256 * 1024;

/** Takes a file of a recipe, or of a package of it. One that is there already in the same revision makes room for it. */
export async function takeFile(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  asked: Asked | undefined,
  request: FastifyRequest,
): Promise<PublishedEntity> {
  const content = (request.body as Readable | undefined) ?? Readable.from([]);
  try {
    // Looked at here, where what is left of the body is read whatever happens.
    if (asked?.what !== 'file' || asked.file_name === undefined) throw new NotFound();
    const { name, version, username, channel, file_name } = asked;
    const most = (await planLimits(services.db.read)).conan_max_file_size;
    if (most > 0 && Number(request.headers['content-length'] ?? 0) > most) throw fileTooLarge();
    const named = { package_type: 'conan' as const, name, version, file_name };
    await requireUnprotected(services, caller, subject, named, 'push');
    const found = { project_id: subject.project.id, name, version, username, channel };
    const part = { ...found, ...placeOf(asked) };
    const says = part.package_reference !== '' && file_name === 'conaninfo.txt' ? await shortText(content) : undefined;
    const file = await publishFile(services, caller, subject, {
      ...{ ...named, most, content: says === undefined ? content : Readable.from([says]) },
      async join(trx, { id }) {
        // Of two who send the same file at once the second waits here, and finds it.
        if (!(await lockRow(trx, 'packages', id))) throw new NotFound('Package');
        const fileId = await store.fileIdAt(trx, part, file_name);
        if (fileId !== undefined) await removeFiles(services, trx, subject, { fileId });
      },
      joinFile: (trx, { id: file_id }) =>
        store.insertFile(trx, {
          ...{ ...part, file_id, file_name },
          info: says === undefined ? null : JSON.stringify(readInfo(says.toString())),
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
    if (size > longestInfo) throw new BadRequest('conaninfo.txt is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
