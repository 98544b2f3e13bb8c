import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../missing.ts';
import type { Objects } from '../objects/objects.ts';
import type { BloomPositions } from './changed-paths.ts';
import { GraphLayer } from './graph-layer.ts';

// About a hundred thousand commits. The layers of a longer history would not fit the cache and are left to git.
const MAX_BYTES = 7 * 1024 * 1024;

/**
 * Commits recorded in the commit-graph by housekeeping, read without a git process. Commits written since then are
 * missing.
 */
export class CommitGraph {
  /** Number of commits. */
  readonly size: number;
  readonly #layers: readonly { readonly first: number; readonly layer: GraphLayer }[];

  constructor(layers: readonly GraphLayer[]) {
    let size = 0;
    this.#layers = layers.map((layer) => {
      size += layer.count;
      return { first: size - layer.count, layer };
    });
    this.size = size;
  }

  /** Returns the position of a commit; undefined when it is not in the graph. */
  placeOf(id: string): number | undefined {
    const bytes = Buffer.from(id, 'hex');
    for (const { first, layer } of this.#layers) {
      const place = layer.placeOf(bytes);
      if (place >= 0) return first + place;
    }
    return undefined;
  }

  idAt(place: number): string {
    return this.#at(place, (layer, own) => layer.idAt(own));
  }

  treeAt(place: number): string {
    return this.#at(place, (layer, own) => layer.treeAt(own));
  }

  parentsAt(place: number): number[] {
    return this.#at(place, (layer, own) => layer.parentsAt(own));
  }

  mayChange(place: number, marks: BloomPositions): boolean {
    return this.#at(place, (layer, own) => layer.mayChange(own, marks));
  }

  #at<T>(place: number, read: (layer: GraphLayer, place: number) => T): T {
    const found = this.#layers.findLast(({ first }) => first <= place);
    if (!found || place >= this.size) throw new RangeError(`the commit-graph has no place ${place}`);
    return read(found.layer, place - found.first);
  }
}

/** Returns the current commit-graph of a repository; null when it is missing or not readable here. */
export async function commitGraphOf(objects: Objects): Promise<CommitGraph | null> {
  const folder = join(objects.repo.path, 'objects', 'info', 'commit-graphs');
  const chain = await readFile(join(folder, 'commit-graph-chain'), 'latin1').catch(ifMissing);
  if (!chain) return null;
  const names = chain.split('\n').filter((line) => /^[0-9a-f]{40}$/.test(line));
  const layers = await Promise.all(names.map((name) => layerOf(objects, folder, name)));
  return layers.includes(null) ? null : new CommitGraph(layers.filter((layer) => layer !== null));
}

/** A layer is named after its content, so it is read only once. */
function layerOf(objects: Objects, folder: string, name: string): Promise<GraphLayer | null> {
  const bytes = (layer: GraphLayer | null) => layer?.bytes ?? 0;
  return objects.derived('commit-graph', name, bytes, async () => {
    const path = join(folder, `graph-${name}.graph`);
    const size = (await stat(path).catch(ifMissing))?.size ?? 0;
    const file = size === 0 || size > MAX_BYTES ? undefined : await readFile(path).catch(ifMissing);
    return file ? layerIn(file) : null;
  });
}

function layerIn(file: Buffer): GraphLayer | null {
  try {
    return new GraphLayer(file);
  } catch {
    // Unknown version or damaged: git decides and reports the error.
    return null;
  }
}
