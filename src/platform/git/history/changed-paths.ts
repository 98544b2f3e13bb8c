/** Bit positions of a path and its parent folders in a changed-path Bloom filter. */
export type BloomPositions = readonly (readonly [number, number])[];

/** Parameters of the Bloom filters of a commit-graph. */
export interface FilterForm {
  readonly hashes: number;
}

const SEEDS = [0x293ae76f, 0x7e646e2c] as const;

/**
 * Returns the filter positions of a path. Undefined for non-ASCII names: git versions disagree about their hashes, and
 * for a name that is not UTF-8 the bytes are not known here.
 */
export function bloomPositionsOf(path: string): BloomPositions | undefined {
  const names = path.split('/');
  const isAscii = Buffer.byteLength(path) === path.length;
  if (!isAscii || names.includes('')) return undefined;
  return names.map((_, at) => {
    const bytes = Buffer.from(names.slice(0, at + 1).join('/'), 'latin1');
    return [murmur3(bytes, SEEDS[0]), murmur3(bytes, SEEDS[1])] as const;
  });
}

/** Whether a filter matches a path. No match means that the path was certainly not changed; a match may be false. */
export function mayContainPath(filter: Uint8Array, marks: BloomPositions, { hashes }: FilterForm): boolean {
  const bits = filter.length * 8;
  for (const [first, second] of marks) {
    for (let turn = 0; turn < hashes; turn++) {
      const bit = ((first + Math.imul(turn, second)) >>> 0) % bits;
      if (((filter[bit >>> 3] ?? 0xff) & (1 << (bit & 7))) === 0) return false;
    }
  }
  return true;
}

/** 32-bit MurmurHash3, the hash function of git's filters. */
export function murmur3(bytes: Buffer, seed: number): number {
  let hash = seed | 0;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    hash ^= scrambled(bytes.readInt32LE(at));
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  if (whole < bytes.length) hash ^= scrambled(bytes.readUIntLE(whole, bytes.length - whole));
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function scrambled(block: number): number {
  const mixed = Math.imul(block, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}
