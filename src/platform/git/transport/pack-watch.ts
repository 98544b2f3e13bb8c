const packfile = Buffer.from('packfile\n');
const longest = 4 + packfile.length;
const hex = /^[0-9a-f]{4}$/i;

/**
 * Notices where the objects begin in what `upload-pack` says: the client fetches, rather than asks which refs there
 * are. Only the head of each line is looked at, and nothing is kept of it but a line's beginning that a chunk cuts.
 */
export class PackWatch {
  #kept: Buffer = Buffer.alloc(0);
  #skip = 0;
  #over = false;

  /** Takes the next bytes; true once, for those in which the objects begin. */
  see(chunk: Buffer): boolean {
    if (this.#over) return false;
    if (this.#skip >= chunk.length) {
      this.#skip -= chunk.length;
      return false;
    }
    const fresh = chunk.subarray(this.#skip);
    const bytes = this.#kept.length === 0 ? fresh : Buffer.concat([this.#kept, fresh]);
    const { found, end } = scan(bytes);
    this.#over = found || end === undefined;
    this.#skip = Math.max(0, (end ?? 0) - bytes.length);
    // A copy: what is left of a line must not keep the whole chunk.
    this.#kept = Buffer.from(bytes.subarray(end ?? bytes.length));
    return found;
  }
}

/** Walks over whole lines; `end` is where the next one begins, perhaps beyond the bytes, or undefined after the last. */
function scan(bytes: Buffer): { found: boolean; end: number | undefined } {
  let at = 0;
  while (bytes.length - at >= 4) {
    const head = bytes.toString('latin1', at, at + 4);
    // Clients without side bands get the bare pack after the last line.
    if (!hex.test(head)) return { found: head === 'PACK', end: undefined };
    const size = Number.parseInt(head, 16);
    if (size > 4 && bytes.length - at < Math.min(size, longest)) break;
    if (size > 4 && beginsPack(bytes.subarray(at + 4, at + size))) return { found: true, end: undefined };
    // Flush and delimiter are only a head, whatever number stands in it.
    at += Math.max(size, 4);
  }
  return { found: false, end: at };
}

/** The section of protocol 2, or the first line of band 1 of those before it. */
function beginsPack(line: Buffer): boolean {
  return line[0] === 1 || line.equals(packfile);
}
