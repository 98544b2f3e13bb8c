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
    for (const byte of chunk) {
      if (this.#inText) this.#takeText(byte);
      else this.#takeStructure(byte);
    }
  }

  end(): Scanned {
    if (this.#broken || !this.#ended) return { problem: 'invalid JSON' };
    return this.#serial === undefined ? { problem: 'No serial in payload' } : { serial: this.#serial };
  }

  #takeText(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) this.#inText = false;
    else if (this.#depth === 1 && this.#text.length < longestKey) this.#text += String.fromCharCode(byte);
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
