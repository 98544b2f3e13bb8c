import type { Reader } from '../../../platform/database/database.ts';
import { contains } from '../../../platform/database/expressions.ts';
import { form } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import {
  type Searching,
  searchFor,
  searchIndex,
  searchLists,
  searchValues,
} from '../../../platform/database/search-index.ts';
import { shapedList } from '../../../platform/database/shaped.ts';
import type { TopicListParams } from './schema.ts';
import type { TopicRow } from './tables.ts';

type TopicFilter = Pick<TopicListParams, 'search' | 'without_projects'>;

const topicSearch = searchIndex({ table: 'topics', columns: ['name', 'title'] });

const filter = form<TopicFilter & Searching>()({ values: ['search', ...searchValues], lists: searchLists });

const topics = shapedList(filter, (db, { search, without_projects, ...ask }, engine) => {
  let query = topicSearch
    .narrow(db.selectFrom('topics'), 'topics.id', ask, engine)
    .selectAll('topics')
    .orderBy('total_projects_count', 'desc')
    .orderBy('topics.id');
  if (search) {
    query = query.where((eb) => eb.or([contains(eb.ref('name'), search), contains(eb.ref('title'), search)]));
  }
  return without_projects ? query.where('total_projects_count', '=', 0) : query;
});

/** Most used first. */
export function listTopics(
  db: Reader,
  { search, without_projects }: TopicFilter,
  slice: Slice,
): Promise<{ rows: TopicRow[]; total: number }> {
  const wanted = { search: search || undefined, without_projects, ...searchFor(search) };
  return topicSearch.page(topics, db, wanted, slice);
}
