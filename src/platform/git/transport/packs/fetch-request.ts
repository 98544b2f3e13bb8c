import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Repository } from '../../repository.ts';

/** A protocol 2 request whose response depends only on the request and the objects it names. */
export interface FetchRequest {
  readonly bytes: Buffer;
  /** The lines that determine the response. */
  readonly lines: readonly string[];
}

interface ClientRequest {
  readonly input: Readable;
  readonly stateless: boolean;
  readonly protocol?: string;
}

// A clone lists every branch and tag once: about five thousand of them fit.
const MAX_BYTES = 256 * 1024;

// Identifies the client, which does not change the response.
const clientInfo = /^(?:agent|session-id)=/;
const capability = /^(?:object-format=sha1|object-format=sha256)$/;
const argument =
  /^(?:thin-pack|no-progress|include-tag|ofs-delta|done|(?:want|have|shallow) [0-9a-f]{40,64}|deepen \d+|filter [\x21-\x7e]+)$/;

/**
 * Parses a stateless request if its response can be shared; the returned `input` always provides the complete request.
 * Requests that negotiate or name refs depend on the current refs and are not shared.
 */
export async function parseShareableFetch(client: ClientRequest): Promise<{ request?: FetchRequest; input: Readable }> {
  const { input } = client;
  if (!client.stateless || client.protocol !== 'version=2') return { input };
  const read: Buffer[] = [];
  let size = 0;
  const chunks = (input as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (let step = await chunks.next(); ; step = await chunks.next()) {
    if (step.done) break;
    read.push(step.value);
    size += step.value.length;
    if (size > MAX_BYTES) return { input: Readable.from(replay(read, chunks), { objectMode: false }) };
  }
  const bytes = Buffer.concat(read);
  const lines = fetchLines(bytes);
  return { request: lines && { bytes, lines }, input: Readable.from([bytes], { objectMode: false }) };
}

/** Returns the cache key of the response to a request. */
export function answerKey(repo: Repository, { lines }: FetchRequest): string {
  return createHash('sha256')
    .update(JSON.stringify(['answer', repo.path, lines]))
    .digest('base64url');
}

async function* replay(read: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  yield* read;
  for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
}

/** Returns the lines of a `command=fetch` that determine the response; undefined when any part is not understood. */
export function fetchLines(bytes: Buffer): string[] | undefined {
  const packets = packetsOf(bytes);
  if (packets?.[0] !== 'command=fetch' || packets.at(-1) !== null) return undefined;
  const delimiter = packets.indexOf('');
  const capabilities = packets.slice(1, delimiter);
  const args = packets.slice(delimiter + 1, -1);
  if (delimiter < 0 || !args.includes('done')) return undefined;
  const known = (line: string | null | undefined, form: RegExp) => typeof line === 'string' && form.test(line);
  const lines = capabilities.filter((line) => !known(line, clientInfo));
  if (!lines.every((line) => known(line, capability)) || !args.every((line) => known(line, argument))) return undefined;
  return [...lines, ...args].filter((line) => line !== null);
}

/**
 * Returns the text of each line without its newline, '' for a delimiter and null for a flush; undefined for malformed
 * input.
 */
function packetsOf(bytes: Buffer): (string | null)[] | undefined {
  const packets: (string | null)[] = [];
  for (let at = 0; at < bytes.length; ) {
    const head = bytes.toString('latin1', at, at + 4);
    if (!/^[0-9a-f]{4}$/i.test(head)) return undefined;
    const size = Number.parseInt(head, 16);
    if (size > 4 && at + size > bytes.length) return undefined;
    if (size === 0) packets.push(null);
    else if (size === 1) packets.push('');
    else if (size > 4) packets.push(bytes.toString('latin1', at + 4, at + size).replace(/\n$/, ''));
    else return undefined;
    at += Math.max(size, 4);
  }
  return packets;
}
