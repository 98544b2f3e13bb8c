import { isLfsOid } from './service.ts';

/** An object that a client asks about. */
export interface AskedObject {
  readonly oid: string;
  readonly size: number;
}

/** A request for many objects at once. */
export interface BatchRequest {
  readonly operation: 'upload' | 'download';
  readonly objects: readonly AskedObject[];
}

/** Reads the body of a batch request; undefined when it is none. */
export function readBatch(body: unknown): BatchRequest | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { operation, objects } = body as { operation?: unknown; objects?: unknown };
  if ((operation !== 'upload' && operation !== 'download') || !Array.isArray(objects)) return undefined;
  const asked: AskedObject[] = [];
  for (const object of objects as { oid?: unknown; size?: unknown }[]) {
    const { oid, size } = object ?? {};
    if (typeof oid !== 'string' || typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
      return undefined;
    asked.push({ oid, size });
  }
  return { operation, objects: asked };
}

/** What the answer to a batch is made from. */
export interface BatchFacts {
  /** `https://host/group/project.git`. */
  readonly address: string;
  /** Of the objects asked about, those that the project has, by id. */
  readonly stored: ReadonlyMap<string, { readonly size: number }>;
  /** Absent where anybody may fetch. */
  readonly authorization?: string;
  readonly expiresIn: number;
  readonly maxSize: number;
}

const missing = "Object does not exist on the server or you don't have permissions to access it";

/** The answer for each object: where to fetch it, where to send it, nothing when it is there, or what is wrong. */
export function answerBatch({ operation, objects }: BatchRequest, facts: BatchFacts) {
  const answer = operation === 'download' ? download : upload;
  return {
    transfer: 'basic',
    hash_algo: 'sha256',
    objects: objects.map((object) => ({ oid: object.oid, size: object.size, ...answer(object, facts) })),
  };
}

function failed(code: number, message: string) {
  return { error: { code, message } };
}

function action(href: string, facts: BatchFacts, extra: Readonly<Record<string, string>> = {}) {
  const header = { ...(facts.authorization === undefined ? {} : { Authorization: facts.authorization }), ...extra };
  return { href, header, expires_in: facts.expiresIn };
}

function download({ oid }: AskedObject, facts: BatchFacts) {
  if (!facts.stored.has(oid)) return failed(404, missing);
  return {
    authenticated: true,
    actions: { download: action(`${facts.address}/gitlab-lfs/objects/${oid}`, facts) },
  };
}

function upload({ oid, size }: AskedObject, facts: BatchFacts) {
  if (!isLfsOid(oid)) return failed(422, 'The object id is not a SHA-256');
  const stored = facts.stored.get(oid);
  if (stored) return stored.size === size ? {} : failed(422, 'The size is not that of the object');
  if (size > facts.maxSize) return failed(422, 'The object is larger than this server takes');
  const headers = { 'Content-Type': 'application/octet-stream', 'Transfer-Encoding': 'chunked' };
  return {
    authenticated: true,
    actions: { upload: action(`${facts.address}/gitlab-lfs/objects/${oid}/${size}`, facts, headers) },
  };
}
