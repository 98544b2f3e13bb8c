/** Reads the counted fields of SSH's binary formats; throws when they run out. */
export class SshReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new Error('a field reaches beyond its end');
    const part = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return part;
  }

  number(): number {
    return this.take(4).readUInt32BE();
  }

  string(): Buffer {
    return this.take(this.number());
  }

  text(): string {
    return this.string().toString('latin1');
  }

  /** A number without its leading zeros. */
  mpint(): Buffer {
    const bytes = this.string();
    let start = 0;
    while (start < bytes.length && bytes[start] === 0) start++;
    return bytes.subarray(start);
  }

  /** A positive number in its one proper form, without the zero that keeps its sign. */
  positive(): Buffer {
    const bytes = this.string();
    const [first = 0, second = 0] = bytes;
    if (bytes.length === 0 || first >= 0x80) throw new Error('not a positive number');
    if (first !== 0) return bytes;
    if (second < 0x80) throw new Error('a number with needless zeros');
    return bytes.subarray(1);
  }
}

/** A counted field. */
export function sshString(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
