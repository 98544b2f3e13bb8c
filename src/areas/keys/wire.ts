/** Reads the length-prefixed fields of SSH's encoding; throws at anything cut short. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  bytes(): Buffer {
    const length = this.#bytes.readUInt32BE(this.#at);
    const start = this.#at + 4;
    if (start + length > this.#bytes.length) throw new RangeError('a field is cut short');
    this.#at = start + length;
    return this.#bytes.subarray(start, this.#at);
  }

  text(): string {
    return this.bytes().toString('latin1');
  }

  /** A positive number of any size, without its leading zero. */
  positive(): Buffer {
    const number = this.bytes();
    const [first = 0, second = 0] = number;
    if (number.length === 0 || first >= 0x80) throw new RangeError('not a positive number');
    if (first !== 0) return number;
    if (second < 0x80) throw new RangeError('a number with needless zeros');
    return number.subarray(1);
  }
}
