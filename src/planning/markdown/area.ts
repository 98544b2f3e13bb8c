import type { Area } from '../../access/area.ts';
import { peopleAndCommits } from './resolvers.ts';
import { markdownRoutes } from './routes.ts';

export const markdown: Area = {
  name: 'markdown',
  routes: markdownRoutes,
  contributes: { 'markdown.references': peopleAndCommits },
};
