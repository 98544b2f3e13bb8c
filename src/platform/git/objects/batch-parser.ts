import { MAX_TEXT } from './commit.ts';
import type { ObjectContents, ObjectInfo, ObjectType } from './object.ts';

type Header = Extract<ObjectInfo, { status: 'found' }>;

/** Larger objects are skipped instead of buffered; callers stream large blobs with a separate process. */
export const MAX_CONTENTS = 32 * 1024 * 1024;

const isText = ({ type }: Header) => type === 'commit' || type === 'tag';

const NO_BYTES = Buffer.alloc(0);
const LF = 0x0a;
const TYPES = new Set(['commit', 'tree', 'blob', 'tag']);

/**
 * Splits the output of `git cat-file --batch-command` into answers: a header line and, for `contents`, the announced
 * number of bytes and a line feed. The bytes are copied once into their own buffer, so that a cached blob retains no
 * other memory.
 */
export class BatchParser {
  readonly #wantsContents: () => boolean;
  readonly #emit: (answer: ObjectContents | ObjectInfo) => void;
  #line: Buffer | undefined;
  #header: Header | undefined;
  #body = NO_BYTES;
  #filled = 0;

  constructor(wantsContents: () => boolean, emit: (answer: ObjectContents | ObjectInfo) => void) {
    this.#wantsContents = wantsContents;
    this.#emit = emit;
  }

  /** Parses the next chunk of output; throws when it is malformed. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) at = this.#header ? this.#takeBody(chunk, at) : this.#takeLine(chunk, at);
  }

  #takeLine(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(LF, at);
    const piece = chunk.subarray(at, end < 0 ? chunk.length : end);
    const line = this.#line ? Buffer.concat([this.#line, piece]) : piece;
    if (end < 0) {
      this.#line = line;
      return chunk.length;
    }
    this.#line = undefined;
    this.#head(line.toString('latin1'));
    return end + 1;
  }

  #head(line: string): void {
    const info = parseBatchHeader(line);
    if (info.status !== 'found' || !this.#wantsContents()) {
      this.#emit(info);
      return;
    }
    this.#header = info;
    // Only the start of a commit or tag is useful. About a hundred are requested together, so their size must be
    // bounded.
    const capacity = isText(info) ? MAX_TEXT : info.size <= MAX_CONTENTS ? info.size : 0;
    this.#body = Buffer.allocUnsafeSlow(Math.min(info.size, capacity));
    this.#filled = 0;
  }

  #takeBody(chunk: Buffer, at: number): number {
    const header = this.#header;
    const body = this.#body;
    if (!header) throw new Error('unexpected object body');
    const next = Math.min(chunk.length, at + header.size - this.#filled);
    const room = body.length - this.#filled;
    if (room > 0) body.set(chunk.subarray(at, Math.min(next, at + room)), this.#filled);
    this.#filled += next - at;
    if (this.#filled < header.size || next === chunk.length) return next;
    if (chunk[next] !== LF) throw new Error('an object does not end where git said');
    this.#header = undefined;
    this.#body = NO_BYTES;
    const whole = body.length === header.size;
    this.#emit(whole ? { ...header, data: body } : { ...header, status: 'too-large', beginning: body });
    return next + 1;
  }
}

/** Parses one header line. The requested name precedes ` missing` and may itself contain spaces. */
export function parseBatchHeader(line: string): ObjectInfo {
  if (line.endsWith(' missing') || line.endsWith(' submodule')) return { status: 'missing' };
  if (line.endsWith(' ambiguous')) return { status: 'ambiguous' };
  const [oid, type, size, ...rest] = line.split(' ');
  if (!oid || !type || !TYPES.has(type) || !/^\d+$/.test(size ?? '') || rest.length > 0) {
    throw new Error(`unexpected output of git cat-file: ${line.slice(0, 100)}`);
  }
  return { status: 'found', oid, type: type as ObjectType, size: Number(size) };
}
