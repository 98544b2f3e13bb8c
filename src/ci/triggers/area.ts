import type { Area } from '../../access/area.ts';
import { triggerRoutes } from './routes.ts';
import { knownTrigger, tokenPrefix } from './service.ts';
import { deleteTriggersOf } from './store.ts';
import { triggerVariables } from './variables.ts';

export const triggers: Area = {
  name: 'pipeline triggers',
  routes: triggerRoutes,
  on: { 'user.removed': (_services, trx, { user }) => deleteTriggersOf(trx, user.id) },
  contributes: {
    'variables.predefined': triggerVariables,
    'tokens.known': { prefix: tokenPrefix, identify: knownTrigger },
  },
};
