import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import type { UploadedFile } from '../../../platform/http/bodies/upload.ts';
import { BadRequest, Conflict } from '../../../platform/http/errors.ts';
import { withFile } from '../form.ts';
import { publishFile } from '../store-file.ts';
import { BadArchive, fileOfPlainTar } from '../tar-files.ts';
import { fullName, type Gemspec, readGemspec } from './gemspec.ts';
import { insertGem } from './store.ts';
import { isGemPrerelease } from './versions.ts';

/** GitLab's documented limit; there is no setting for it. */
const maxSize = 3 * 1024 ** 3;
const maxMetadataBytes = 1024 ** 2;
const limits = { bytes: maxSize, entries: 100, file: maxMetadataBytes };
const unpacked = promisify(gunzip);

/** Publishes a gem uploaded by `gem push`. Name and version are read from the gem. */
export async function receiveGem(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  request: FastifyRequest,
): Promise<void> {
  await withFile(services, request, { name: 'file', maxSize }, async (content) => {
    await publish(services, caller, subject, await gemspecIn(content), content);
  });
}

async function gemspecIn(content: UploadedFile): Promise<Gemspec> {
  const packed = await fileOfPlainTar(content.open(), /^metadata\.gz$/, limits).catch((error: unknown) => {
    throw error instanceof BadArchive ? new BadRequest(`The gem cannot be unpacked: ${error.message}`) : error;
  });
  if (!packed) throw new BadRequest('The gem has no metadata');
  const source = await unpacked(packed, { maxOutputLength: maxMetadataBytes }).catch(() => undefined);
  const gemspec = source && readGemspec(source.toString());
  if (!gemspec) throw new BadRequest('The metadata of the gem is invalid');
  return gemspec;
}

async function publish(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  gemspec: Gemspec,
  content: UploadedFile,
): Promise<void> {
  const { name, version, platform } = gemspec;
  const file_name = `${fullName(gemspec)}.gem`;
  await publishFile(services, caller, subject, {
    ...{ package_type: 'rubygems' as const, name, version, file_name, content: content.open(), maxSize },
    joinFile: (trx, { id: file_id }) =>
      insertGem(trx, {
        ...{ file_id, project_id: subject.project.id, name, version, platform, file_name },
        is_prerelease: isGemPrerelease(version) ? 1 : 0,
        metadata: JSON.stringify(gemspec),
      }),
  }).catch((error: unknown) => {
    // Published gems are immutable, so that installations are reproducible.
    throw uniqueViolation(error, ['project_id', 'file_name'])
      ? new Conflict(`Gem '${name}' with version '${version}' already exists`)
      : error;
  });
}
