const [quote, backslash, open, close, openList, closeList, colon, comma] = Buffer.from('"\\{}[]:,');
const maxKeyLength = 16;
const maxNumberLength = 20;

/** Result of scanning a document. */
export type Scanned = { readonly serial: number } | { readonly problem: 'No serial in payload' | 'invalid JSON' };

/**
 * Extracts `serial` from a state while its bytes are streamed, because states can be tens of megabytes. Tracks strings
 * and brackets, so that neither a nested `serial` nor a truncated document is accepted.
 */
export class SerialScanner {
  #depth = 0;
  #inText = false;
  #escaped = false;
  #broken = false;
  #ended = false;
  /** The last string before a colon in the top-level object. */
  #text = '';
  #key = '';
  #value = '';
  #serial: number | undefined;

  take(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#inText) at = this.#takeText(chunk, at);
      else this.#takeStructure(chunk[at++] ?? 0);
    }
  }

  end(): Scanned {
    if (this.#broken || !this.#ended) return { problem: 'invalid JSON' };
    return this.#serial === undefined ? { problem: 'No serial in payload' } : { serial: this.#serial };
  }

  /** Strings make up most of a state, so this loop avoids a call per byte. Returns the index after the string. */
  #takeText(chunk: Uint8Array, from: number): number {
    let [at, escaped] = [from, this.#escaped];
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (escaped) escaped = false;
      else if (byte === backslash) escaped = true;
      else if (byte === quote) break;
    }
    this.#escaped = escaped;
    this.#inText = at === chunk.length;
    if (this.#depth === 1 && this.#text.length < maxKeyLength) {
      this.#text += String.fromCharCode(...chunk.subarray(from, Math.min(at, from + maxKeyLength)));
    }
    return at + 1;
  }

  #takeStructure(byte: number): void {
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) return;
    // The document must be a single object with nothing after it.
    if (this.#ended || (this.#depth === 0 && byte !== open)) this.#broken = true;
    else if (byte === quote) {
      this.#inText = true;
      this.#text = '';
    } else if (byte === open || byte === openList) this.#depth += 1;
    else if (byte === close || byte === closeList) this.#leave();
    else if (this.#depth === 1) this.#takeMember(byte);
  }

  #takeMember(byte: number): void {
    if (byte === colon) {
      this.#key = this.#text;
      this.#value = '';
    } else if (byte === comma) this.#closeMember();
    else if (this.#value.length < maxNumberLength) this.#value += String.fromCharCode(byte);
  }

  #closeMember(): void {
    const serial = /^\d+$/.test(this.#value) ? Number(this.#value) : Number.NaN;
    if (this.#key === 'serial' && Number.isSafeInteger(serial)) this.#serial = serial;
    this.#key = '';
    this.#value = '';
  }

  #leave(): void {
    if (this.#depth === 1) this.#closeMember();
    this.#depth -= 1;
    this.#ended = this.#depth === 0;
  }
}
