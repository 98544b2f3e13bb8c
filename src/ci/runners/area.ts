import type { Area } from '../../access/area.ts';
import { registrationRoutes } from './registration/routes.ts';
import { rememberRegistrationToken } from './registration/service.ts';
import { runnerRoutes } from './routes.ts';

export const runners: Area = {
  name: 'runners',
  routes: (services, gates) => [...runnerRoutes(services, gates), ...registrationRoutes(services, gates)],
  on: { 'project.created': rememberRegistrationToken, 'group.created': rememberRegistrationToken },
};
