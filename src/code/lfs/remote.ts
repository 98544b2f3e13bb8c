import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import type { Services } from '../../access/services.ts';
import type { EgressResponse } from '../../platform/egress/client.ts';
import { type Credentials, credentialsOf, withoutCredentials } from '../../platform/git/remote/address.ts';
import { trimTrailing } from '../../platform/trim.ts';
import { isLfsOid, lfsObject, missingLfsObjects, storeLfsObject } from './service.ts';
import { objectsOfProject } from './store.ts';

/** An LFS object as described by its pointer. */
export interface LfsPointer {
  readonly oid: string;
  readonly size: number;
}

const Action = Type.Object({
  href: Type.String(),
  header: Type.Optional(Type.Record(Type.String(), Type.String())),
});

/** An object in a remote server's batch response. It is untrusted input and therefore validated. */
const Offered = Type.Object({
  oid: Type.String(),
  size: Type.Optional(Type.Number()),
  actions: Type.Optional(
    Type.Object({
      upload: Type.Optional(Action),
      download: Type.Optional(Action),
      verify: Type.Optional(Action),
    }),
  ),
  error: Type.Optional(Type.Object({ code: Type.Optional(Type.Number()), message: Type.Optional(Type.String()) })),
});
const Batch = Type.Object({ objects: Type.Array(Offered) });

type Offered = Static<typeof Offered> & LfsPointer;

/** The URL and credentials of a remote repository. */
export interface LfsRemote {
  readonly url: URL;
  readonly credentials?: Credentials;
}

/** The remote server did not accept or return an object. */
export class LfsFailed extends Error {
  override readonly name = 'LfsFailed';
  readonly status: number;

  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

const batchSize = 100;
const json = 'application/vnd.git-lfs+json';
const longTimeouts = { headers: 60_000, body: 300_000, total: 3 * 60 * 60_000 };

/** Uploads the LFS objects of a project that the remote server does not have. */
export async function uploadLfsObjects(
  services: Services,
  projectId: number,
  remote: LfsRemote,
  signal: AbortSignal,
): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await objectsOfProject(services.db.read, projectId, after, batchSize);
    if (rows.length === 0) return;
    after = rows.at(-1)?.id ?? after;
    for (const offered of await askBatch(services, remote, 'upload', rows, signal)) {
      await uploadObject(services, projectId, offered, signal);
    }
  }
}

async function uploadObject(
  services: Services,
  projectId: number,
  offered: Offered,
  signal: AbortSignal,
): Promise<void> {
  if (offered.error) throw new LfsFailed(`${offered.oid}: ${offered.error.message ?? 'refused'}`, offered.error.code);
  const { upload, verify } = offered.actions ?? {};
  if (!upload) return;
  const file = await lfsObject(services, projectId, offered.oid);
  if (!file) return;
  const headers = withoutHopHeaders(upload.header);
  const timeoutsMs = longTimeouts;
  const sized = { 'content-type': 'application/octet-stream', ...headers, 'content-length': `${offered.size}` };
  const request = { method: 'PUT', headers: sized, body: file.stream, timeoutsMs, signal };
  await drained(await services.egress.fetch(upload.href, request), 'upload');
  if (!verify) return;
  const verifyHeaders = { 'content-type': json, accept: json, ...withoutHopHeaders(verify.header) };
  const body = JSON.stringify({ oid: offered.oid, size: offered.size });
  await drained(
    await services.egress.fetch(verify.href, { method: 'POST', headers: verifyHeaders, body, signal }),
    'verify',
  );
}

/**
 * Downloads the LFS objects that a project is missing. Calls `failed` for each that could not be downloaded. Returns
 * the number of stored objects.
 */
