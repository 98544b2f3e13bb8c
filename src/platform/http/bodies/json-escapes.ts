const BACKSLASH = 0x5c;
const simple: Readonly<Record<string, number>> = { '"': 0x22, '\\': 0x5c, '/': 0x2f, b: 8, f: 12, n: 10, r: 13, t: 9 };

/** Decodes the inside of a JSON string, given in chunks, to bytes. */
export class Unescaper {
  #rest: Buffer = Buffer.alloc(0);
  #high = 0;

  take(piece: Buffer): Buffer {
    const input = this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : piece;
    this.#rest = Buffer.alloc(0);
    const out = Buffer.allocUnsafe(input.length + 6);
    let at = 0;
    let size = 0;
    while (at < input.length) {
      const slash = input.indexOf(BACKSLASH, at);
      const end = slash < 0 ? input.length : slash;
      if (end > at) {
        size += this.#lone(out, size);
        size += input.copy(out, size, at, end);
      }
      if (slash < 0) break;
      const length = input[slash + 1] === 0x75 ? 6 : 2;
      if (slash + length > input.length) {
        this.#rest = Buffer.from(input.subarray(slash));
        break;
      }
      size += this.#escape(input.toString('latin1', slash + 1, slash + length), out, size);
      at = slash + length;
    }
    return out.subarray(0, size);
  }

  /** What remains at the end: nothing, or a replacement for half a surrogate pair. */
  end(): Buffer {
    if (this.#rest.length > 0) throw new SyntaxError('a string ends inside an escape');
    const out = Buffer.alloc(3);
    return out.subarray(0, this.#lone(out, 0));
  }

  #escape(written: string, out: Buffer, at: number): number {
    if (written[0] !== 'u') {
      const byte = simple[written[0] as string];
      if (byte === undefined) throw new SyntaxError(`unknown escape \\${written}`);
      const before = this.#lone(out, at);
      out[at + before] = byte;
      return before + 1;
    }
    if (!/^u[0-9a-fA-F]{4}$/.test(written)) throw new SyntaxError(`unknown escape \\${written}`);
    return this.#codeUnit(Number.parseInt(written.slice(1), 16), out, at);
  }

  // Characters outside the BMP are two escapes; a lone surrogate has no UTF-8 encoding.
  #codeUnit(unit: number, out: Buffer, at: number): number {
    if (this.#high !== 0 && unit >= 0xdc00 && unit <= 0xdfff) {
      const point = 0x10000 + ((this.#high - 0xd800) << 10) + (unit - 0xdc00);
      this.#high = 0;
      return out.write(String.fromCodePoint(point), at);
    }
    const before = this.#lone(out, at);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      this.#high = unit;
      return before;
    }
    const shown = unit >= 0xdc00 && unit <= 0xdfff ? '\ufffd' : String.fromCharCode(unit);
    return before + out.write(shown, at + before);
  }

  #lone(out: Buffer, at: number): number {
    if (this.#high === 0) return 0;
    this.#high = 0;
    return out.write('\ufffd', at);
  }
}
