import type { Services } from '../../access/services.ts';
import { indexNextPiece } from '../../platform/database/search-pieces.ts';

const minute = 60_000;

/** Pieces of texts a run: several minutes of work at most, which the next one goes on with. */
const maxPieces = 5000;

/** Puts long texts into the search indexes, a piece at a time. Until then each search compares them. */
export async function indexLongTexts({ db }: Services, signal?: AbortSignal): Promise<void> {
  for (let pieces = 0; pieces < maxPieces && !signal?.aborted; pieces += 1) {
    if (!(await indexNextPiece(db))) return;
  }
}

export function longTextJobs(services: Services): void {
  if (services.db.engine !== 'sqlite') return;
  services.queue.recurring('search.long-texts', { everyMs: minute }, ({ signal }) => indexLongTexts(services, signal));
}
