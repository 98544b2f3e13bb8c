import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ParameterError, TooLarge } from '../errors.ts';
import { checkJsonShape, JsonOutline } from '../parameters/nested-params.ts';
import { Unescaper } from './json-escapes.ts';
import { SpooledText } from './upload.ts';

/** The document is not JSON. */
export class InvalidJson extends ParameterError {
  constructor() {
    super('Invalid JSON format');
  }
}

/** Strings up to this many bytes stay in memory; longer ones are spooled to disk. */
const heldBytes = 64 * 1024;
/** The maximum size of the document without its long strings. */
const skeletonBytes = 32 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A string being written to disk, chunk by chunk with back-pressure. */
class LongText {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #unescaper = new Unescaper();
  #size = 0;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  static async open(spool: string): Promise<LongText> {
    const path = join(spool, randomUUID());
    return new LongText(path, await open(path, 'wx', 0o600));
  }

  async add(piece: Buffer): Promise<void> {
    await this.#write(this.#unescaper.take(piece));
  }

  async end(): Promise<SpooledText> {
    await this.#write(this.#unescaper.end());
    await this.#file.close();
    return new SpooledText(this.path, this.#size);
  }

  async abandon(): Promise<void> {
    await this.#file.close();
    await new SpooledText(this.path, this.#size).remove();
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#file.writeFile(bytes);
    this.#size += bytes.length;
  }
}

/**
 * Splits a JSON document into a skeleton for `JSON.parse` and its long strings, which are on disk. The skeleton refers
 * to each by a short string that nobody can forge.
 */
class Splitter {
  readonly spooled: SpooledText[] = [];
  readonly #spool: string;
  readonly #mark = randomUUID();
  readonly #skeleton: Buffer[] = [];
  readonly #outline = new JsonOutline();
  #skeletonSize = 0;
  #inText = false;
  #escaped = false;
  #held: Buffer[] = [];
  #heldSize = 0;
  #long: LongText | undefined;

  constructor(spool: string) {
    this.#spool = spool;
  }

  async take(chunk: Buffer): Promise<void> {
    let at = 0;
    while (at < chunk.length) at = this.#inText ? await this.#takeText(chunk, at) : this.#takeStructure(chunk, at);
  }

  #takeStructure(chunk: Buffer, from: number): number {
    const quote = chunk.indexOf(QUOTE, from);
    const end = quote < 0 ? chunk.length : quote + 1;
    this.#keep(chunk.subarray(from, end));
    this.#inText = quote >= 0;
    return end;
  }

  async #takeText(chunk: Buffer, from: number): Promise<number> {
    const end = this.#endOfText(chunk, from);
    const closed = end < chunk.length;
    const piece = chunk.subarray(from, end);
    if (!this.#long && this.#heldSize + piece.length > heldBytes) await this.#startLong();
    if (this.#long) await this.#long.add(piece);
    else {
      this.#held.push(piece);
      this.#heldSize += piece.length;
    }
    if (!closed) return end;
    await this.#closeText();
    return end + 1;
  }

  /** Where the string ends: at its quote, or with the chunk. Chunks may split an escape. */
  #endOfText(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at += 1;
    }
    for (;;) {
      const quote = chunk.indexOf(QUOTE, at);
      const limit = quote < 0 ? chunk.length : quote;
      const slash = chunk.subarray(at, limit).indexOf(BACKSLASH);
      if (slash < 0) return limit;
      if (at + slash + 1 >= chunk.length) {
        this.#escaped = true;
        return chunk.length;
      }
      at += slash + 2;
    }
  }

  async #closeText(): Promise<void> {
    this.#inText = false;
    if (this.#long) {
      this.#keep(Buffer.from(`${this.#mark}:${this.spooled.length}`));
      this.spooled.push(await this.#long.end());
      this.#long = undefined;
    } else {
      for (const piece of this.#held) this.#keep(piece);
    }
    this.#held = [];
    this.#heldSize = 0;
    this.#keep(Buffer.from('"'));
  }

  async #startLong(): Promise<void> {
    this.#long = await LongText.open(this.#spool);
    const before = Buffer.concat(this.#held);
    this.#held = [];
    await this.#long.add(before);
  }

  #keep(piece: Buffer): void {
    this.#skeletonSize += piece.length;
    if (this.#skeletonSize > skeletonBytes) throw new TooLarge();
    this.#outline.take(piece);
    this.#skeleton.push(piece);
  }

  value(): unknown {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(this.#skeleton));
    const prefix = `${this.#mark}:`;
    const value: unknown = JSON.parse(text, (_key, held) =>
      typeof held === 'string' && held.startsWith(prefix) ? this.spooled[Number(held.slice(prefix.length))] : held,
    );
    checkJsonShape(value);
    return value;
  }

  async abandon(): Promise<void> {
    await this.#long?.abandon();
    await Promise.all(this.spooled.map((text) => text.remove()));
  }
}

/** Reads a JSON document of any size in constant memory, with long strings on disk. */
export async function readStreamedJson(
  source: Readable,
  spool: string,
): Promise<{ value: unknown; spooled: readonly SpooledText[] }> {
  const splitter = new Splitter(spool);
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) await splitter.take(chunk);
    return { value: splitter.value(), spooled: splitter.spooled };
  } catch (error) {
    await splitter.abandon();
    // Nesting too deep for the reviver overflows the stack.
    if (error instanceof RangeError) throw new ParameterError('Parameters nested too deeply');
    throw error instanceof SyntaxError || error instanceof TypeError ? new InvalidJson() : error;
  }
}
