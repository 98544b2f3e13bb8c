import { createHash } from 'node:crypto';
import { isDigest } from './names.ts';
import { RegistryRefusal } from './refusal.ts';

const images = [
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
] as const;
const lists = [
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.index.v1+json',
] as const;
export const indexMediaType = lists[1];

export const isImage = (mediaType: string) => (images as readonly string[]).includes(mediaType);
export const isList = (mediaType: string) => (lists as readonly string[]).includes(mediaType);

/** Maximum size of a manifest in bytes. */
export const maxManifestBytes = 4 * 1024 * 1024;
const maxReferences = 1000;
/** Longer annotations are left out of referrer lists. */
const maxAnnotationsLength = 64 * 1024;

/** A parsed and validated manifest. References to blobs and manifests are not checked yet. */
export interface ManifestContent {
  readonly digest: string;
  readonly mediaType: string;
  readonly payload: string;
  readonly size: number;
  /** Digests of blobs that must exist. */
  readonly blobs: readonly string[];
  /** Digests of manifests that must exist. */
  readonly children: readonly string[];
  readonly configDigest: string | null;
  readonly artifactType: string | null;
  readonly subjectDigest: string | null;
  readonly annotations: string | null;
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalid = (message: string) =>
  new RegistryRefusal('MANIFEST_INVALID', { message: `manifest invalid: ${message}` });

interface Descriptor {
  readonly digest: string;
  readonly mediaType: string | undefined;
  /** Stored elsewhere, as for non-distributable layers. */
  readonly foreign: boolean;
}

function descriptor(value: unknown, where: string): Descriptor {
  if (!isObject(value)) throw invalid(`${where} is not a descriptor`);
  const { digest, size, mediaType, urls } = value;
  if (typeof digest !== 'string' || !isDigest(digest)) throw invalid(`the digest of ${where} is not a sha256 digest`);
  if (!Number.isSafeInteger(size) || (size as number) < 0)
    throw invalid(`the size of ${where} is not a number of bytes`);
  if (mediaType !== undefined && typeof mediaType !== 'string') throw invalid(`the type of ${where} is not a string`);
  return { digest, mediaType, foreign: Array.isArray(urls) && urls.length > 0 };
}

function descriptors(value: unknown, where: string): Descriptor[] {
  if (!Array.isArray(value)) throw invalid(`${where} is not an array`);
  if (value.length > maxReferences) throw invalid(`${where} has more than ${maxReferences} entries`);
  return value.map((one, index) => descriptor(one, `${where}[${index}]`));
}

function parse(bytes: Buffer): { json: Json; payload: string } {
  try {
    const payload = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const json: unknown = JSON.parse(payload);
    if (isObject(json)) return { json, payload };
  } catch {
    // Reported below, like values that are not objects.
  }
  throw invalid('it is not a JSON object');
}

/** Parses and validates a manifest; throws if it is invalid for its media type. */
export function readManifest(bytes: Buffer, contentType: string | undefined): ManifestContent {
  const { json, payload } = parse(bytes);
  const requestType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const mediaType = requestType || (typeof json.mediaType === 'string' ? json.mediaType : '');
  if (!isImage(mediaType) && !isList(mediaType)) throw invalid('the media type is not supported');
  if (json.schemaVersion !== 2) throw invalid('schemaVersion must be 2');
  // A manifest readable both as an image and as an index would be interpreted differently by different clients.
  if (json.mediaType !== undefined && json.mediaType !== mediaType)
    throw invalid('mediaType does not match the Content-Type of the request');
  if (isImage(mediaType) ? json.manifests !== undefined : json.layers !== undefined || json.config !== undefined) {
    throw invalid('it is both an image and an index');
  }
  const config = isImage(mediaType) ? descriptor(json.config, 'config') : undefined;
  const layers = isImage(mediaType) ? descriptors(json.layers ?? [], 'layers') : [];
  const manifests = isImage(mediaType) ? [] : descriptors(json.manifests, 'manifests');
  const subject = json.subject === undefined || json.subject === null ? undefined : descriptor(json.subject, 'subject');
  const own = layers.filter(({ foreign }) => !foreign);
  const artifactType =
    typeof json.artifactType === 'string' && json.artifactType !== '' ? json.artifactType : undefined;
  const annotations = isObject(json.annotations) ? JSON.stringify(json.annotations) : null;
  return {
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    mediaType,
    payload,
    size: bytes.length,
    blobs: [...new Set([...(config ? [config] : []), ...own].map(({ digest }) => digest))],
    children: [...new Set(manifests.map(({ digest }) => digest))],
    configDigest: config?.digest ?? null,
    artifactType: artifactType ?? config?.mediaType ?? null,
    subjectDigest: subject?.digest ?? null,
    annotations: annotations !== null && annotations.length <= maxAnnotationsLength ? annotations : null,
  };
}

/** Digest of the image for linux/amd64 in an index, for clients without support for indexes. */
export function defaultImage(payload: string): string | undefined {
  const { manifests } = JSON.parse(payload) as { manifests: { digest: string; platform?: Json }[] };
  return manifests.find(({ platform }) => platform?.os === 'linux' && platform.architecture === 'amd64')?.digest;
}

/** Whether an `Accept` header allows a media type. Without the header every type is accepted. */
export function acceptsMediaType(header: string | undefined, mediaType: string): boolean {
  if (header === undefined || header.trim() === '') return true;
  const named = header.split(',').map((one) => one.split(';', 1)[0]?.trim().toLowerCase());
  return named.some(
    (one) => one === mediaType || one === '*/*' || one === 'application/*' || one === 'application/json',
  );
}
