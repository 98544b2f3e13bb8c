const [quote, backslash, open, close, openList, closeList, colon, comma] = Buffer.from('"\\{}[]:,');
const longestKey = 16;
const longestNumber = 20;

/** What a document turned out to be. */
export type Scanned = { readonly serial: number } | { readonly problem: 'No serial in payload' | 'invalid JSON' };

/**
 * Finds the `serial` of a state as its bytes pass: a state may have tens of megabytes, of which this is all that matters here.
 * Texts and brackets are followed, so that neither a `serial` within a resource nor a document that was cut off is taken for it.
 */
export class SerialScanner {
  #depth = 0;
  #inText = false;
  #escaped = false;
  #broken = false;
  #ended = false;
  /** The text before the colon, in the outermost object. */
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

  /** Texts are most of a state: nothing is called for each of their bytes. Tells where the next one begins. */
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
    if (this.#depth === 1 && this.#text.length < longestKey) {
      this.#text += String.fromCharCode(...chunk.subarray(from, Math.min(at, from + longestKey)));
    }
    return at + 1;
  }

  #takeStructure(byte: number): void {
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) return;
    // Nothing follows the document, and it is an object.
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
    else if (this.#value.length < longestNumber) this.#value += String.fromCharCode(byte);
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
