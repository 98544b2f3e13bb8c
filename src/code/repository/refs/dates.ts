import { hash } from 'node:crypto';
import type { Objects } from '../../../platform/git/objects/objects.ts';
import { run } from '../../../platform/git/process/command.ts';
import type { NamedRef } from './named-refs.ts';
import { peelTag } from './peel-tag.ts';

// With more refs than this, one git process is faster than reading each object, and does not fill the cache.
const MANY = 300;

/** Returns the dates of refs in Unix seconds by object ID: the tagger date, or else the committer date. */
export function refDates(
  objects: Objects,
  prefix: string,
  refs: readonly NamedRef[],
): Promise<ReadonlyMap<string, number>> {
  const oids = refs.map((ref) => ref.oid);
  const key = hash('sha1', oids.join(''));
  const bytes = (dates: ReadonlyMap<string, number>) => dates.size * 120;
  return objects.derived<ReadonlyMap<string, number>>('ref-dates', key, bytes, async () => {
    const dates = oids.length > MANY ? await listedDates(objects, prefix) : new Map<string, number>();
    // Refs updated since they were listed are missing from the output.
    for (const oid of oids) if (!dates.has(oid)) dates.set(oid, await dateOf(objects, oid));
    return dates;
  });
}

/** Sorts refs by date, then by name. */
export async function byDate<R extends NamedRef>(
  objects: Objects,
  prefix: string,
  refs: readonly R[],
  direction: 'asc' | 'desc',
): Promise<R[]> {
  const dates = await refDates(objects, prefix, refs);
  const sign = direction === 'asc' ? 1 : -1;
  // The refs are sorted by name, and the sort is stable.
  return refs.toSorted((a, b) => sign * ((dates.get(a.oid) ?? 0) - (dates.get(b.oid) ?? 0)));
}

async function listedDates(objects: Objects, prefix: string): Promise<Map<string, number>> {
  const command = {
    name: 'for-each-ref',
    flags: ['--format=%(objectname) %(creatordate:unix)'],
    args: [prefix],
  } as const;
  const { stdout } = await run(objects.repo, command);
  const dates = new Map<string, number>();
  for (const line of stdout.toString('latin1').split('\n')) {
    const [oid, seconds] = line.split(' ');
    if (oid && seconds) dates.set(oid, Number(seconds));
  }
  return dates;
}

async function dateOf(objects: Objects, oid: string): Promise<number> {
  const { tag, commit } = await peelTag(objects, oid);
  return tag?.tagger?.seconds ?? commit?.committer.seconds ?? 0;
}
