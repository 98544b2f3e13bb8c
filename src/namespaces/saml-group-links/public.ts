export { SamlGroupLink } from './schema.ts';
export { presentLink } from './service.ts';
export { linksOf } from './store.ts';
export type { SamlGroupLinkRow } from './tables.ts';
