import type { Area } from '../../access/area.ts';
import { milestoneReferences } from './references.ts';
import { milestoneRoutes } from './routes.ts';

export const milestones: Area = {
  name: 'milestones',
  routes: milestoneRoutes,
  contributes: { 'markdown.references': milestoneReferences },
};
