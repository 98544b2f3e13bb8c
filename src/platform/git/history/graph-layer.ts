import { type BloomPositions, mayContainPath } from './changed-paths.ts';

const ID = 20;
const RECORD = ID + 16;
const NO_PARENT = 0x70000000;
const LAST = 0x80000000;
const NUMBER = LAST - 1;

/** One file of a commit-graph: commits sorted by id, with trees, parents and changed-path filters. */
export class GraphLayer {
  readonly count: number;
  readonly bytes: number;
  readonly #ids: Buffer;
  readonly #records: Buffer;
  readonly #furtherParents: Buffer;
  readonly #filterEnds: Buffer;
  readonly #filters: Buffer;
  readonly #form: { readonly hashes: number };

  /** Parses a file; throws when the format is not supported. */
  constructor(file: Buffer) {
    const known = file.toString('latin1', 0, 4) === 'CGPH' && file[4] === 1 && file[5] === 1;
    const chunks = known ? chunksOf(file) : new Map<string, Buffer>();
    const chunk = (name: string) => chunks.get(name) ?? Buffer.alloc(0);
    this.#ids = chunk('OIDL');
    this.count = this.#ids.length / ID;
    this.bytes = file.length;
    this.#records = chunk('CDAT');
    this.#furtherParents = chunk('EDGE');
    this.#filterEnds = chunk('BIDX');
    const filters = chunk('BDAT');
    this.#form = { hashes: filters.length < 12 ? 0 : filters.readUInt32BE(4) };
    this.#filters = filters.subarray(12);
    if (this.count === 0 || this.#records.length !== this.count * RECORD)
      throw new Error('not a supported commit-graph layer');
  }

  /** Returns the position of a commit in this layer; -1 when it is missing. */
  placeOf(id: Buffer): number {
    let low = 0;
    let high = this.count - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const order = this.#ids.compare(id, 0, ID, middle * ID, middle * ID + ID);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  idAt(place: number): string {
    return this.#ids.toString('hex', place * ID, place * ID + ID);
  }

  treeAt(place: number): string {
    return this.#records.toString('hex', place * RECORD, place * RECORD + ID);
  }

  /** Returns the parents of a commit as positions in the whole graph. */
  parentsAt(place: number): number[] {
    const at = place * RECORD + ID;
    const first = this.#records.readUInt32BE(at);
    const second = this.#records.readUInt32BE(at + 4);
    if (first === NO_PARENT) return [];
    if (second === NO_PARENT) return [first];
    return second < LAST ? [first, second] : [first, ...this.#parentsFrom(second & NUMBER)];
  }

  #parentsFrom(index: number): number[] {
    const found: number[] = [];
    for (let at = index * 4; at + 4 <= this.#furtherParents.length; at += 4) {
      const value = this.#furtherParents.readUInt32BE(at);
      found.push(value & NUMBER);
      if (value >= LAST) break;
    }
    return found;
  }

  /** Whether a commit may have changed a path compared to its first parent; true when there is no filter. */
  mayChange(place: number, marks: BloomPositions): boolean {
    if (this.#filterEnds.length !== this.count * 4 || this.#form.hashes === 0) return true;
    const start = place === 0 ? 0 : this.#filterEnds.readUInt32BE(place * 4 - 4);
    const end = this.#filterEnds.readUInt32BE(place * 4);
    return (
      end <= start ||
      end > this.#filters.length ||
      mayContainPath(this.#filters.subarray(start, end), marks, this.#form)
    );
  }
}

/** Returns the chunks of the file by the names in its table of contents. */
function chunksOf(file: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  const count = file[6] ?? 0;
  for (let at = 8; at < 8 + 12 * count; at += 12) {
    const [start, end] = [file.readBigUInt64BE(at + 4), file.readBigUInt64BE(at + 16)];
    chunks.set(file.toString('latin1', at, at + 4), file.subarray(Number(start), Number(end)));
  }
  return chunks;
}
