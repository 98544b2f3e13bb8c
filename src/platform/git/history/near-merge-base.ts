import type { Objects } from '../objects/objects.ts';
import { CommitQueue } from './commit-queue.ts';
import type { Fetch } from './walk.ts';

/** Number of commits read before the question is left to git. */
const BUDGET = 1000;

class TooFar extends Error {}

/**
 * Returns the best common ancestor of two commits, read through the object cache; null for unrelated histories,
 * undefined when it is too far away or not unique, in which case git has to be asked.
 */
export function nearMergeBase(objects: Objects, one: string, two: string): Promise<string | null | undefined> {
  return objects.derived(
    'near-merge-base',
    `${one} ${two}`,
    () => 100,
    () => findNear(objects, one, two),
  );
}

async function findNear(objects: Objects, one: string, two: string): Promise<string | null | undefined> {
  let left = BUDGET;
  const fetch: Fetch = async (oid) => {
    if (left-- <= 0) throw new TooFar();
    const commit = await objects.commit(oid);
    if (!commit) throw new TooFar();
    return commit;
  };
  try {
    const bases = await mergeBases(fetch, one, two);
    return bases.length > 1 ? undefined : (bases[0] ?? null);
  } catch (error) {
    if (error instanceof TooFar) return undefined;
    throw error;
  }
}

const ONE = 1;
const TWO = 2;
const BOTH = ONE | TWO;
/** A proper ancestor of a common ancestor: common as well, but not a best one. */
const STALE = 4;

/** git's algorithm: colours both histories, newest first, until every queued commit is an ancestor of a common one. */
async function mergeBases(fetch: Fetch, one: string, two: string): Promise<string[]> {
  if (one === two) return [one];
  const paint = new Map<string, number>([
    [one, ONE],
    [two, TWO],
  ]);
  const queue = new CommitQueue();
  for (const commit of await Promise.all([fetch(one), fetch(two)])) queue.push(commit);
  const stale = (oid: string) => ((paint.get(oid) ?? 0) & STALE) !== 0;
  const found = new Set<string>();
  while (!queue.every((commit) => stale(commit.oid))) {
    const commit = queue.pop();
    if (!commit) break;
    let colours = paint.get(commit.oid) ?? 0;
    if (colours === BOTH) {
      found.add(commit.oid);
      colours |= STALE;
    }
    const parents = commit.parents.filter((oid) => ((paint.get(oid) ?? 0) & colours) !== colours);
    for (const oid of parents) paint.set(oid, (paint.get(oid) ?? 0) | colours);
    for (const parent of await Promise.all(parents.map(fetch))) queue.push(parent);
  }
  return [...found].filter((oid) => !stale(oid));
}
