export { LdapGroupLink } from './schema.ts';
export { isSynchronized, presentLink } from './service.ts';
export { linkedGroups, linksOf } from './store.ts';
export type { LdapGroupLinkRow } from './tables.ts';
