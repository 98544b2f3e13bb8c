import type { Services } from '../../access/services.ts';
import { indexNextPiece } from '../../platform/database/search-pieces.ts';

const minute = 60_000;

/** Pieces per run: at most several minutes of work; the next run continues. */
const maxPieces = 5000;

/** Indexes long texts for search in pieces. Until then each search compares them directly. */
export async function indexLongTexts({ db }: Services, signal?: AbortSignal): Promise<void> {
  for (let pieces = 0; pieces < maxPieces && !signal?.aborted; pieces += 1) {
    if (!(await indexNextPiece(db))) return;
  }
}

export function longTextJobs(services: Services): void {
  if (services.db.engine !== 'sqlite') return;
  services.queue.recurring('search.long-texts', { everyMs: minute }, ({ signal }) => indexLongTexts(services, signal));
}
