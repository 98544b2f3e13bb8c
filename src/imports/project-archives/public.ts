export type { ArchiveOptions } from './archive.ts';
export * as fields from './fields.ts';
export { longestLine, readLines } from './lines.ts';
export { readNames } from './names.ts';
export { gunzipTo, readRelations, relationKey } from './relations.ts';
export { type ArchiveContext, contextOf } from './stages/context.ts';
export { importerOf } from './stages/places.ts';
export { archiveStages } from './stages/source.ts';
export { BadArchive } from './unpack.ts';
