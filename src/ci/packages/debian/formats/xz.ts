/**
 * Decompresses `.xz` files. Node cannot, and the packages that can are native or allocate the dictionary that a file
 * asks for (up to 4 GiB); here the bounded output is the dictionary. Only LZMA2 without other filters is supported,
 * which is what dpkg writes, and the embedded checksums are not verified: callers know the digest of the whole file.
 */
export class BadXz extends Error {
  override readonly name = 'BadXz';
}

const magic = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]);
const streamHeaderBytes = 12;
const checkBytes = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64] as const;
const lzma2Filter = 0x21;

/** Unpacks the first stream of a file; throws `BadXz` if it is malformed or unpacks to more than `maxBytes`. */
export function unpackXz(packed: Uint8Array, maxBytes: number): Buffer {
  if (!magic.equals(packed.subarray(0, magic.length))) throw new BadXz('it is not an xz file');
  const input = new Input(packed, streamHeaderBytes);
  const check = checkBytes[(packed[7] ?? 0) & 15] ?? 0;
  const output = new Output(maxBytes);
  // A header size of zero begins the index.
  while (input.peek() !== 0) {
    const start = input.at;
    readBlockHeader(input);
    unpackLzma2(input, output);
    input.skip((4 - ((input.at - start) % 4)) % 4);
    input.skip(check);
  }
  return output.taken();
}

function readBlockHeader(input: Input): void {
  const end = input.at + (input.byte() + 1) * 4;
  const flags = input.byte();
  if ((flags & 0x3f) !== 0) throw new BadXz('it uses unsupported filters');
  if (flags & 0x40) input.number();
  if (flags & 0x80) input.number();
  if (input.number() !== lzma2Filter || input.number() !== 1) throw new BadXz('it uses unsupported filters');
  input.byte();
  if (input.at > end - 4) throw new BadXz('a header is malformed');
  input.skip(end - input.at);
}

function unpackLzma2(input: Input, output: Output): void {
  const decoder = new LzmaDecoder(output);
  let needsDictionary = true;
  let needsState = true;
  for (let control = input.byte(); control !== 0; control = input.byte()) {
    if (control === 1 || control >= 0xe0) {
      needsDictionary = false;
      output.resetDictionary();
    } else if (needsDictionary) throw new BadXz('the dictionary is not initialized');
    if (control < 0x80) {
      if (control > 2) throw new BadXz('a chunk is malformed');
      output.append(input.bytes(input.big16() + 1));
      continue;
    }
    const size = ((control & 0x1f) << 16) + input.big16() + 1;
    const packedSize = input.big16() + 1;
    if (control >= 0xc0) {
      decoder.setProperties(input.byte());
      needsState = false;
    } else if (needsState) throw new BadXz('the state is not initialized');
    if (control >= 0xa0) decoder.resetState();
    decoder.decode(input.bytes(packedSize), size);
  }
}

/** Reads from a buffer; throws at its end. */
class Input {
  readonly #source: Uint8Array;
  at: number;

  constructor(source: Uint8Array, at: number) {
    this.#source = source;
    this.at = at;
  }

  peek(): number {
    const byte = this.#source[this.at];
    if (byte === undefined) throw new BadXz('it is truncated');
    return byte;
  }

  byte(): number {
    const byte = this.peek();
    this.at += 1;
    return byte;
  }

  big16(): number {
    return (this.byte() << 8) | this.byte();
  }

  bytes(count: number): Uint8Array {
    const start = this.at;
    this.skip(count);
    return this.#source.subarray(start, this.at);
  }

