import type { Area } from '../../access/area.ts';
import { releaseRoutes } from './routes.ts';
import { releaseJobs } from './service.ts';
import { releaseNotes } from './store.ts';
import { deleteReleasesOfTags } from './tag-deletion.ts';

export const releases: Area = {
  name: 'releases',
  routes: releaseRoutes,
  jobs: releaseJobs,
  contributes: { 'tags.releaseNotes': releaseNotes },
  on: { 'repository.pushed': deleteReleasesOfTags },
};
