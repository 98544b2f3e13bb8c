import type { Area } from '../../access/area.ts';
import { serveDownloads } from './pages.ts';

export const downloads: Area = {
  name: 'downloads',
  pages: async (app, { services, surroundings }) => {
    await serveDownloads(app, services, surroundings);
    return undefined;
  },
};
