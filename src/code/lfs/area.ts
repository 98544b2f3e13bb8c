import type { Area } from '../../access/area.ts';
import { checkPasswordOfProgram } from '../../access/credentials/passwords.ts';
import { createAuthenticate } from '../transport/public.ts';
import { lfsRoutes } from './routes.ts';
import { lfsJobs } from './sweep.ts';

export const lfs: Area = {
  name: 'lfs',
  jobs: lfsJobs,
  pages: async (app, { services, lastUse }) => {
    const authenticate = createAuthenticate({
      services,
      lastUse,
      checkPassword: (login, password) => checkPasswordOfProgram(services, login, password),
    });
    await app.register(lfsRoutes({ services, authenticate }));
    return undefined;
  },
};
