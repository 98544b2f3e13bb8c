import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Repository } from '../../repository.ts';

/** A request of protocol 2 whose answer follows from it and from the objects it names, and from nothing else. */
export interface FetchRequest {
  readonly bytes: Buffer;
  /** The lines that the answer depends on. */
  readonly lines: readonly string[];
}

interface Asking {
  readonly input: Readable;
  readonly stateless: boolean;
  readonly protocol?: string;
}

// A clone names every branch and tag once: some five thousand of them.
const MAX_BYTES = 256 * 1024;

// Who asks: it does not change the answer.
const asker = /^(?:agent|session-id)=/;
const capability = /^(?:object-format=sha1|object-format=sha256)$/;
const argument =
  /^(?:thin-pack|no-progress|include-tag|ofs-delta|done|(?:want|have|shallow) [0-9a-f]{40,64}|deepen \d+|filter [\x21-\x7e]+)$/;

/**
 * Reads a request that stands alone, as far as it may be one that others ask as well; `input` has all of it either way.
 * One that negotiates, or names refs, is answered from the refs as they are.
 */
export async function wholeFetch(asking: Asking): Promise<{ request?: FetchRequest; input: Readable }> {
  const { input } = asking;
  if (!asking.stateless || asking.protocol !== 'version=2') return { input };
  const read: Buffer[] = [];
  let size = 0;
  const chunks = (input as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (let step = await chunks.next(); ; step = await chunks.next()) {
    if (step.done) break;
    read.push(step.value);
    size += step.value.length;
    if (size > MAX_BYTES) return { input: Readable.from(again(read, chunks), { objectMode: false }) };
  }
  const bytes = Buffer.concat(read);
  const lines = fetchLines(bytes);
  return { request: lines && { bytes, lines }, input: Readable.from([bytes], { objectMode: false }) };
}

/** Where the answer to a request is kept. */
export function answerKey(repo: Repository, { lines }: FetchRequest): string {
  return createHash('sha256')
    .update(JSON.stringify(['answer', repo.path, lines]))
    .digest('base64url');
}

async function* again(read: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  yield* read;
  for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
}

/** The lines of `command=fetch` that say what is asked; undefined for anything that is not understood to the end. */
export function fetchLines(bytes: Buffer): string[] | undefined {
  const packets = packetsOf(bytes);
  if (packets?.[0] !== 'command=fetch' || packets.at(-1) !== null) return undefined;
  const delimiter = packets.indexOf('');
  const capabilities = packets.slice(1, delimiter);
  const args = packets.slice(delimiter + 1, -1);
  if (delimiter < 0 || !args.includes('done')) return undefined;
  const known = (line: string | null | undefined, form: RegExp) => typeof line === 'string' && form.test(line);
  const lines = capabilities.filter((line) => !known(line, asker));
  if (!lines.every((line) => known(line, capability)) || !args.every((line) => known(line, argument))) return undefined;
  return [...lines, ...args].filter((line) => line !== null);
}

/** The text of each line without its newline; '' for a delimiter, null for a flush; undefined for what is none. */
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