  skip(count: number): void {
    this.at += count;
    if (this.at > this.#source.length) throw new BadXz('it is truncated');
  }

  /** A number of seven bits per byte. */
  number(): number {
    let value = 0;
    for (let shift = 0; shift < 63; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new BadXz('a number is too large');
  }
}

/** What was unpacked so far, which is also the dictionary. */
class Output {
  readonly #maxBytes: number;
  #buffer: Buffer = Buffer.alloc(64 * 1024);
  #start = 0;
  size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Number of bytes in the dictionary. */
  get position(): number {
    return this.size - this.#start;
  }

  resetDictionary(): void {
    this.#start = this.size;
  }

  /** Makes room for more bytes. */
  reserve(count: number): void {
    const needed = this.size + count;
    if (needed > this.#maxBytes) throw new BadXz(`it unpacks to more than ${this.#maxBytes} bytes`);
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.alloc(Math.min(Math.max(needed, this.#buffer.length * 2), this.#maxBytes));
    this.#buffer.copy(larger, 0, 0, this.size);
    this.#buffer = larger;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.#buffer.set(bytes, this.size);
    this.size += bytes.length;
  }

  push(byte: number): void {
    this.#buffer[this.size] = byte;
    this.size += 1;
  }

  /** The byte at a distance; one is the last. Zero in an empty dictionary. */
  before(distance: number): number {
    return this.position === 0 ? 0 : (this.#buffer[this.size - distance] ?? 0);
  }

  /** Repeats bytes from a distance, which may overlap with what is written. */
  repeat(distance: number, count: number): void {
    if (distance > this.position) throw new BadXz('a distance is invalid');
    for (let left = count; left > 0; left -= 1) this.push(this.#buffer[this.size - distance] ?? 0);
  }

  taken(): Buffer {
    return this.#buffer.subarray(0, this.size);
  }
}

const probabilityBits = 11;
const topRange = 2 ** 24;

/** Decodes bits by their probabilities. */
class RangeDecoder {
  #source: Uint8Array = new Uint8Array();
  #at = 0;
  #range = 0;
  #code = 0;

  begin(source: Uint8Array): void {
    if (source.length < 5 || source[0] !== 0) throw new BadXz('a chunk is malformed');
    this.#source = source;
    this.#at = 1;
    this.#range = 0xffffffff;
    this.#code = 0;
    for (let count = 0; count < 4; count += 1) this.#code = this.#code * 256 + this.#next();
  }

  #next(): number {
    const byte = this.#source[this.#at];
    if (byte === undefined) throw new BadXz('a chunk is truncated');
    this.#at += 1;
    return byte;
  }

  #normalize(): void {
    if (this.#range >= topRange) return;
    this.#range = this.#range * 256;
    this.#code = (this.#code * 256 + this.#next()) % 2 ** 32;
  }

  bit(probabilities: Uint16Array, index: number): 0 | 1 {
    this.#normalize();
    const probability = probabilities[index] ?? 0;
    const bound = (this.#range >>> probabilityBits) * probability;
    if (this.#code < bound) {
      this.#range = bound;
      probabilities[index] = probability + ((2048 - probability) >>> 5);
      return 0;
    }
    this.#range -= bound;
    this.#code -= bound;
    probabilities[index] = probability - (probability >>> 5);
    return 1;
  }

  /** Bits from a tree of probabilities, the highest first. */
  tree(probabilities: Uint16Array, offset: number, bits: number): number {
    let node = 1;
    for (let left = bits; left > 0; left -= 1) node = (node << 1) | this.bit(probabilities, offset + node);
    return node - (1 << bits);
  }

  /** The same with the lowest bit first. */
  reverseTree(probabilities: Uint16Array, offset: number, bits: number): number {
    let [node, value] = [1, 0];
    for (let place = 0; place < bits; place += 1) {
      const bit = this.bit(probabilities, offset + node);
      node = (node << 1) | bit;
      value |= bit << place;
    }
    return value;
  }

  /** Bits without probabilities. */
  direct(bits: number): number {
    let value = 0;
    for (let left = bits; left > 0; left -= 1) {
      this.#normalize();
      this.#range = Math.floor(this.#range / 2);
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit === 1) this.#code -= this.#range;
      value = value * 2 + bit;
    }
    return value;
  }
}

const stateCount = 12;
const posStates = 16;

/** Probabilities of the length of a match. */
class LengthCoder {
  readonly #choices = new Uint16Array(2);
  readonly #low = new Uint16Array(posStates * 8);
  readonly #middle = new Uint16Array(posStates * 8);
  readonly #high = new Uint16Array(256);

  reset(): void {
    for (const all of [this.#choices, this.#low, this.#middle, this.#high]) all.fill(1024);
  }

  decode(range: RangeDecoder, posState: number): number {
    if (range.bit(this.#choices, 0) === 0) return 2 + range.tree(this.#low, posState * 8, 3);
    if (range.bit(this.#choices, 1) === 0) return 10 + range.tree(this.#middle, posState * 8, 3);
    return 18 + range.tree(this.#high, 0, 8);
  }
}

/** Decodes chunks of LZMA. States are those of the format: below 7, the last symbol was a literal. */
class LzmaDecoder {
  readonly #output: Output;
  readonly #range = new RangeDecoder();
  readonly #isMatch = new Uint16Array(stateCount * posStates);
  readonly #isRep = new Uint16Array(stateCount);
  readonly #isRepG0 = new Uint16Array(stateCount);
  readonly #isRepG1 = new Uint16Array(stateCount);
  readonly #isRepG2 = new Uint16Array(stateCount);
  readonly #isRep0Long = new Uint16Array(stateCount * posStates);
  readonly #slots = new Uint16Array(4 * 64);
  readonly #special = new Uint16Array(128);
  readonly #align = new Uint16Array(16);
  readonly #length = new LengthCoder();
  readonly #repLength = new LengthCoder();
  #literals = new Uint16Array();
  #literalBits = 0;
  #literalMask = 0;
  #posMask = 0;
  #state = 0;
  #distances: [number, number, number, number] = [1, 1, 1, 1];

  constructor(output: Output) {
    this.#output = output;
  }

  setProperties(byte: number): void {
    const [lc, rest] = [byte % 9, Math.floor(byte / 9)];
    const [lp, pb] = [rest % 5, Math.floor(rest / 5)];
    if (pb > 4 || lc + lp > 4) throw new BadXz('the properties are invalid');
    this.#literalBits = lc;
    this.#literalMask = (1 << lp) - 1;
    this.#posMask = (1 << pb) - 1;
    this.#literals = new Uint16Array(0x300 << (lc + lp));
  }

  resetState(): void {
    this.#state = 0;
    this.#distances = [1, 1, 1, 1];
    const tables = [this.#isMatch, this.#isRep, this.#isRepG0, this.#isRepG1, this.#isRepG2, this.#isRep0Long];
    for (const table of [...tables, this.#slots, this.#special, this.#align, this.#literals]) table.fill(1024);
    this.#length.reset();
    this.#repLength.reset();
  }

  decode(chunk: Uint8Array, size: number): void {
    const output = this.#output;
    output.reserve(size);
    this.#range.begin(chunk);
    const end = output.size + size;
    while (output.size < end) {
      const posState = output.position & this.#posMask;
      if (this.#range.bit(this.#isMatch, this.#state * posStates + posState) === 0) this.#decodeLiteral();
      else {
        const count = this.#decodeMatch(posState);
        if (output.size + count > end) throw new BadXz('a match is too long');
        output.repeat(this.#distances[0], count);
      }
    }
  }

  #decodeLiteral(): void {
    const output = this.#output;
    const high = (output.position & this.#literalMask) << this.#literalBits;
    const offset = 0x300 * (high + (output.before(1) >>> (8 - this.#literalBits)));
    let symbol = 1;
    if (this.#state >= 7) {
      // After a match, the byte at the last distance predicts the literal until they differ.
      if (this.#distances[0] > output.position) throw new BadXz('a distance is invalid');
      let match = output.before(this.#distances[0]);
      while (symbol < 0x100) {
        const matchBit = (match >>> 7) & 1;
        match <<= 1;
        const bit = this.#range.bit(this.#literals, offset + ((1 + matchBit) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (bit !== matchBit) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#range.bit(this.#literals, offset + symbol);
    output.push(symbol & 0xff);
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  /** Returns the number of bytes to repeat from the first distance. */
  #decodeMatch(posState: number): number {
    const afterLiteral = this.#state < 7;
    if (this.#range.bit(this.#isRep, this.#state) === 1) return this.#decodeRepetition(posState, afterLiteral);
    const [first, second, third] = this.#distances;
    this.#state = afterLiteral ? 7 : 10;
    const count = this.#length.decode(this.#range, posState);
    this.#distances = [this.#decodeDistance(count) + 1, first, second, third];
    return count;
  }

  #decodeRepetition(posState: number, afterLiteral: boolean): number {
    const [first, second, third, fourth] = this.#distances;
    if (this.#range.bit(this.#isRepG0, this.#state) === 0) {
      if (this.#range.bit(this.#isRep0Long, this.#state * posStates + posState) === 0) {
        this.#state = afterLiteral ? 9 : 11;
        return 1;
      }
    } else if (this.#range.bit(this.#isRepG1, this.#state) === 0) this.#distances = [second, first, third, fourth];
    else if (this.#range.bit(this.#isRepG2, this.#state) === 0) this.#distances = [third, first, second, fourth];
    else this.#distances = [fourth, first, second, third];
    this.#state = afterLiteral ? 8 : 11;
    return this.#repLength.decode(this.#range, posState);
  }

  #decodeDistance(count: number): number {
    const slot = this.#range.tree(this.#slots, Math.min(count - 2, 3) * 64, 6);
    if (slot < 4) return slot;
    const bits = (slot >>> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return base + this.#range.reverseTree(this.#special, base - slot, bits);
    return base + this.#range.direct(bits - 4) * 16 + this.#range.reverseTree(this.#align, 0, 4);
  }
}
