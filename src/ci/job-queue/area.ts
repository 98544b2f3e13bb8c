import type { Area } from '../../access/area.ts';
import { inheritedVariables } from './inheritance.ts';
import { followJob, followProject } from './queue.ts';
import { jobQueueRoutes } from './routes.ts';
import { waitingOf } from './waiting.ts';

export const jobQueue: Area = {
  name: 'job queue',
  routes: jobQueueRoutes,
  on: { 'job.changed': followJob, 'project.updated': followProject },
  contributes: { 'variables.dotenv': inheritedVariables },
  async pages(app, { services }) {
    // Runners that wait would hold up a server that stops.
    app.addHook('preClose', (done) => {
      waitingOf(services).close();
      done();
    });
    return undefined;
  },
};
