import type { Area } from '../../access/area.ts';
import { hasProxy } from '../../access/registry-address.ts';
import { removalJobs, removeWithGroup } from './cache/removal.ts';
import { cacheRoutes } from './cache/routes.ts';
import { cacheSizesBelow } from './cache/store.ts';
import { groupImageNames } from './pulls/rights.ts';
import { pullRoutes } from './pulls/routes.ts';
import { settingsRoutes } from './settings/routes.ts';

export const dependencyProxy: Area = {
  name: 'dependency proxy',
  routes: (services, gates) =>
    hasProxy(services) ? [...settingsRoutes(services, gates), ...cacheRoutes(services, gates)] : [],
  jobs: removalJobs,
  on: { 'group.removed': removeWithGroup },
  contributes: { 'registry.names': groupImageNames, 'groups.proxiedSizes': cacheSizesBelow },
  pages: async (app, { services }) => {
    if (hasProxy(services)) await app.register(pullRoutes(services));
    return undefined;
  },
};
