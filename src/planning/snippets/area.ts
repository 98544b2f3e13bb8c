import type { Area } from '../../access/area.ts';
import { snippetAwardRoutes } from './awards/routes.ts';
import { snippetDiscussionRoutes } from './discussions/routes.ts';
import { enqueueMeasure } from './measure.ts';
import { snippetNoteRoutes } from './notes/routes.ts';
import { snippetReferences } from './references.ts';
import { clearProject, snippetJobs, transferSnippets } from './removal.ts';
import { snippetRepositories } from './repository.ts';
import { snippetRoutes } from './routes.ts';

export const snippets: Area = {
  name: 'snippets',
  routes: (services, gates) => [
    ...snippetRoutes(services, gates),
    ...snippetNoteRoutes(services, gates),
    ...snippetDiscussionRoutes(services, gates),
    ...snippetAwardRoutes(services, gates),
  ],
  jobs: snippetJobs,
  on: { 'snippet.changed': enqueueMeasure, 'project.removed': clearProject, 'user.removed': transferSnippets },
  contributes: { 'markdown.references': snippetReferences, 'transport.repositories': snippetRepositories },
};
