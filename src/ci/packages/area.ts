import type { Area } from '../../access/area.ts';
import { composerRoutes } from './composer/routes.ts';
import { conanRoutes } from './conan/routes.ts';
import { distributionRoutes } from './debian/distributions/routes.ts';
import { followGroup, followProject } from './debian/indexes/refresh.ts';
import { indexRoutes } from './debian/indexes/routes.ts';
import { debianJobs } from './debian/jobs.ts';
import { poolRoutes } from './debian/pool/routes.ts';
import { uploadRoutes } from './debian/uploads/routes.ts';
import { goRoutes } from './go/routes.ts';
import { groupPackageRoutes } from './group/routes.ts';
import { helmRoutes } from './helm/routes.ts';
import { mavenRoutes } from './maven/routes.ts';
import { npmRoutes } from './npm/routes.ts';
import { nugetRoutes } from './nuget/routes.ts';
import { protectionRoutes } from './protection/routes.ts';
import { pypiRoutes } from './pypi/routes.ts';
import { packageJobs, removeWithGroup, removeWithProject } from './removal.ts';
import { packageRoutes } from './routes.ts';
import { rubygemsRoutes } from './rubygems/routes.ts';
import { serveDiscovery } from './terraform/discovery.ts';
import { terraformModuleRoutes } from './terraform/routes.ts';

export const packages: Area = {
  name: 'packages',
  routes: (services, gates) => [
    ...protectionRoutes(services, gates),
    ...packageRoutes(services, gates),
    ...groupPackageRoutes(services, gates),
    ...composerRoutes(services, gates),
    ...conanRoutes(services, gates),
    ...distributionRoutes(services, gates),
    ...uploadRoutes(services, gates),
    ...poolRoutes(services, gates),
    ...indexRoutes(services, gates),
    ...helmRoutes(services, gates),
    ...goRoutes(services, gates),
    ...mavenRoutes(services, gates),
    ...npmRoutes(services, gates),
    ...nugetRoutes(services, gates),
    ...pypiRoutes(services, gates),
    ...rubygemsRoutes(services, gates),
    ...terraformModuleRoutes(services, gates),
  ],
  jobs: (services) => {
    packageJobs(services);
    debianJobs(services);
  },
  on: {
    'project.removed': removeWithProject,
    'project.updated': followProject,
    'project.transferred': followProject,
    'group.removed': removeWithGroup,
    'group.updated': followGroup,
    'group.transferred': followGroup,
  },
  pages: async (app, { services }) => {
    serveDiscovery(app, services);
    return undefined;
  },
};
