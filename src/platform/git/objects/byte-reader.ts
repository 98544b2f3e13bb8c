/** The stream is shorter than its format says. */
export class StreamEnded extends Error {
  override readonly name = 'StreamEnded';

  constructor() {
    super('the stream ended in the middle of a record');
  }
}

/** Reads exact amounts from a stream of chunks, for formats with length-prefixed fields. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  #left = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Reads exactly this number of bytes; throws when the stream ends early. */
  async read(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = bytes; missing > 0; ) {
      const part = await this.#next(missing);
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** Streams the next bytes as they arrive; `finish` discards what the consumer did not read. */
  stream(bytes: number): AsyncGenerator<Buffer, void> {
    this.#left = bytes;
    return this.#rest();
  }

  async *#rest(): AsyncGenerator<Buffer, void> {
    while (this.#left > 0) {
      const part = await this.#next(this.#left);
      this.#left -= part.length;
      yield part;
    }
  }

  /** Discards the rest of the last `stream`. */
  async finish(): Promise<void> {
    while (this.#left > 0) this.#left -= (await this.#next(this.#left)).length;
  }

  /** Reads to the end of the source, so that its errors surface. */
  async drain(): Promise<void> {
    this.#chunk = Buffer.alloc(0);
    while (!(await this.#source.next()).done);
  }

  /** Ends the source early. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #next(atMost: number): Promise<Buffer> {
    while (this.#chunk.length === 0) {
      const step = await this.#source.next();
      if (step.done) throw new StreamEnded();
      this.#chunk = step.value;
    }
    const part = this.#chunk.subarray(0, atMost);
    this.#chunk = this.#chunk.subarray(part.length);
    return part;
  }
}
