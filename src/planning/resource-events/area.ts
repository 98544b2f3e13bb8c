import type { Area } from '../../access/area.ts';
import { handOverRecords, mergeMilestones } from './store.ts';

export const resourceEvents: Area = {
  name: 'resource-events',
  on: {
    'milestone.merged': (_services, trx, { milestoneIds, into }) => mergeMilestones(trx, milestoneIds, into.id),
    'user.removed': (_services, trx, { user, heir }) => handOverRecords(trx, user.id, heir?.id ?? null),
  },
};
