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

/** The largest manifest, in bytes. */
export const largestManifest = 4 * 1024 * 1024;
const maxReferences = 1000;
/** Annotations that are longer are not repeated where manifests about others are listed. */
const longestAnnotations = 64 * 1024;

/** A manifest, read and checked by itself: whether what it speaks of is there is not known yet. */
export interface ManifestContent {
  readonly digest: string;
  readonly mediaType: string;
  readonly payload: string;
  readonly size: number;
  /** Blobs that must be there. */
  readonly blobs: readonly string[];
  /** Manifests that must be there. */
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
  /** The bytes are kept elsewhere: layers that may not be passed on. */
  readonly foreign: boolean;
}

function descriptor(value: unknown, where: string): Descriptor {
  if (!isObject(value)) throw invalid(`${where} is no descriptor`);
  const { digest, size, mediaType, urls } = value;
  if (typeof digest !== 'string' || !isDigest(digest)) throw invalid(`the digest of ${where} is not one of sha256`);
  if (!Number.isSafeInteger(size) || (size as number) < 0) throw invalid(`the size of ${where} is no number of bytes`);
  if (mediaType !== undefined && typeof mediaType !== 'string') throw invalid(`the type of ${where} is no text`);
  return { digest, mediaType, foreign: Array.isArray(urls) && urls.length > 0 };
}

function descriptors(value: unknown, where: string): Descriptor[] {
  if (!Array.isArray(value)) throw invalid(`${where} is no list`);
  if (value.length > maxReferences) throw invalid(`${where} has more than ${maxReferences} entries`);
  return value.map((one, index) => descriptor(one, `${where}[${index}]`));
}

function parse(bytes: Buffer): { json: Json; payload: string } {
  try {
    const payload = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const json: unknown = JSON.parse(payload);
    if (isObject(json)) return { json, payload };
  } catch {
    // Said below, as for what is no object.
  }
  throw invalid('it is not a JSON object');
}

/** What the body of a manifest says; throws where it breaks the rules of its type. */
export function readManifest(bytes: Buffer, contentType: string | undefined): ManifestContent {
  const { json, payload } = parse(bytes);
  const said = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const mediaType = said || (typeof json.mediaType === 'string' ? json.mediaType : '');
  if (!isImage(mediaType) && !isList(mediaType)) throw invalid('its media type is none that this registry takes');
  if (json.schemaVersion !== 2) throw invalid('schemaVersion must be 2');
  // One that could be read as an image and as a list would be something else to everybody.
  if (json.mediaType !== undefined && json.mediaType !== mediaType)
    throw invalid('mediaType is not that of the request');
  if (isImage(mediaType) ? json.manifests !== undefined : json.layers !== undefined || json.config !== undefined) {
    throw invalid('it is an image and a list of images at once');
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
    annotations: annotations !== null && annotations.length <= longestAnnotations ? annotations : null,
  };
}

/** The image of a list for clients that know no lists: the one for the commonest machines. */
export function defaultImage(payload: string): string | undefined {
  const { manifests } = JSON.parse(payload) as { manifests: { digest: string; platform?: Json }[] };
  return manifests.find(({ platform }) => platform?.os === 'linux' && platform.architecture === 'amd64')?.digest;
}

/** Whether a client that sends this header takes a type; one that sends none takes anything. */
export function accepts(header: string | undefined, mediaType: string): boolean {
  if (header === undefined || header.trim() === '') return true;
  const named = header.split(',').map((one) => one.split(';', 1)[0]?.trim().toLowerCase());
  return named.some(
    (one) => one === mediaType || one === '*/*' || one === 'application/*' || one === 'application/json',
  );
}
