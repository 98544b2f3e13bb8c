import { requestOrFail } from '../content/public.ts';
import { type HostClient, RateLimited } from '../host-client/public.ts';
import { ImportFailed, type ImportRun } from '../project-imports/public.ts';
import { relationStates } from './source.ts';

/** An import that waits for exports of the source server and stores its progress. */
export interface ExportWaiter extends Pick<ImportRun, 'signal' | 'cursor'> {
  advance(name: string, cursor: string): Promise<void>;
}

const hour = 60 * 60_000;
/** Maximum time for the source server to create its export files. */
const maxWait = 12 * hour;
const [minDelay, maxDelay] = [500, 10_000];

const startedStatus = 0;
const finishedStatus = 1;

/**
 * Starts an export of a group or project on the source server and returns which relations it exported, and whether that
 * succeeded. While the export is running, the import is rescheduled instead of blocking a worker.
 */
export async function awaitExport(
  run: ExportWaiter,
  client: HostClient,
  place: string,
  relations: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  if (run.cursor('asked') === undefined) {
    await client.post(`${place}/export_relations`, {}, { signal: run.signal });
    await run.advance('asked', String(Date.now()));
  }
  const { body } = await requestOrFail(run, client, `${place}/export_relations/status`, relationStates);
  const states = new Map(body.map(({ relation, status }) => [relation, status]));
  const known = relations.filter((relation) => states.has(relation));
  if (known.length > 0 && !known.some((relation) => states.get(relation) === startedStatus)) {
    return new Map(known.map((relation) => [relation, states.get(relation) === finishedStatus]));
  }
  const waited = Date.now() - Number(run.cursor('asked'));
  if (waited > maxWait) throw new ImportFailed('The source server did not finish its export in time');
  throw new RateLimited(Math.min(Math.max(waited / 5, minDelay), maxDelay));
}

const mebibyte = 1024 * 1024;

/** Limits of a download. */
export function downloadLimits(mebibytes: number) {
  return { maxBytes: mebibytes === 0 ? 50 * 1024 * mebibyte : mebibytes * mebibyte, totalMs: 6 * hour };
}
