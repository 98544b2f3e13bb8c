import type { Migration } from '../platform/database/migrator.ts';
import { people } from './0001-people.ts';
import { places } from './0002-places.ts';
import { labels } from './0003-labels.ts';

/** Every migration, in the order in which they run. */
export const migrations: readonly Migration[] = [people, places, labels];
