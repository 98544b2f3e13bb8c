import type { Area } from '../../access/area.ts';
import { releaseJobs } from './evidence/service.ts';
import { groupReleaseRoutes } from './group/routes.ts';
import { linkRoutes } from './links/routes.ts';
import { releaseRoutes } from './routes.ts';
import { deleteReleasesOfTags } from './service.ts';
import { releaseNotes } from './store.ts';

export const releases: Area = {
  name: 'releases',
  routes: (services, gates) => [
    ...releaseRoutes(services, gates),
    ...linkRoutes(services, gates),
    ...groupReleaseRoutes(services, gates),
  ],
  jobs: releaseJobs,
  contributes: { 'tags.releaseNotes': releaseNotes },
  on: { 'repository.pushed': deleteReleasesOfTags },
};
