import type { Area } from '../access/area.ts';
import { highlighter } from './frame/highlight.ts';
import { wakingPages } from './frame/live.ts';
import { servePages } from './frame/serve.ts';

/** The web interface: a client of the public API in the same process. */
export const web: Area = {
  name: 'web',
  on: wakingPages,
  pages: async (app, { services }) => {
    await servePages(app, services, async () => (await import('./pages.ts')).pages);
    app.addHook('onClose', async () => highlighter.close());
    return undefined;
  },
};
