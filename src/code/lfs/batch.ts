import { isLfsOid } from './service.ts';

/** An object listed in a batch request. */
export interface BatchObject {
  readonly oid: string;
  readonly size: number;
}

/** A batch request. */
export interface BatchRequest {
  readonly operation: 'upload' | 'download';
  readonly objects: readonly BatchObject[];
}

/** Parses the body of a batch request; undefined if it is malformed. */
export function readBatch(body: unknown): BatchRequest | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { operation, objects } = body as { operation?: unknown; objects?: unknown };
  if ((operation !== 'upload' && operation !== 'download') || !Array.isArray(objects)) return undefined;
  const requested: BatchObject[] = [];
  for (const object of objects as { oid?: unknown; size?: unknown }[]) {
    const { oid, size } = object ?? {};
    if (typeof oid !== 'string' || typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
      return undefined;
    requested.push({ oid, size });
  }
  return { operation, objects: requested };
}

/** What a batch response depends on. */
export interface BatchContext {
  /** `https://host/group/project.git`. */
  readonly address: string;
  /** The requested objects that the project has, by ID. */
  readonly stored: ReadonlyMap<string, { readonly size: number }>;
  /** Absent for anonymous downloads. */
  readonly authorization?: string;
  readonly expiresIn: number;
  readonly maxSize: number;
}

const missing = "Object does not exist on the server or you don't have permissions to access it";

/** The response for each object: a download or upload action, nothing if it is already stored, or an error. */
export function answerBatch({ operation, objects }: BatchRequest, context: BatchContext) {
  const answer = operation === 'download' ? download : upload;
  return {
    transfer: 'basic',
    hash_algo: 'sha256',
    objects: objects.map((object) => ({ oid: object.oid, size: object.size, ...answer(object, context) })),
  };
}

function failed(code: number, message: string) {
  return { error: { code, message } };
}

function action(href: string, context: BatchContext, extra: Readonly<Record<string, string>> = {}) {
  const header = { ...(context.authorization === undefined ? {} : { Authorization: context.authorization }), ...extra };
  return { href, header, expires_in: context.expiresIn };
}

function download({ oid }: BatchObject, context: BatchContext) {
  if (!context.stored.has(oid)) return failed(404, missing);
  return {
    authenticated: true,
    actions: { download: action(`${context.address}/gitlab-lfs/objects/${oid}`, context) },
  };
}

function upload({ oid, size }: BatchObject, context: BatchContext) {
  if (!isLfsOid(oid)) return failed(422, 'The object id is not a SHA-256');
  const stored = context.stored.get(oid);
  if (stored) return stored.size === size ? {} : failed(422, 'The size does not match the object');
  if (size > context.maxSize) return failed(422, 'The object exceeds the maximum size');
  const headers = { 'Content-Type': 'application/octet-stream', 'Transfer-Encoding': 'chunked' };
  return {
    authenticated: true,
    actions: { upload: action(`${context.address}/gitlab-lfs/objects/${oid}/${size}`, context, headers) },
  };
}
