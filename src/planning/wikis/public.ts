export { ensureWiki, wikiBranch, wikiOf, wikiUrl } from './repository.ts';
export type { PageChange } from './tables.ts';
