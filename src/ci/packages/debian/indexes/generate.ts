import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Services } from '../../../../access/services.ts';
import { lockRow } from '../../../../platform/database/locks.ts';
import { type Job, type JobPayloads, RunAgain } from '../../../../platform/queue/job.ts';
import { removeFilesSoon } from '../../removal.ts';
import { expectFile, forgetFiles } from '../../store.ts';
import type { DebianDistributionRow } from '../../tables.ts';
import { valuesOf } from '../distributions/service.ts';
import { distributionById, updateDistribution } from '../distributions/store.ts';
import { signRelease } from '../key.ts';
import { type BuiltIndex, buildIndex, withFolder } from './build.ts';
import { indexesOf } from './layout.ts';
import { releaseText } from './release.ts';
import * as store from './store.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const raceDelay = 100;

/** An index file of the new release. */
interface StoredIndex {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** Null for an empty file, and for one that is stored already. */
  readonly storage_key: string | null;
  /** Set if the former release has the same file. */
  readonly id: number | undefined;
}

/** Writes the indexes of a distribution and signs its release. */
export async function generateRelease(
  services: Services,
  job: Job<JobPayloads['packages.release-debian']>,
): Promise<void> {
  const row = await distributionById(services.db.read, job.payload.distributionId);
  if (!row) return;
  const indexes = await storeIndexes(services, row, job.signal);
  const values = valuesOf(row);
  const at = Date.now();
  const { valid_time_duration_seconds: seconds } = values;
  const valid_until = seconds === null ? null : at + seconds * 1000;
  const release_file = releaseText(row.codename, values, indexes, { at, validUntil: valid_until });
  const signatures = await signRelease(services.encryption, row, release_file);
  const release = { release_file, ...signatures, valid_until, released_revision: row.revision };
  await saveRelease(services, row, indexes, release);
}

/** Builds the indexes one after another, and stores those that have changed. */
async function storeIndexes(
  services: Services,
  row: DebianDistributionRow,
  signal: AbortSignal,
): Promise<StoredIndex[]> {
  const { read } = services.db;
  const sources = await store.sourcesOf(read, row, await store.visibilityOf(read, row));
  const before = new Map((await store.currentIndexes(read, row.id)).map((index) => [index.path, index]));
  const { components, architectures } = valuesOf(row);
  const indexes: StoredIndex[] = [];
  for (const scope of indexesOf(components, architectures)) {
    signal.throwIfAborted();
    await withFolder(services, async (folder) => {
      for (const built of await buildIndex(services, row, sources, scope, folder)) {
        const former = before.get(built.path);
        const { path, size, sha256 } = built;
        if (former?.sha256 === sha256) indexes.push({ ...{ path, size, sha256 }, storage_key: null, id: former.id });
        else
          indexes.push({
            ...{ path, size, sha256 },
            storage_key: await storeIndex(services, row, built),
            id: undefined,
          });
      }
    });
  }
  return indexes;
}

/** Stores a file, which is removed after a day unless its row is committed. */
async function storeIndex({ db, storage }: Services, { id }: DebianDistributionRow, built: BuiltIndex) {
  if (built.size === 0) return null;
  const key = `packages/debian/${id}/${randomBytes(16).toString('hex')}`;
  await db.write((trx) => expectFile(trx, key, Date.now() + day));
  await storage.put(key, createReadStream(built.file));
  return key;
}

/** Replaces the release, unless a job that began later has already done so. */
async function saveRelease(
  services: Services,
  { id: distribution_id, revision }: DebianDistributionRow,
  indexes: readonly StoredIndex[],
  release: Partial<DebianDistributionRow>,
): Promise<void> {
  const now = Date.now();
  await services.db.write(async (trx) => {
    const row = await lockRow(trx, 'debian_distributions', distribution_id);
    if (!row || Number(row.released_revision) > Number(revision)) return;
    const kept = new Set(indexes.map(({ id }) => id));
    const current = await store.currentIndexes(trx, distribution_id);
    const isCurrent = new Set(current.map(({ id }) => id));
    // Another job has replaced what this one compared with.
    if (indexes.some(({ id }) => id !== undefined && !isCurrent.has(id))) throw new RunAgain(raceDelay);
    const replaced = current.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
    await store.supersede(trx, replaced, now);
    const added = indexes.filter(({ id }) => id === undefined);
    await store.insertIndexes(
      trx,
      added.map(({ path, size, sha256, storage_key }) => ({
        ...{ distribution_id, path, size, sha256, storage_key },
        superseded_at: null,
      })),
    );
    const keys = added.flatMap(({ storage_key }) => storage_key ?? []);
    if (keys.length > 0) await forgetFiles(trx, keys);
    await store.deleteIndexes(trx, { distributionId: distribution_id, supersededBefore: now - hour });
    await updateDistribution(trx, distribution_id, release);
    await removeFilesSoon(services, trx);
  });
}
