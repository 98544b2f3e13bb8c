import type { Area } from '../../access/area.ts';
import { longTextJobs } from './long-texts.ts';
import { backgroundRoutes } from './routes.ts';
import { backgroundJobs } from './sweep.ts';

export const background: Area = {
  name: 'background',
  routes: backgroundRoutes,
  jobs(services) {
    backgroundJobs(services);
    longTextJobs(services);
  },
};
