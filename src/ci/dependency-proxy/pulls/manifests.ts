import type { Services } from '../../../access/services.ts';
import { foreignKeyViolation } from '../../../platform/database/errors.ts';
import { type EgressResponse, ResponseTooLarge } from '../../../platform/egress/client.ts';
import {
  acceptsMediaType,
  maxManifestBytes,
  RegistryRefusal,
  readManifest,
  type readReference,
} from '../../registry/public.ts';
import type { ManifestRow, NewManifestRow } from '../tables.ts';
import type { Pull } from './pull.ts';
import * as store from './store.ts';
import { discard, refusalOf, UpstreamRefusal } from './upstream.ts';

const hour = 60 * 60 * 1000;
const missing = 'MANIFEST_UNKNOWN';
/** Sent upstream for clients without an `Accept` header. */
const defaultAccept = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

type Reference = ReturnType<typeof readReference>;
type Manifest = Pick<ManifestRow, 'digest' | 'media_type' | 'payload'>;

/** Returns the manifest for a reference, from the cache if it is still current upstream. */
export async function pullManifest(services: Services, pull: Pull, reference: Reference): Promise<Manifest> {
  if ('digest' in reference) {
    const cached = await store.manifestOfDigest(services.db.read, pull, reference.digest);
    if (cached) return recordRead(services, pull, cached, undefined);
    return fetchManifest(services, pull, reference.digest, { digest: reference.digest });
  }
  try {
    return await currentManifest(services, pull, reference.tag);
  } catch (error) {
    if (!(error instanceof UpstreamRefusal && error.isTemporary)) throw error;
    const last = await store.manifestOfTag(services.db.read, pull, reference.tag);
    if (!last || !acceptsMediaType(pull.accept, last.media_type)) throw error;
    return recordRead(services, pull, last, undefined);
  }
}

/**
 * Resolves a tag. The digest is requested with HEAD first, because such requests do not count towards upstream rate
 * limits.
 */
async function currentManifest(services: Services, pull: Pull, tag: string): Promise<Manifest> {
  const head = await fetchUpstream(pull, 'HEAD', tag);
  discard(head.body);
  const refusal = refusalOf(head, missing);
  // Some registries do not support HEAD.
  if (refusal && head.status !== 405) throw refusal;
  const digest = digestIn(head);
  const cached = digest === undefined ? undefined : await store.manifestOfDigest(services.db.read, pull, digest);
  return cached ? recordRead(services, pull, cached, tag) : fetchManifest(services, pull, tag, { tag });
}

function fetchUpstream(
  { upstream, accept, signal }: Pull,
  method: 'GET' | 'HEAD',
  reference: string,
): Promise<EgressResponse> {
  const path = `manifests/${reference}`;
  return upstream.ask({ method, path, accept: accept ?? defaultAccept, maxBytes: maxManifestBytes, signal });
}

const digestIn = ({ headers }: EgressResponse) => [headers['docker-content-digest']].flat()[0];

const invalidManifest = (message: string) => new RegistryRefusal('MANIFEST_INVALID', { status: 502, message });

/** Fetches a manifest, verifies it and caches it. */
async function fetchManifest(services: Services, pull: Pull, path: string, reference: Reference): Promise<Manifest> {
  const response = await fetchUpstream(pull, 'GET', path);
  const refusal = refusalOf(response, missing);
  if (refusal) {
    discard(response.body);
    throw refusal;
  }
  const { digest, mediaType, payload, size } = await readWhole(response);
  const expectedDigest = 'digest' in reference ? reference.digest : digestIn(response);
  if (expectedDigest !== undefined && expectedDigest !== digest) {
    throw invalidManifest('the upstream registry sent a manifest that does not match the digest');
  }
  const now = Date.now();
  const row = { group_id: pull.groupId, image: pull.image, digest, media_type: mediaType, payload, size };
  await cacheManifest(
    services,
    pull,
    { ...row, created_at: now, read_at: now },
    'tag' in reference ? reference.tag : undefined,
  );
  return { digest, media_type: mediaType, payload };
}

async function readWhole(response: EgressResponse) {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response.body) chunks.push(chunk);
  } catch (error) {
    if (error instanceof ResponseTooLarge) throw new UpstreamRefusal(false, 'SIZE_INVALID');
    throw new UpstreamRefusal(true, 'UNAVAILABLE', { message: 'the connection to the upstream registry was lost' });
  }
  try {
    return readManifest(Buffer.concat(chunks), [response.headers['content-type']].flat()[0]);
  } catch (error) {
    if (!(error instanceof RegistryRefusal)) throw error;
    throw invalidManifest('the upstream registry sent an invalid manifest');
  }
}

/** Updates the last pull time at most once an hour, and the tag whenever it moves to this manifest. */
async function recordRead(
  services: Services,
  pull: Pull,
  cached: ManifestRow,
  tag: string | undefined,
): Promise<Manifest> {
  const now = Date.now();
  const before = tag === undefined ? undefined : await store.manifestOfTag(services.db.read, pull, tag);
  const moved = tag !== undefined && before?.id !== cached.id;
  if (!moved && cached.read_at > now - hour) return cached;
  const { id: _, ...row } = cached;
  await cacheManifest(services, pull, { ...row, read_at: now }, tag);
  return cached;
}

async function cacheManifest(
  { db }: Services,
  pull: Pull,
  row: NewManifestRow,
  tag: string | undefined,
): Promise<void> {
  const saved = db.write(async (trx) => {
    const id = await store.saveManifest(trx, row);
    if (tag !== undefined) await store.saveTag(trx, pull, tag, id);
  });
  await saved.catch((error: unknown) => {
    // The group was deleted in the meantime.
    throw foreignKeyViolation(error) ? new RegistryRefusal('NAME_UNKNOWN') : error;
  });
}
