import type { Area } from '../../access/area.ts';
import { deploymentsOf } from './keys/present.ts';
import { deployKeyRoutes } from './keys/routes.ts';
import { deployTokenActor } from './service.ts';
import { deployTokenRoutes } from './tokens/routes.ts';
import { deployTokenPrefix, knownDeployToken } from './tokens/service.ts';

export const deploy: Area = {
  name: 'deploy',
  routes: (services, gates) => [...deployTokenRoutes(services, gates), ...deployKeyRoutes(services, gates)],
  contributes: {
    'access.deploy-token': ({ db }, secret) => deployTokenActor(db, secret),
    'keys.deployments': deploymentsOf,
    'tokens.known': { prefix: deployTokenPrefix, identify: knownDeployToken },
  },
};
