import type { Area } from '../../access/area.ts';
import { cherryPickRoutes } from './cherry-pick/routes.ts';
import { commentsAsNotes } from './comments/present.ts';
import { commentRoutes } from './comments/routes.ts';
import { handOverComments } from './comments/store.ts';
import { commitRoutes } from './routes.ts';
import { submoduleRoutes } from './submodules/routes.ts';

export const commits: Area = {
  name: 'commits',
  routes: (services, gates) => [
    ...commitRoutes(services, gates),
    ...cherryPickRoutes(services, gates),
    ...submoduleRoutes(services, gates),
    ...commentRoutes(services, gates),
  ],
  on: {
    'user.removed': async (_services, trx, { user, heir }) => {
      if (heir) await handOverComments(trx, user.id, heir.id);
    },
  },
  contributes: { 'events.notes': commentsAsNotes },
};
