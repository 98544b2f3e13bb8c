const LF = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Extracts one response from the output of a long-lived process: after a known first line, up to a marker. */
export class MarkedOutput {
  readonly #first: string;
  readonly #end: Buffer;
  #rest: Buffer = NOTHING;
  #headed = false;
  #begun = false;

  /** The marker is on a separate line and never occurs as a line of a response. */
  constructor(first: string, mark: string) {
    this.#first = first;
    this.#end = Buffer.from(`\n${mark}\n`, 'latin1');
  }

  /**
   * Takes the next chunk; returns what certainly belongs to the response, and whether it is complete. Throws on an
   * unexpected first line.
   */
  push(piece: Buffer): { readonly bytes: Buffer; readonly done: boolean } {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : piece;
    if (!this.#headed) {
      const line = bytes.indexOf(LF);
      if (line < 0) {
        this.#rest = bytes;
        return { bytes: NOTHING, done: false };
      }
      if (bytes.toString('latin1', 0, line) !== this.#first) throw new Error('response does not match the request');
      this.#headed = true;
      // Keeps the line end: a response may consist of the marker only.
      bytes = bytes.subarray(line);
    }
    const at = bytes.indexOf(this.#end);
    const certain = at >= 0 ? at + 1 : Math.max(0, bytes.length - this.#end.length + 1);
    this.#rest = bytes.subarray(certain);
    if (certain === 0) return { bytes: NOTHING, done: false };
    const answer = bytes.subarray(this.#begun ? 0 : 1, certain);
    this.#begun = true;
    return { bytes: answer, done: at >= 0 };
  }
}
