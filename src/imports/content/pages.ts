import { hash } from 'node:crypto';
import { ImportFailed, type ImportRun } from '../project-imports/public.ts';

/** A page of a list on the source host. */
export interface SourcePage<T> {
  readonly records: readonly T[];
  /** Location of the next page; undefined after the last one. */
  readonly next: string | undefined;
}

/** A paginated list. */
export interface PagedList<T> {
  /** Location of the first page. */
  readonly first: string;
  /** Name of the cursor that stores the progress. Short lists without a name restart from the beginning. */
  readonly name?: string;
  ask(place: string): Promise<SourcePage<T>>;
}

const over = 'over';
/** More pages than the largest repositories have. A host that exceeds this sends endless pages. */
const maxPages = 50_000;
const maxPlaceLength = 8192;

/** Iterates over pages, starting at the saved cursor. Completely processed pages are not requested again. */
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
  if (walked >= maxPages) throw new ImportFailed(`A list of the source host has more than ${maxPages} pages`);
  if (place.length > maxPlaceLength) throw new ImportFailed('The other host names a page by too long an address');
  const mark = hash('sha1', place, 'base64');
  if (seen.has(mark)) throw new ImportFailed('The other host names a page as the next one that was there before');
  seen.add(mark);
}
