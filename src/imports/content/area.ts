import type { Area } from '../../access/area.ts';
import { forgetSourceUsers } from './store.ts';

/** Conversion of imported content: users, texts, repositories, issues and merge requests. */
export const importedContent: Area = {
  name: 'imported content',
  on: { 'user.removed': (_services, trx, { user }) => forgetSourceUsers(trx, user.id) },
};
