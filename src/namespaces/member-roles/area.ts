import type { Area } from '../../access/area.ts';
import { memberRoleRoutes } from './routes.ts';

/** Custom roles of the instance and of top-level groups. */
export const memberRoles: Area = { name: 'member roles', routes: memberRoleRoutes };
