const mask = Buffer.from('[MASKED]');

/**
 * Hides what must not be seen in a log, while it is written piece by piece: the end of a piece is held back for as long as
 * it could be the beginning of something hidden.
 */
export class Masking {
  readonly #hidden: readonly Buffer[];
  #held: Buffer = Buffer.alloc(0);

  constructor(values: readonly string[]) {
    // The longest first: one may be a part of another.
    this.#hidden = [...new Set(values)]
      .filter((value) => value !== '')
      .map((value) => Buffer.from(value))
      .sort((one, other) => other.length - one.length);
  }

  /** What of it can be shown now. */
  take(piece: Buffer): Buffer {
    const all = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    return this.#masked(all, false);
  }

  /** What was held back. */
  end(): Buffer {
    return this.#masked(this.#held, true);
  }

  #masked(all: Buffer, last: boolean): Buffer {
    const shown: Buffer[] = [];
    let from = 0;
    for (let at = 0; at < all.length; ) {
      const found = this.#hidden.find((value) => all.subarray(at, at + value.length).equals(value));
      if (found) {
        shown.push(all.subarray(from, at), mask);
        at += found.length;
        from = at;
      } else if (!last && this.#mayBegin(all.subarray(at))) {
        shown.push(all.subarray(from, at));
        this.#held = Buffer.from(all.subarray(at));
        return Buffer.concat(shown);
      } else at += this.#step(all, at + 1);
    }
    this.#held = Buffer.alloc(0);
    shown.push(all.subarray(from));
    return Buffer.concat(shown);
  }

  /** Whether something hidden begins with these bytes, and is longer. */
  #mayBegin(rest: Buffer): boolean {
    return this.#hidden.some((value) => value.length > rest.length && value.subarray(0, rest.length).equals(rest));
  }

  /** How far it is to the next byte with which something hidden begins. */
  #step(all: Buffer, from: number): number {
    let next = all.length;
    for (const value of this.#hidden) {
      const at = all.indexOf(value[0] as number, from);
      if (at >= 0 && at < next) next = at;
    }
    return next - from + 1;
  }
}
