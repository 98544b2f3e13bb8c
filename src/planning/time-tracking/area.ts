import type { Area } from '../../access/area.ts';
import { handOverTimelogs } from './store.ts';

export const timeTracking: Area = {
  name: 'time-tracking',
  on: { 'user.removed': (_services, trx, { user, heir }) => handOverTimelogs(trx, user.id, heir?.id ?? null) },
};
