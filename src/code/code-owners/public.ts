export { type CodeOwners, codeOwnersAt, ownedBetween } from './file.ts';
export type { OwnedPart } from './match.ts';
