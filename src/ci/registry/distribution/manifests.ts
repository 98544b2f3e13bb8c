import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../../access/services.ts';
import { fault } from '../../../platform/faults.ts';
import type { ManifestRow, RepositoryRow } from '../tables.ts';
import { acceptsMediaType, defaultImage, isList, type ManifestContent, readManifest } from './manifest-content.ts';
import * as store from './manifest-store.ts';
import { isDigest, isTagName } from './names.ts';
import { RegistryRefusal } from './refusal.ts';
import type { Access } from './rights.ts';

type Reference = { readonly digest: string } | { readonly tag: string };

/** Parses the digest or tag in a URL. */
export function readReference(text: string): Reference {
  if (isDigest(text)) return { digest: text };
  if (isTagName(text)) return { tag: text };
  throw new RegistryRefusal(text.includes(':') ? 'DIGEST_INVALID' : 'TAG_INVALID', {
    message: 'the reference is neither a tag nor a sha256 digest',
  });
}

export async function requireRepository({ db }: Services, access: Access): Promise<RepositoryRow> {
  const found = await store.repositoryNamed(db.read, access.subject.project.id, access.inner);
  if (!found) throw new RegistryRefusal('NAME_UNKNOWN');
  return found;
}

const unknown = (message?: string) => new RegistryRefusal('MANIFEST_UNKNOWN', message === undefined ? {} : { message });

/** Finds the manifest for a reference in a media type the client accepts. */
export async function findManifest(
  services: Services,
  access: Access,
  reference: Reference,
  accept: string | undefined,
): Promise<ManifestRow> {
  const { read } = services.db;
  const repository = await requireRepository(services, access);
  const found = await store.findManifest(read, repository.id, reference);
  if (!found) throw unknown();
  if (acceptsMediaType(accept, found.media_type)) return found;
  // Old clients without support for indexes get the linux/amd64 image.
  const defaultDigest = 'tag' in reference && isList(found.media_type) ? defaultImage(found.payload) : undefined;
  const image =
    defaultDigest === undefined ? undefined : await store.findManifest(read, repository.id, { digest: defaultDigest });
  if (!image || !acceptsMediaType(accept, image.media_type)) {
    throw unknown(`the manifest has type ${found.media_type}, which the client does not accept`);
  }
  return image;
}

/** Sends a manifest byte for byte as it was pushed, or only its headers. */
export function sendManifest(
  { digest, media_type, payload }: Pick<ManifestRow, 'digest' | 'media_type' | 'payload'>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.type(media_type).headers({ 'docker-content-digest': digest, etag: `"${digest}"` });
  if (request.headers['if-none-match'] === `"${digest}"`) return reply.code(304).send();
  const body = Buffer.from(payload);
  return reply.header('content-length', body.length).send(request.method === 'HEAD' ? null : body);
}

/** Stores a manifest under a tag or its digest. Everything it references must exist. */
export async function putManifest(
  services: Services,
  access: Access,
  reference: Reference,
  { body, contentType }: { readonly body: Buffer; readonly contentType: string | undefined },
): Promise<ManifestContent> {
  const content = readManifest(body, contentType);
  if ('digest' in reference && reference.digest !== content.digest) throw new RegistryRefusal('DIGEST_INVALID');
  if ('tag' in reference) checkTags(access, [reference.tag], 'push');
  const projectId = access.subject.project.id;
  await services.db.write(async (trx) => {
    const repository = await store.ensureRepository(trx, projectId, access.inner);
    const blobs = await store.touchBlobs(trx, projectId, content.blobs);
    const children = await store.touchExistingManifests(trx, repository.id, content.children);
    checkComplete(content, blobs, children);
    const total = [...blobs.map(({ size }) => size), ...children.map(({ total_size }) => total_size)];
    const now = Date.now();
    const row = {
      repository_id: repository.id,
      digest: content.digest,
      media_type: content.mediaType,
      artifact_type: content.artifactType,
      config_digest: content.configDigest,
      subject_digest: content.subjectDigest,
      annotations: content.annotations,
      payload: content.payload,
      size: content.size,
      total_size: total.reduce((sum, size) => sum + Number(size), 0),
      created_at: now,
      touched_at: now,
    };
    const parts = { projectId, blobs: blobs.map(({ id }) => id), children: children.map(({ id }) => id) };
    const id = await store.ensureManifest(trx, row, parts);
    fault('registry.manifest');
    if ('tag' in reference) await store.putTag(trx, repository.id, reference.tag, id);
  });
  return content;
}

function checkTags({ guard }: Access, tags: readonly string[], change: 'push' | 'delete'): void {
  if (!tags.some((tag) => guard.protectsTag(tag, change))) return;
  throw new RegistryRefusal('DENIED', { message: `the tag is protected by the rules of the project` });
}

function checkComplete(content: ManifestContent, ...found: readonly { readonly digest: string }[][]): void {
  const known = new Set(found.flat().map(({ digest }) => digest));
  const missing = [...content.blobs, ...content.children].find((digest) => !known.has(digest));
  if (missing !== undefined) throw new RegistryRefusal('MANIFEST_BLOB_UNKNOWN', { detail: { digest: missing } });
}

/** Deletes a tag, or a manifest with all its tags. */
export async function deleteManifest(services: Services, access: Access, reference: Reference): Promise<void> {
  const { db } = services;
  const repository = await requireRepository(services, access);
  await db.write(async (trx) => {
    // Serializes with concurrent tag pushes.
    await store.ensureRepository(trx, repository.project_id, repository.name);
    if ('tag' in reference) {
      const tag = await store.tagNamed(trx, repository.id, reference.tag);
      if (!tag) throw unknown();
      checkTags(access, [tag.name], 'delete');
      await store.deleteTags(trx, [tag]);
      return;
    }
    const found = await store.findManifest(trx, repository.id, reference);
    if (!found) throw unknown();
    if (await store.isListed(trx, found.id)) throw new RegistryRefusal('MANIFEST_REFERENCED_IN_LIST');
    const tags = await store.tagsOfManifest(trx, found.id);
    checkTags(
      access,
      tags.map(({ name }) => name),
      'delete',
    );
    await store.deleteManifest(trx, found.id);
  });
}
