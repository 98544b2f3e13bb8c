import type { Area } from '../../access/area.ts';
import { groupBranchRoutes, projectBranchRoutes } from './branches/routes.ts';
import { groupPushRuleRoutes, projectPushRuleRoutes } from './push-rules/routes.ts';
import { protectedTagRoutes } from './tags/routes.ts';

export const protectedRefs: Area = {
  name: 'protected-refs',
  routes: (services, gates) => [
    ...projectBranchRoutes(services, gates),
    ...groupBranchRoutes(services, gates),
    ...protectedTagRoutes(services, gates),
    ...projectPushRuleRoutes(services, gates),
    ...groupPushRuleRoutes(services, gates),
  ],
};
