import { askFor } from '../content/public.ts';
import { type HostClient, RateLimited } from '../host-client/public.ts';
import { ImportFailed, type ImportRun } from '../project-imports/public.ts';
import { relationStates } from './source.ts';

/** What waits for the other server, and remembers that it does. */
export interface Asking extends Pick<ImportRun, 'signal' | 'cursor'> {
  advance(name: string, cursor: string): Promise<void>;
}

const hour = 60 * 60_000;
/** So long another server may take to make its files. */
const longestWait = 12 * hour;
const [soonest, latest] = [500, 10_000];

const begun = 0;
const finished = 1;

/**
 * Has the other server make files of a group or project, and says which of the relations there are. Until it is done,
 * nobody waits here: the import comes back to it.
 */
export async function awaitExport(
  run: Asking,
  client: HostClient,
  place: string,
  relations: readonly string[],
): Promise<ReadonlySet<string>> {
  if (run.cursor('asked') === undefined) {
    await client.post(`${place}/export_relations`, {}, { signal: run.signal });
    await run.advance('asked', String(Date.now()));
  }
  const { body } = await askFor(run, client, `${place}/export_relations/status`, relationStates);
  const states = new Map(body.map(({ relation, status }) => [relation, status]));
  const known = relations.filter((relation) => states.has(relation));
  if (known.length > 0 && !known.some((relation) => states.get(relation) === begun)) {
    return new Set(known.filter((relation) => states.get(relation) === finished));
  }
  const waited = Date.now() - Number(run.cursor('asked'));
  if (waited > longestWait) throw new ImportFailed('The other server does not come to an end with its files');
  throw new RateLimited(Math.min(Math.max(waited / 5, soonest), latest));
}

const mebibyte = 1024 * 1024;

/** The limits of a download. */
export function downloadLimits(mebibytes: number) {
  return { maxBytes: mebibytes === 0 ? 50 * 1024 * mebibyte : mebibytes * mebibyte, totalMs: 6 * hour };
}
