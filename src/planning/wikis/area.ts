import type { Area } from '../../access/area.ts';
import { handlerFor } from '../../platform/http/pipeline.ts';
import { setHeaders, standardHeaders } from '../../platform/http/responses/headers.ts';
import { groupWikiFilePage, wikiFilePage } from './file-page.ts';
import { measureWiki } from './measure.ts';
import { wikiNoteRoutes } from './notes/routes.ts';
import { announceWikiPush } from './pushed.ts';
import { wikiKey } from './repository.ts';
import { wikiRoutes } from './routes.ts';
import { wikiTodoTarget } from './todo-target.ts';
import { wikiRepositories } from './transport.ts';

export const wikis: Area = {
  name: 'wikis',
  routes: (services, gates) => [...wikiRoutes(services, gates), ...wikiNoteRoutes(services, gates)],
  pages: async (app, { services, pipeline }) => {
    const files = [wikiFilePage(services), groupWikiFilePage(services)];
    await app.register(async (scope) => {
      scope.addHook('onSend', (request, reply, payload, done) => {
        setHeaders(reply, standardHeaders(request, reply));
        done(null, payload);
      });
      for (const page of files) scope.get(page.path, { exposeHeadRoute: true }, handlerFor(page, pipeline));
    });
    return undefined;
  },
  jobs: (services) => {
    const { queue, git } = services;
    queue.defineJob('wikis.pushed', (job) => announceWikiPush(services, job), { maxAttempts: 5 });
    queue.defineJob('wikis.measure', (job) => measureWiki(services, job), { maxAttempts: 3 });
    queue.defineJob('wikis.clear', ({ payload }) => git.remove(git.repository(payload.repository)));
  },
  on: {
    'project.removed': async ({ queue }, trx, { project }) => {
      const repository = wikiKey({ project_id: project.id, namespace_id: null });
      await queue.enqueue(trx, 'wikis.clear', { repository });
    },
    'group.removed': async ({ queue }, trx, { group }) => {
      const repository = wikiKey({ project_id: null, namespace_id: group.id });
      await queue.enqueue(trx, 'wikis.clear', { repository });
    },
  },
  contributes: { 'transport.repositories': wikiRepositories, 'todos.targets': wikiTodoTarget },
};
