import type { Area } from '../../access/area.ts';
import { archiveRoutes } from './archive/routes.ts';
import { listRoutes } from './lists/routes.ts';
import { removalJobs } from './removal/jobs.ts';
import { deleteSolelyOwnedGroups, refuseLastOwner } from './removal/leaving-owners.ts';
import { removalRoutes } from './removal/routes.ts';
import { groupRoutes } from './routes.ts';
import { sharingJobs } from './sharing/jobs.ts';
import { sharingRoutes } from './sharing/routes.ts';
import { transferRoutes } from './transfer/routes.ts';

export const groups: Area = {
  name: 'groups',
  routes: (services, gates) => [
    ...groupRoutes(services, gates),
    ...listRoutes(services, gates),
    ...removalRoutes(services, gates),
    ...archiveRoutes(services, gates),
    ...transferRoutes(services, gates),
    ...sharingRoutes(services, gates),
  ],
  jobs: (services) => {
    removalJobs(services);
    sharingJobs(services);
  },
  on: { 'user.leaving': refuseLastOwner, 'user.removed': deleteSolelyOwnedGroups },
};
