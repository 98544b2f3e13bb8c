import type { Area } from '../../access/area.ts';
import { handOverRecords } from './store.ts';

export const resourceEvents: Area = {
  name: 'resource-events',
  on: { 'user.removed': (_services, trx, { user, heir }) => handOverRecords(trx, user.id, heir?.id ?? null) },
};
