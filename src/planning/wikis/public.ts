export { firstPage } from './files.ts';
export { titleOf } from './page.ts';
export { ensureWiki, wikiBranch, wikiOf, wikiUrl } from './repository.ts';
export { pageOfPlace } from './store.ts';
export type { PageChange } from './tables.ts';
