import type { Services } from '../../access/services.ts';
import { countEverything } from './store.ts';

const written = new Intl.NumberFormat('en-US');

/** How many there are of everything, as texts: the documents have them so. */
export async function getStatistics({ db }: Services): Promise<Record<string, string>> {
  const counts = Object.entries(await countEverything(db.read));
  return Object.fromEntries(counts.map(([name, count]) => [name, written.format(Number(count))]));
}
