import type { Migration } from '../platform/database/migrator.ts';
import type { SearchedTexts } from '../platform/database/search-schema.ts';

const searched: readonly SearchedTexts[] = [
  { table: 'users', columns: ['name', 'username'] },
  // The full ones hold the names and paths of the groups themselves.
  { table: 'namespaces', columns: ['full_name', 'full_path'] },
  { table: 'projects', columns: ['name', 'path', 'description'] },
  { table: 'topics', columns: ['name', 'title'] },
  { table: 'labels', columns: ['title', 'description'] },
  { table: 'access_tokens', columns: ['name'] },
];

/** Search indexes over what people look for by a part of its text. */
export const search: Migration = {
  name: '0033-search',
  up: (dialect) => searched.flatMap((texts) => dialect.search(texts)),
};
