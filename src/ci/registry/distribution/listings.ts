import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../../access/services.ts';
import { indexMediaType } from './manifest-content.ts';
import * as store from './manifest-store.ts';
import { requireRepository } from './manifests.ts';
import { isTagName } from './names.ts';
import { RegistryRefusal } from './refusal.ts';
import type { Access } from './rights.ts';
import { checkDigest } from './uploads.ts';

const maxTags = 1000;
const maxReferrers = 100;

type Query = Readonly<Record<string, unknown>>;
const nameOf = (request: FastifyRequest) => (request.params as { name: string }).name;

/** Lists the tags of a repository by name, with a link to the next page. */
export async function listTags(services: Services, access: Access, request: FastifyRequest, reply: FastifyReply) {
  const { n, last = '' } = request.query as Query;
  if (n !== undefined && !/^\d{1,9}$/.test(String(n))) throw new RegistryRefusal('PAGINATION_NUMBER_INVALID');
  if (typeof last !== 'string' || (last !== '' && !isTagName(last))) throw new RegistryRefusal('TAG_INVALID');
  const repository = await requireRepository(services, access);
  const limit = Math.min(Number(n ?? maxTags), maxTags);
  const found = await store.tagNames(services.db.read, repository.id, last, limit + 1);
  const tags = found.slice(0, limit);
  const name = nameOf(request);
  const end = tags.at(-1);
  if (found.length > limit && end !== undefined) {
    reply.header('link', `</v2/${name}/tags/list?n=${limit}&last=${encodeURIComponent(end)}>; rel="next"`);
  }
  return reply.type('application/json').send(JSON.stringify({ name, tags }));
}

/** Lists the referrers of a manifest, such as signatures, as an image index. */
export async function listReferrers(services: Services, access: Access, request: FastifyRequest, reply: FastifyReply) {
  const subject = checkDigest((request.params as { digest: string }).digest);
  const { artifactType, last = '0' } = request.query as Query;
  const typeFilter = typeof artifactType === 'string' && artifactType !== '' ? artifactType : undefined;
  const after = /^\d{1,15}$/.test(String(last)) ? Number(last) : 0;
  const repository = await requireRepository(services, access);
  const filter = { subject, artifactType: typeFilter, after };
  const found = await store.referrers(services.db.read, repository.id, filter, maxReferrers + 1);
  const rows = found.slice(0, maxReferrers);
  if (found.length > maxReferrers) {
    const more = new URLSearchParams({
      last: String(rows.at(-1)?.id),
      ...(typeFilter && { artifactType: typeFilter }),
    });
    reply.header('link', `</v2/${nameOf(request)}/referrers/${subject}?${more}>; rel="next"`);
  }
  if (typeFilter !== undefined) reply.header('oci-filters-applied', 'artifactType');
  const manifests = rows.map((row) => ({
    mediaType: row.media_type,
    digest: row.digest,
    size: Number(row.size),
    ...(row.artifact_type === null ? {} : { artifactType: row.artifact_type }),
    ...(row.annotations === null ? {} : { annotations: JSON.parse(row.annotations) as unknown }),
  }));
  const index = { schemaVersion: 2, mediaType: indexMediaType, manifests };
  return reply.type(indexMediaType).send(Buffer.from(JSON.stringify(index)));
}
