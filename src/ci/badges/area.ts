import type { Area } from '../../access/area.ts';
import { handlerFor } from '../../platform/http/pipeline.ts';
import { setHeaders, standardHeaders } from '../../platform/http/responses/headers.ts';
import { badgePage } from './page.ts';
import { badgeRoutes } from './routes.ts';

export const badges: Area = {
  name: 'badges',
  routes: badgeRoutes,
  pages: async (app, { services, pipeline }) => {
    const page = badgePage(services);
    await app.register(async (scope) => {
      scope.addHook('onSend', (request, reply, payload, done) => {
        setHeaders(reply, standardHeaders(request, reply));
        done(null, payload);
      });
      scope.get(page.path, { exposeHeadRoute: true }, handlerFor(page, pipeline));
    });
    return undefined;
  },
};
