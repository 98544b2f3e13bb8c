import type { Area } from '../../access/area.ts';
import { serveDownloads } from './pages.ts';

export const downloads: Area = {
  name: 'downloads',
  pages: async (app, { services, pipeline }) => {
    await serveDownloads(app, services, pipeline);
    return undefined;
  },
};
