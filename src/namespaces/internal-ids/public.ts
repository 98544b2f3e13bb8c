export {
  type NumberedKind,
  type NumberingScope,
  nextInternalId,
  reserveInternalId,
  upcomingInternalId,
} from './store.ts';