export async function downloadLfsObjects(
  services: Services,
  projectId: number,
  remote: LfsRemote,
  pointers: readonly LfsPointer[],
  signal: AbortSignal,
  failed: (pointer: LfsPointer, reason: string) => Promise<void>,
): Promise<number> {
  let stored = 0;
  for (let at = 0; at < pointers.length; at += batchSize) {
    const candidates = pointers.slice(at, at + batchSize).filter(({ oid }) => isLfsOid(oid));
    const oids = candidates.map(({ oid }) => oid);
    const missing = new Set(await missingLfsObjects(services.db.read, projectId, oids));
    const absent = candidates.filter(({ oid }) => missing.has(oid));
    if (absent.length === 0) continue;
    for (const offered of await askBatch(services, remote, 'download', absent, signal)) {
      const pointer = { oid: offered.oid, size: offered.size };
      const problem = await downloadObject(services, projectId, pointer, offered, signal);
      if (problem === undefined) stored++;
      else await failed(pointer, problem);
    }
  }
  return stored;
}

async function downloadObject(
  services: Services,
  projectId: number,
  pointer: LfsPointer,
  { actions, error }: Offered,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!actions?.download) return error?.message ?? 'not offered';
  const { href, header } = actions.download;
  const request = {
    headers: withoutHopHeaders(header),
    redirects: 3,
    maxBytes: pointer.size,
    timeoutsMs: longTimeouts,
  };
  try {
    const response = await services.egress.fetch(href, { ...request, signal });
    if (response.status !== 200) {
      response.body.on('error', () => undefined).destroy();
      return `failed with status ${response.status}`;
    }
    await storeLfsObject(services, projectId, pointer, response.body, { signal });
    return undefined;
  } catch (cause) {
    if (signal.aborted) throw cause;
    return cause instanceof Error ? cause.message : String(cause);
  }
}

async function askBatch(
  services: Services,
  { url, credentials = credentialsOf(url) }: LfsRemote,
  operation: 'upload' | 'download',
  objects: readonly LfsPointer[],
  signal: AbortSignal,
): Promise<readonly Offered[]> {
  const address = `${trimTrailing(withoutCredentials(url), '/')}/info/lfs/objects/batch`;
  const { username = '', password = '' } = credentials;
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  const headers = {
    accept: json,
    'content-type': json,
    ...(username === '' && password === '' ? {} : { authorization: `Basic ${basic}` }),
  };
  const requested = objects.map(({ oid, size }) => ({ oid, size }));
  const body = JSON.stringify({ operation, transfers: ['basic'], objects: requested, hash_algo: 'sha256' });
  const response = await services.egress.fetch(address, { method: 'POST', headers, body, signal });
  const text = await response.text();
  if (response.status !== 200)
    throw new LfsFailed(`the batch request failed with status ${response.status}`, response.status);
  return readOffers(text, objects);
}

/**
 * Ignores objects that were not requested, and uses our own sizes: the remote server must not control what is
 * transferred.
 */
function readOffers(text: string, requested: readonly LfsPointer[]): readonly Offered[] {
  const sizes = new Map(requested.map(({ oid, size }) => [oid, size]));
  return parsedBatch(text).objects.flatMap((offered) => {
    const size = sizes.get(offered.oid);
    return size === undefined ? [] : [{ ...offered, size }];
  });
}

function parsedBatch(text: string): Static<typeof Batch> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new LfsFailed('the batch response is invalid');
  }
  if (!Check(Batch, parsed)) throw new LfsFailed('the batch response is invalid');
  return parsed;
}

// Hop-by-hop headers are set by our own client: a remote `transfer-encoding: chunked` would be sent along with a
// length.
function withoutHopHeaders(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const hop = /^(transfer-encoding|content-length|connection|host)$/i;
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => !hop.test(name) && typeof value === 'string')
      .map(([name, value]) => [name.toLowerCase(), value]),
  );
}

async function drained(response: EgressResponse, what: string): Promise<void> {
  await response.text();
  if (response.status >= 300)
    throw new LfsFailed(`the ${what} request failed with status ${response.status}`, response.status);
}
