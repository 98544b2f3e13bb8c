/** Reads the length-prefixed fields of SSH's binary formats; throws at the end of the input. */
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
    if (this.#at + length > this.#bytes.length) throw new Error('truncated field');
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

  /** Reads a number without its leading zeros. */
  mpint(): Buffer {
    const bytes = this.string();
    let start = 0;
    while (start < bytes.length && bytes[start] === 0) start++;
    return bytes.subarray(start);
  }

  /** Reads a positive number in canonical encoding, without the zero byte that marks it positive. */
  positive(): Buffer {
    const bytes = this.string();
    const [first = 0, second = 0] = bytes;
    if (bytes.length === 0 || first >= 0x80) throw new Error('not a positive number');
    if (first !== 0) return bytes;
    if (second < 0x80) throw new Error('a number with superfluous zeros');
    return bytes.subarray(1);
  }
}

/** Encodes a length-prefixed field. */
export function sshString(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
