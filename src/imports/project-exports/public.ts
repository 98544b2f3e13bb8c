export { attributesOf, largeFiles, type Making, repositoryBundle, uploads } from './archive.ts';
export { bundle, formatVersion, lineBytes, noting, packed, type Spool, spooled, text } from './entries.ts';
export * as exportedRows from './relation-store.ts';
export { contributors, relations } from './relations/list.ts';
export { boards, labels, milestones } from './relations/planning.ts';
export { all, grouped, idsOf, type Line, type Part, type Relation } from './relations/walk.ts';
