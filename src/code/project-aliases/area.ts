import type { Area } from '../../access/area.ts';
import { projectAliasRoutes } from './routes.ts';

/** Names of one word by which git finds projects over SSH, such as those they had on another server. */
export const projectAliases: Area = { name: 'project-aliases', routes: projectAliasRoutes };
