import type { Migration } from '../platform/database/migrator.ts';
import type { SearchedTexts } from '../platform/database/search-schema.ts';

const searched: readonly SearchedTexts[] = [
  { table: 'users', columns: ['name', 'username'] },
  // full_name and full_path include the name and path of the group itself.
  { table: 'namespaces', columns: ['full_name', 'full_path'] },
  { table: 'projects', columns: ['name', 'path', 'description'] },
  { table: 'topics', columns: ['name', 'title'] },
  { table: 'labels', columns: ['title', 'description'] },
  { table: 'access_tokens', columns: ['name'] },
];

/** Full-text search indexes on names, titles and descriptions. */
export const search: Migration = {
  name: '0033-search',
  up: (dialect) => searched.flatMap((texts) => dialect.search(texts)),
};
