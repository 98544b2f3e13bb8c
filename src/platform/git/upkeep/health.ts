import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../missing.ts';
import type { Repository } from '../repository.ts';
import {
  type BitmapHealth,
  type GraphLayer,
  type MultiPackHealth,
  readBitmap,
  readGraphLayer,
  readMultiPack,
} from './health-files.ts';
import { filesOf, HealthTally } from './health-walk.ts';
import { FULL_REPACK_MARK } from './housekeeping-state.ts';

/** Storage details of a repository: sizes in bytes, times in milliseconds. */
export interface RepositoryHealth {
  readonly size: number;
  readonly references: { readonly looseCount: number; readonly packedSize: number };
  readonly objects: ObjectsHealth;
  readonly commitGraph: GraphLayer & { readonly chainLength: number };
  readonly bitmap: BitmapHealth | undefined;
  readonly multiPackIndex: MultiPackHealth | undefined;
  readonly multiPackIndexBitmap: BitmapHealth | undefined;
  readonly alternates: { readonly directories: readonly string[]; readonly modified: number } | undefined;
  readonly lastFullRepack: number | undefined;
}

export interface ObjectsHealth {
  readonly size: number;
  /** Excludes unreachable objects. */
  readonly recentSize: number;
  readonly staleSize: number;
  readonly keepSize: number;
  readonly packfileCount: number;
  readonly reverseIndexCount: number;
  readonly cruftCount: number;
  readonly keepCount: number;
  readonly looseCount: number;
  readonly staleLooseCount: number;
  readonly looseGarbageCount: number;
}

/** A loose object older than this was left out of every repack, so it is unreachable. */
const STALE_MS = 14 * 24 * 60 * 60_000;

/** Examines all files of a repository, which takes a while for a large one; it may be in use meanwhile. */
export async function repositoryHealth(
  repo: Repository,
  { now = Date.now(), signal }: { readonly now?: number; readonly signal?: AbortSignal } = {},
): Promise<RepositoryHealth> {
  const tally = new HealthTally(now - STALE_MS);
  for await (const file of filesOf(repo, '', signal)) tally.add(file);
  const packFolder = join(repo.path, 'objects', 'pack');
  const [bitmapped] = tally.with('bitmap');
  return {
    size: tally.size,
    references: { looseCount: tally.refs.loose, packedSize: tally.refs.packedBytes },
    objects: objectsOf(tally),
    commitGraph: await commitGraphOf(repo),
    bitmap: bitmapped === undefined ? undefined : await readBitmap(join(packFolder, `${bitmapped}.bitmap`)),
    multiPackIndex: await readMultiPack(join(packFolder, 'multi-pack-index')),
    multiPackIndexBitmap: await multiPackBitmapOf(packFolder),
    alternates: await alternatesOf(repo),
    lastFullRepack: await changed(join(repo.path, FULL_REPACK_MARK)),
  };
}

function objectsOf(tally: HealthTally): ObjectsHealth {
  const { packs, loose } = tally;
  const cruft = tally.with('mtimes');
  const keep = tally.with('keep');
  const size = tally.bytesOf([...packs.keys()]) + loose.bytes;
  const staleSize = tally.bytesOf(cruft) + loose.staleBytes;
  return {
    size,
    recentSize: size - staleSize,
    staleSize,
    keepSize: tally.bytesOf(keep),
    packfileCount: packs.size,
    reverseIndexCount: tally.with('rev').length,
    cruftCount: cruft.length,
    keepCount: keep.length,
    looseCount: loose.count,
    staleLooseCount: loose.stale,
    looseGarbageCount: loose.garbage,
  };
}

async function commitGraphOf(repo: Repository): Promise<RepositoryHealth['commitGraph']> {
  const info = join(repo.path, 'objects', 'info');
  const chain = (await textOf(join(info, 'commit-graphs', 'commit-graph-chain')))?.split('\n').filter(Boolean) ?? [];
  const single = await readGraphLayer(join(info, 'commit-graph'));
  const files = chain.map((hash) => readGraphLayer(join(info, 'commit-graphs', `graph-${hash}.graph`)));
  const layers = single ? [single] : (await Promise.all(files)).filter((layer) => layer !== undefined);
  const all = (name: keyof GraphLayer) => layers.length > 0 && layers.every((layer) => layer[name]);
  return {
    chainLength: chain.length,
    hasBloomFilters: all('hasBloomFilters'),
    hasGenerationData: all('hasGenerationData'),
    hasGenerationDataOverflow: layers.some((layer) => layer.hasGenerationDataOverflow),
  };
}

async function multiPackBitmapOf(folder: string): Promise<BitmapHealth | undefined> {
  const name = (await readdir(folder).catch(ifMissing))?.find((each) =>
    /^multi-pack-index-[0-9a-f]+\.bitmap$/.test(each),
  );
  return name === undefined ? undefined : readBitmap(join(folder, name));
}

async function alternatesOf(repo: Repository): Promise<RepositoryHealth['alternates']> {
  const path = join(repo.path, 'objects', 'info', 'alternates');
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const directories = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { directories, modified: (await changed(path)) ?? 0 };
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(ifMissing);
}

async function changed(path: string): Promise<number | undefined> {
  return (await stat(path).catch(ifMissing))?.mtimeMs;
}
