import type { Area } from '../../access/area.ts';
import { rememberRegistrationToken } from './protocol.ts';
import { runnerRoutes } from './routes.ts';

export const runners: Area = {
  name: 'runners',
  routes: runnerRoutes,
  on: { 'project.created': rememberRegistrationToken, 'group.created': rememberRegistrationToken },
};
