import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../access/services.ts';
import { archiveCache, ignoreMissingFile } from './cache.ts';

const hour = 60 * 60 * 1000;

/** Schedules the cleanup of cached archives and abandoned snapshots. */
export function archiveJobs(services: Services): void {
  const cache = archiveCache(services);
  services.queue.recurring('archives.clean', { everyMs: hour }, async () => {
    await cache.trim();
    await removeAbandoned(join(services.config.data, 'tmp', 'snapshots'));
  });
}

/** Removes snapshot folders left behind by a crash. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = (await readdir(folder).catch(ignoreMissingFile)) ?? [];
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(ignoreMissingFile);
    if (found && Date.now() - found.mtimeMs > 24 * hour) await rm(join(folder, name), { recursive: true, force: true });
  }
}
