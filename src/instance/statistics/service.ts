import type { Services } from '../../access/services.ts';
import { countEverything } from './store.ts';

/** Returns the number of records of each kind as formatted strings, as documented. */
export async function getStatistics({ db }: Services): Promise<Record<string, string>> {
  const counts = Object.entries(await countEverything(db.read));
  return Object.fromEntries(counts.map(([name, count]) => [name, Number(count).toLocaleString('en-US')]));
}
