import type { Area } from '../access/area.ts';
import { highlighter } from './frame/highlight.ts';
import { wakingPages } from './frame/live.ts';
import { servePages } from './frame/serve.ts';

/** The pages that people read: a client of the public API, in this process. */
export const web: Area = {
  name: 'web',
  on: wakingPages,
  pages: async (app, { services }) => {
    await servePages(app, services, async () => (await import('./pages.ts')).pages);
    app.addHook('onClose', async () => highlighter.close());
    return undefined;
  },
};
