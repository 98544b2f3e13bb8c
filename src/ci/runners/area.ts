import type { Area } from '../../access/area.ts';
import { registrationRoutes } from './registration/routes.ts';
import { indexRegistrationToken } from './registration/service.ts';
import { runnerRoutes } from './routes.ts';

export const runners: Area = {
  name: 'runners',
  routes: (services, gates) => [...runnerRoutes(services, gates), ...registrationRoutes(services, gates)],
  on: { 'project.created': indexRegistrationToken, 'group.created': indexRegistrationToken },
};
