import { SearchIndex } from '../platform/database/search-index.ts';

/** Searches users by parts of their name or user name. */
export const userSearch = new SearchIndex({ table: 'users', columns: ['name', 'username'] });

/** Searches groups and personal namespaces by parts of their full name or path. */
export const namespaceSearch = new SearchIndex({ table: 'namespaces', columns: ['full_name', 'full_path'] });

/** Searches projects by parts of their name, path or description. */
export const projectSearch = new SearchIndex({ table: 'projects', columns: ['name', 'path', 'description'] });

/** Searches tokens by parts of their name. */
export const tokenSearch = new SearchIndex({ table: 'access_tokens', columns: ['name'] });
