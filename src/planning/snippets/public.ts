export { mayReadInProject } from './access.ts';
export { addSnippet, makeSnippet, type NewSnippet } from './add.ts';
export { searchSnippets } from './browse.ts';
export { fileContents, firstFile } from './content.ts';
export { noteableSnippet } from './noteable.ts';
export { Snippet } from './schema.ts';
export { snippetVisibility } from './service.ts';
export { findSnippet, insertSnippet } from './store.ts';
export type { SnippetRow } from './tables.ts';
