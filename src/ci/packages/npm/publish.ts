import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import { planLimits } from '../../../access/limits/plan-limits.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { base64Decoder, NotBase64 } from '../../../platform/http/bodies/base64.ts';
import { readLargeBody } from '../../../platform/http/bodies/large-body.ts';
import { BadRequest, Forbidden, HttpError } from '../../../platform/http/errors.ts';
import { requireUnprotected } from '../protection/guard.ts';
import { publishFile } from '../store-file.ts';
import { isDeprecation, type Publication, readDeprecations, readPublication } from './document.ts';
import * as store from './store.ts';

const mebibyte = 1024 * 1024;
const batchSize = 500;

/** Processes the document sent by `npm publish` or `npm deprecate`. */
export async function receiveDocument(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  name: string,
  request: FastifyRequest,
): Promise<void> {
  const { config, db } = services;
  const maxSize = (await planLimits(db.read)).npm_max_file_size;
  // Base64 encodes three bytes in four characters; the rest of the document is small.
  const limit = maxSize > 0 ? Math.ceil((maxSize / 3) * 4) + 16 * mebibyte : Number.MAX_SAFE_INTEGER;
  const body = await readLargeBody(request, { limit, spool: join(config.data, 'tmp', 'uploads') });
  try {
    await requireUnprotected(services, caller, subject, { name, package_type: 'npm' }, 'push');
    if (isDeprecation(body.fields)) await deprecate(services, subject, name, readDeprecations(body.fields));
    else await publish(services, caller, subject, name, readPublication(name, body.fields), maxSize);
  } finally {
    await body.remove();
  }
}

async function publish(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  name: string,
  { version, data, manifest, deprecated, tags }: Publication,
  maxSize: number,
): Promise<void> {
  const sha512 = createHash('sha512');
  const sent = typeof data === 'string' ? Readable.from([Buffer.from(data, 'latin1')]) : data.open();
  const content = pipeline(sent, base64Decoder('strict'), () => undefined);
  const file_name = `${name}-${version}.tgz`;
  const named = { package_type: 'npm' as const, name, version, file_name };
  await publishFile(services, caller, subject, {
    ...{ ...named, content, maxSize, digests: [sha512] },
    async join(trx, found, created) {
      if (!created) throw alreadyExists();
      const integrity = `sha512-${sha512.digest('base64')}`;
      await store.insertVersion(trx, { package_id: found.id, manifest, integrity, deprecated });
      for (const tag of tags) await store.setTag(trx, found, tag);
    },
  }).catch((error: unknown) => {
    throw error instanceof NotBase64 ? new BadRequest('Attachment data is not base64') : error;
  });
}

/** npm displays the `error` field. */
function alreadyExists(): HttpError {
  return new HttpError(403, { message: 'Package already exists.', error: 'Package already exists.' });
}

async function deprecate(
  { db }: Services,
  subject: ProjectSubject,
  name: string,
  warnings: ReadonlyMap<string, string | null>,
): Promise<void> {
  if (!subject.can('destroy_package')) throw new Forbidden();
  const byText = Map.groupBy(warnings.keys(), (version) => warnings.get(version) ?? null);
  await db.write(async (trx) => {
    for (const [text, versions] of byText) {
      for (let at = 0; at < versions.length; at += batchSize) {
        const named = { project_id: subject.project.id, name };
        await store.setDeprecated(trx, named, versions.slice(at, at + batchSize), text);
      }
    }
  });
}
