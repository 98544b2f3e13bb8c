export { type NumberedKind, type NumberingScope, nextInternalId, reserveInternalId } from './store.ts';
