import type { Services } from '../../access/services.ts';
import { countEverything } from './store.ts';

/** How many there are of everything, as texts: the documents have them so. */
export async function getStatistics({ db }: Services): Promise<Record<string, string>> {
  const counts = Object.entries(await countEverything(db.read));
  return Object.fromEntries(counts.map(([name, count]) => [name, Number(count).toLocaleString('en-US')]));
}
