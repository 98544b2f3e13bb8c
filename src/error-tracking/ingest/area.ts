import type { Area } from '../../access/area.ts';
import { serveIngestion } from './pages.ts';

export const errorIngestion: Area = {
  name: 'error-tracking/ingest',
  pages: async (app, { services }) => {
    await serveIngestion(app, services);
    return undefined;
  },
};
