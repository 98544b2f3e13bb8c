import { hash } from 'node:crypto';
import { ImportFailed, type ImportRun } from '../project-imports/public.ts';

/** One page of a list of another host. */
export interface SourcePage<T> {
  readonly records: readonly T[];
  /** Where the next one is; undefined after the last. */
  readonly next: string | undefined;
}

/** A list to walk through. */
export interface PagedList<T> {
  /** Where its first page is. */
  readonly first: string;
  /** To remember by how far it was walked; short lists are walked again from their beginning. */
  readonly name?: string;
  ask(place: string): Promise<SourcePage<T>>;
}

const over = 'over';
/** Far more than the largest repositories have; a host that goes on after that will never come to an end. */
const maxPages = 50_000;
const longestPlace = 8192;

/** The pages of a list, from where the import left off. A page that was handled whole is not asked for again. */
export async function* walkPages<T>(
  run: ImportRun,
  { first, name, ask }: PagedList<T>,
): AsyncGenerator<readonly T[], void> {
  const counted = `${name} pages`;
  const seen = new Set<string>();
  let walked = name === undefined ? 0 : Number(run.cursor(counted) ?? 0);
  for (let place = (name && run.cursor(name)) ?? first; place !== over; ) {
    checkPlace(place, seen, walked);
    const { records, next } = await ask(place);
    yield records;
    place = next ?? over;
    walked += 1;
    if (name !== undefined) await run.advance(name, place, { [counted]: String(walked) });
  }
}

function checkPlace(place: string, seen: Set<string>, walked: number): void {
  if (walked >= maxPages) throw new ImportFailed(`A list of the other host has more than ${maxPages} pages`);
  if (place.length > longestPlace) throw new ImportFailed('The other host names a page by too long an address');
  const mark = hash('sha1', place, 'base64');
  if (seen.has(mark)) throw new ImportFailed('The other host names a page as the next one that was there before');
  seen.add(mark);
}
