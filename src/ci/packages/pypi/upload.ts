import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import { planLimits } from '../../../access/limits/plan-limits.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { UploadedFile } from '../../../platform/http/bodies/upload.ts';
import { BadRequest, NotFound, ParameterError } from '../../../platform/http/errors.ts';
import { withForm } from '../form.ts';
import { requireUnprotected } from '../protection/guard.ts';
import { fileNamed } from '../store.ts';
import { publishFile, type Stored } from '../store-file.ts';
import { isFileOf, isPypiName, isPypiVersion, normalizedName } from './names.ts';
import { saveVersion } from './store.ts';

/** The form fields of a twine upload that are used. */
interface Upload {
  readonly name: string;
  readonly version: string;
  readonly requires_python: string | null;
  readonly sha256_digest: string | undefined;
  readonly md5_digest: string | undefined;
  readonly content: UploadedFile;
}

/** Publishes a file uploaded by twine. A version can have several files. */
export async function receiveUpload(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  request: FastifyRequest,
) {
  const maxSize = (await planLimits(services.db.read)).pypi_max_file_size;
  await withForm(services, request, { name: 'content', maxSize }, (fields) =>
    publish(services, caller, subject, readUpload(fields), maxSize),
  );
}

/** Parses the form fields. */
export function readUpload(fields: Readonly<Record<string, unknown>>): Upload {
  const text = (name: string) => (typeof fields[name] === 'string' && fields[name] !== '' ? fields[name] : undefined);
  const { content } = fields;
  const [name, version] = [text('name'), text('version')];
  if (!(content instanceof UploadedFile)) throw new ParameterError('content is missing');
  if (name === undefined) throw new ParameterError('name is missing');
  if (version === undefined) throw new ParameterError('version is missing');
  if (!isPypiName(name)) throw new BadRequest('Name is invalid');
  if (!isPypiVersion(version)) throw new BadRequest('Version is invalid');
  if (!isFileOf(name, content.filename)) throw new BadRequest('File name is invalid');
  const requires_python = text('requires_python') ?? null;
  if (requires_python !== null && requires_python.length > 255) {
    throw new BadRequest('requires_python is too long (maximum is 255 characters)');
  }
  const digests = { sha256_digest: text('sha256_digest'), md5_digest: text('md5_digest') };
  return { name, version, requires_python, content, ...digests };
}

function checkDigests({ sha256_digest, md5_digest }: Upload, { sha256, md5 }: Stored): void {
  const differs = (expected: string | undefined, actual: string) =>
    expected !== undefined && expected.toLowerCase() !== actual;
  if (differs(sha256_digest, sha256)) throw new BadRequest('sha256_digest does not match');
  if (differs(md5_digest, md5)) throw new BadRequest('md5_digest does not match');
}

async function publish(services: Services, caller: Actor, subject: ProjectSubject, upload: Upload, maxSize: number) {
  const { name, version, requires_python, content } = upload;
  await requireUnprotected(services, caller, subject, { name, package_type: 'pypi' }, 'push');
  const file_name = content.filename;
  await publishFile(services, caller, subject, {
    ...{ package_type: 'pypi' as const, name, version, file_name, content: content.open(), maxSize },
    async join(trx, { id, project_id }, _made, stored) {
      checkDigests(upload, stored);
      // Concurrent uploads of the same file wait for this lock and then find the file.
      if (!(await lockRow(trx, 'packages', id))) throw new NotFound('Package');
      // Upload clients recognize this message and skip the file.
      if (await fileNamed(trx, id, file_name)) {
        throw BadRequest.plain('Validation failed: File name has already been taken');
      }
      await saveVersion(trx, { package_id: id, project_id, normalized_name: normalizedName(name), requires_python });
    },
  });
}
