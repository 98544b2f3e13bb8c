const mask = Buffer.from('[MASKED]');

/** Masks secrets in a log stream: the end of a chunk is held back as long as it could be the start of a secret. */
export class Masking {
  readonly #hidden: readonly Buffer[];
  #held: Buffer = Buffer.alloc(0);

  constructor(values: readonly string[]) {
    // Longest first, because one value may contain another.
    this.#hidden = [...new Set(values)]
      .filter((value) => value !== '')
      .map((value) => Buffer.from(value))
      .sort((one, other) => other.length - one.length);
  }

  /** Masks a chunk and returns the part that can be shown now. */
  take(piece: Buffer): Buffer {
    const all = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    return this.#masked(all, false);
  }

  /** Returns the part that was held back. */
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

  /** Whether these bytes are the incomplete start of a secret. */
  #mayBegin(rest: Buffer): boolean {
    return this.#hidden.some((value) => value.length > rest.length && value.subarray(0, rest.length).equals(rest));
  }

  /** Returns the distance to the next byte that starts a secret. */
  #step(all: Buffer, from: number): number {
    let next = all.length;
    for (const value of this.#hidden) {
      const at = all.indexOf(value[0] as number, from);
      if (at >= 0 && at < next) next = at;
    }
    return next - from + 1;
  }
}
