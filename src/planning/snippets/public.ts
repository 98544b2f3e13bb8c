export { addSnippet, type NewSnippet } from './add.ts';
export { searchSnippets } from './browse.ts';
export { Snippet } from './schema.ts';
export { createSnippet } from './service.ts';
export type { SnippetRow } from './tables.ts';
