import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { BadRequest, Invalid, NotFound, ParameterError, TooLarge } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { instant } from '../../platform/http/schema.ts';
import type { NewFileParams, SecureFileEntity } from './schema.ts';
import * as store from './store.ts';
import type { SecureFileRow } from './tables.ts';

const purpose = 'secure_files.content';
const maxBytes = 5 * 1024 * 1024;
const maxFiles = 100;

function present({ id, name, checksum, created_at }: SecureFileRow): SecureFileEntity {
  const [, extension = null] = /\.([^./]+)$/.exec(name) ?? [];
  return {
    id,
    name,
    checksum,
    checksum_algorithm: 'sha256',
    created_at: instant(created_at),
    expires_at: null,
    metadata: null,
    file_extension: extension,
  };
}

async function requireFile({ db }: Services, subject: ProjectSubject, id: number): Promise<SecureFileRow> {
  const row = await store.fileOfProject(db.read, subject.project.id, id);
  if (!row) throw new NotFound();
  return row;
}

export async function listFiles({ db }: Services, subject: ProjectSubject, slice: Slice) {
  const { rows, total } = await store.listFiles(db.read, subject.project.id, slice);
  return new Page(rows, total).map(present);
}

export async function getFile(services: Services, subject: ProjectSubject, id: number): Promise<SecureFileEntity> {
  return present(await requireFile(services, subject, id));
}

export async function createFile(
  services: Services,
  subject: ProjectSubject,
  { name, file }: NewFileParams,
): Promise<SecureFileEntity> {
  if (file === '') throw new ParameterError('file is invalid');
  if (file.size >= maxBytes) throw new TooLarge();
  if (file.size === 0) throw new BadRequest('File is empty');
  const lengthError = lengthProblem(name, 255);
  if (lengthError !== undefined || !/^[\w.-]+$/.test(name)) throw new Invalid({ name: [lengthError ?? 'is invalid'] });
  const parts: Uint8Array[] = [];
  for await (const part of file.open()) parts.push(part);
  const bytes = Buffer.concat(parts);
  const row = {
    project_id: subject.project.id,
    name,
    checksum: hash('sha256', bytes, 'hex'),
    content: services.encryption.encrypt(bytes.toString('base64'), purpose),
    created_at: Date.now(),
  };
  const created = await services.db
    .write(async (trx) => {
      await acquireLock(trx, `secure files of ${subject.project.id}`);
      if ((await store.countFiles(trx, subject.project.id)) >= maxFiles) {
        throw new Invalid({ base: [`Maximum number of project ci secure files (${maxFiles}) exceeded`] });
      }
      return store.insertFile(trx, row);
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Invalid({ name: ['has already been taken'] }) : error;
    });
  return present(created);
}

export async function sendFile(
  services: Services,
  subject: ProjectSubject,
  id: number,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { name } = await requireFile(services, subject, id);
  const content = await store.contentOf(services.db.read, id);
  if (content === undefined) throw new NotFound();
  return reply
    .header('content-type', 'application/octet-stream')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-store')
    .send(Buffer.from(services.encryption.decrypt(content, purpose), 'base64'));
}

export async function deleteFile(services: Services, subject: ProjectSubject, id: number): Promise<void> {
  await requireFile(services, subject, id);
  await services.db.write((trx) => store.deleteFile(trx, id));
}
