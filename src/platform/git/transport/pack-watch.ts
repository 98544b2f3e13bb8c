const packfile = Buffer.from('packfile\n');
const longest = 4 + packfile.length;
const hex = /^[0-9a-f]{4}$/i;

/**
 * Detects where the objects start in the output of `upload-pack`, which means that the client fetches rather than lists
 * refs. Only the start of each line is examined, and only a line start split between chunks is buffered.
 */
export class PackWatch {
  #partial: Buffer = Buffer.alloc(0);
  #skip = 0;
  #over = false;

  /** Examines the next bytes; returns true once, for the chunk in which the objects start. */
  push(chunk: Buffer): boolean {
    if (this.#over) return false;
    if (this.#skip >= chunk.length) {
      this.#skip -= chunk.length;
      return false;
    }
    const fresh = chunk.subarray(this.#skip);
    const bytes = this.#partial.length === 0 ? fresh : Buffer.concat([this.#partial, fresh]);
    const { found, end } = scan(bytes);
    this.#over = found || end === undefined;
    this.#skip = Math.max(0, (end ?? 0) - bytes.length);
    // Copied, so that the rest of a line does not retain the whole chunk.
    this.#partial = Buffer.from(bytes.subarray(end ?? bytes.length));
    return found;
  }
}

/**
 * Skips complete lines; `end` is the start of the next line, possibly beyond the bytes, or undefined after the last
 * line.
 */
function scan(bytes: Buffer): { found: boolean; end: number | undefined } {
  let at = 0;
  while (bytes.length - at >= 4) {
    const head = bytes.toString('latin1', at, at + 4);
    // Clients without side-band get the bare pack after the last line.
    if (!hex.test(head)) return { found: head === 'PACK', end: undefined };
    const size = Number.parseInt(head, 16);
    if (size > 4 && bytes.length - at < Math.min(size, longest)) break;
    if (size > 4 && beginsPack(bytes.subarray(at + 4, at + size))) return { found: true, end: undefined };
    // Flush and delimiter packets consist of the length only.
    at += Math.max(size, 4);
  }
  return { found: false, end: at };
}

/** The packfile section of protocol 2, or the first line on band 1 in older protocols. */
function beginsPack(line: Buffer): boolean {
  return line[0] === 1 || line.equals(packfile);
}
