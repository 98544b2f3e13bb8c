import type { Area } from '../../access/area.ts';
import { serveDiscovery } from './pages.ts';
import { idTokenVariables } from './variables.ts';

export const idTokens: Area = {
  name: 'ID tokens',
  pages: async (app, { services }) => {
    serveDiscovery(app, services);
    return undefined;
  },
  contributes: { 'variables.tokens': idTokenVariables },
};
