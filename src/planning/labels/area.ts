import type { Area } from '../../access/area.ts';
import { labelReferences } from './references.ts';
import { labelRoutes } from './routes.ts';

export const labels: Area = {
  name: 'labels',
  routes: labelRoutes,
  contributes: { 'markdown.references': labelReferences },
};
