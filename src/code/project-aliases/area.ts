import type { Area } from '../../access/area.ts';
import { projectAliasRoutes } from './routes.ts';

/** Aliases: single-segment names by which git finds projects over SSH, e.g. their paths on a previous server. */
export const projectAliases: Area = { name: 'project-aliases', routes: projectAliasRoutes };
