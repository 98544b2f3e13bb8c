export { type CodeOwners, codeOwnersAt, codeOwnersOfChanges } from './file.ts';
export type { OwnedPart } from './match.ts';
