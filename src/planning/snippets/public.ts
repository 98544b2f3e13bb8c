export type { SnippetRow } from './tables.ts';
