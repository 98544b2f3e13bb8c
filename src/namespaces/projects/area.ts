import type { Area } from '../../access/area.ts';
import { archiveRoutes } from './archive/routes.ts';
import { listRoutes } from './lists/routes.ts';
import { cleanUpAfterUser, personalProjects } from './removal/belongings.ts';
import { removalJobs } from './removal/jobs.ts';
import { removalRoutes } from './removal/routes.ts';
import { projectRoutes } from './routes.ts';
import { securityRoutes } from './security/routes.ts';
import { securityJobs } from './security/service.ts';
import { sharingJobs } from './sharing/jobs.ts';
import { sharingRoutes } from './sharing/routes.ts';
import { starRoutes } from './stars/routes.ts';
import { serveTopicAvatars } from './topics/pages.ts';
import { topicRoutes } from './topics/routes.ts';
import { followMovedGroup, movedProjectJobs } from './transfer/moved-projects.ts';
import { transferRoutes } from './transfer/routes.ts';
import { groupUploadRoutes } from './uploads/group-routes.ts';
import { serveUploads } from './uploads/pages.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { userRoutes } from './users/routes.ts';

const routes = [
  listRoutes,
  projectRoutes,
  removalRoutes,
  archiveRoutes,
  starRoutes,
  sharingRoutes,
  transferRoutes,
  userRoutes,
  uploadRoutes,
  groupUploadRoutes,
  topicRoutes,
  securityRoutes,
];

export const projects: Area = {
  name: 'projects',
  routes: (services, gates) => routes.flatMap((part) => part(services, gates)),
  jobs: (services) => {
    removalJobs(services);
    sharingJobs(services);
    movedProjectJobs(services);
    securityJobs(services);
  },
  on: { 'user.removed': cleanUpAfterUser, 'group.transferred': followMovedGroup },
  contributes: { 'users.belongings': personalProjects },
  pages: async (app, context) => {
    serveUploads(app, context);
    serveTopicAvatars(app, context);
    return undefined;
  },
};
