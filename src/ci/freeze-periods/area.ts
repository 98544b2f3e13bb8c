import type { Area } from '../../access/area.ts';
import { freezePeriodRoutes } from './routes.ts';
import { freezeVariables } from './service.ts';

export const freezePeriods: Area = {
  name: 'freeze periods',
  routes: freezePeriodRoutes,
  contributes: { 'variables.of-ref': freezeVariables },
};
