import type { Area } from '../../access/area.ts';
import { serveAvatars } from './pages.ts';

export const avatars: Area = {
  name: 'avatars',
  pages: async (app, { services, gates, identify }) => {
    serveAvatars(app, services, gates, identify);
    return undefined;
  },
};
