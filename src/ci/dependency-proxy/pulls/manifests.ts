import type { Services } from '../../../access/services.ts';
import { foreignKeyViolation } from '../../../platform/database/errors.ts';
import { type EgressResponse, ResponseTooLarge } from '../../../platform/egress/client.ts';
import { accepts, largestManifest, RegistryRefusal, readManifest, type readReference } from '../../registry/public.ts';
import type { ManifestRow, NewManifestRow } from '../tables.ts';
import type { Pull } from './pull.ts';
import * as store from './store.ts';
import { discard, refusalOf, UpstreamRefusal } from './upstream.ts';

const hour = 60 * 60 * 1000;
const missing = 'MANIFEST_UNKNOWN';
/** For clients that do not say what they take. */
const anything = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

type Reference = ReturnType<typeof readReference>;
type Manifest = Pick<ManifestRow, 'digest' | 'media_type' | 'payload'>;

/** The manifest that a reference stands for: the one that is kept, where it is still the other registry's. */
export async function pullManifest(services: Services, pull: Pull, reference: Reference): Promise<Manifest> {
  if ('digest' in reference) {
    const kept = await store.manifestOfDigest(services.db.read, pull, reference.digest);
    if (kept) return noteRead(services, pull, kept, undefined);
    return fetchManifest(services, pull, reference.digest, { digest: reference.digest });
  }
  try {
    return await currentManifest(services, pull, reference.tag);
  } catch (error) {
    if (!(error instanceof UpstreamRefusal && error.passes)) throw error;
    const last = await store.manifestOfTag(services.db.read, pull, reference.tag);
    if (!last || !accepts(pull.accept, last.media_type)) throw error;
    return noteRead(services, pull, last, undefined);
  }
}

/** What a tag stands for now. The other registry is asked for its digest first, which costs nobody's allowance. */
async function currentManifest(services: Services, pull: Pull, tag: string): Promise<Manifest> {
  const head = await ask(pull, 'HEAD', tag);
  discard(head.body);
  const refusal = refusalOf(head, missing);
  // Some registries do not know the question.
  if (refusal && head.status !== 405) throw refusal;
  const digest = digestIn(head);
  const kept = digest === undefined ? undefined : await store.manifestOfDigest(services.db.read, pull, digest);
  return kept ? noteRead(services, pull, kept, tag) : fetchManifest(services, pull, tag, { tag });
}

function ask({ upstream, accept, signal }: Pull, method: 'GET' | 'HEAD', reference: string): Promise<EgressResponse> {
  const path = `manifests/${reference}`;
  return upstream.ask({ method, path, accept: accept ?? anything, maxBytes: largestManifest, signal });
}

const digestIn = ({ headers }: EgressResponse) => [headers['docker-content-digest']].flat()[0];

const broken = (message: string) => new RegistryRefusal('MANIFEST_INVALID', { status: 502, message });

/** Fetches a manifest and keeps it, once it is known to be what was asked for. */
async function fetchManifest(services: Services, pull: Pull, path: string, wanted: Reference): Promise<Manifest> {
  const response = await ask(pull, 'GET', path);
  const refusal = refusalOf(response, missing);
  if (refusal) {
    discard(response.body);
    throw refusal;
  }
  const { digest, mediaType, payload, size } = await readWhole(response);
  const said = 'digest' in wanted ? wanted.digest : digestIn(response);
  if (said !== undefined && said !== digest) {
    throw broken('the upstream registry sent another manifest than the one of the digest');
  }
  const now = Date.now();
  const row = { group_id: pull.groupId, image: pull.image, digest, media_type: mediaType, payload, size };
  await keep(services, pull, { ...row, created_at: now, read_at: now }, 'tag' in wanted ? wanted.tag : undefined);
  return { digest, media_type: mediaType, payload };
}

async function readWhole(response: EgressResponse) {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response.body) chunks.push(chunk);
  } catch (error) {
    if (error instanceof ResponseTooLarge) throw new UpstreamRefusal(false, 'SIZE_INVALID');
    throw new UpstreamRefusal(true, 'UNAVAILABLE', { message: 'the upstream registry broke off' });
  }
  try {
    return readManifest(Buffer.concat(chunks), [response.headers['content-type']].flat()[0]);
  } catch (error) {
    if (!(error instanceof RegistryRefusal)) throw error;
    throw broken('the upstream registry sent what is no manifest');
  }
}

/** Notes once an hour that a manifest is still pulled, and at once that a tag has come to stand for it. */
async function noteRead(services: Services, pull: Pull, kept: ManifestRow, tag: string | undefined): Promise<Manifest> {
  const now = Date.now();
  const before = tag === undefined ? undefined : await store.manifestOfTag(services.db.read, pull, tag);
  const moved = tag !== undefined && before?.id !== kept.id;
  if (!moved && kept.read_at > now - hour) return kept;
  const { id: _, ...row } = kept;
  await keep(services, pull, { ...row, read_at: now }, tag);
  return kept;
}

async function keep({ db }: Services, pull: Pull, row: NewManifestRow, tag: string | undefined): Promise<void> {
  const kept = db.write(async (trx) => {
    const id = await store.keepManifest(trx, row);
    if (tag !== undefined) await store.keepTag(trx, pull, tag, id);
  });
  await kept.catch((error: unknown) => {
    // The group has been removed in this very moment.
    throw foreignKeyViolation(error) ? new RegistryRefusal('NAME_UNKNOWN') : error;
  });
}
