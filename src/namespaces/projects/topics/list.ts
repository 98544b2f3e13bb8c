import { sql } from 'kysely';
import type { Reader } from '../../../platform/database/database.ts';
import { boundProperties } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { SearchIndex } from '../../../platform/database/search-index.ts';
import { whenTrue } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn } from '../../../platform/list-kit/order.ts';
import { searchFilters } from '../../../platform/list-kit/searching.ts';
import { storedCount } from '../../../platform/list-kit/stored-count.ts';
import type { TopicListParams } from './schema.ts';
import type { TopicRow } from './tables.ts';

const { search } = searchFilters({
  index: new SearchIndex({ table: 'topics', columns: ['name', 'title'] }),
  columns: { name: 'topics.name', title: 'topics.title' },
});

const topics = list({
  id: 'topics.id',
  scope: boundProperties()({}),
  filters: { search, without_projects: whenTrue(sql`topics.total_projects_count = 0`) },
  orders: { uses: byColumn('topics.total_projects_count', 'integer', 'asc') },
  kept: () => storedCount('topics'),
  select: (db) => db.selectFrom('topics').selectAll('topics'),
});

/** Lists topics, most used first. */
export function listTopics(
  db: Reader,
  { search: text, without_projects }: Pick<TopicListParams, 'search' | 'without_projects'>,
  slice: Slice,
): Promise<{ rows: TopicRow[]; total: number }> {
  return topics.page(db, {}, { search: text, without_projects }, { by: 'uses', direction: 'desc' }, slice);
}
