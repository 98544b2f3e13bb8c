import { SearchIndex } from '../platform/database/search-index.ts';

/** Users by a part of their name or user name. */
export const userSearch = new SearchIndex({ table: 'users', columns: ['name', 'username'] });

/** Groups and personal namespaces by a part of their name or path, or of those above. */
export const namespaceSearch = new SearchIndex({ table: 'namespaces', columns: ['full_name', 'full_path'] });

/** Projects by a part of their name, path or description. */
export const projectSearch = new SearchIndex({ table: 'projects', columns: ['name', 'path', 'description'] });

/** Tokens by a part of their name. */
export const tokenSearch = new SearchIndex({ table: 'access_tokens', columns: ['name'] });
