import type { Area } from '../../access/area.ts';
import { codeOwnerRoutes } from './routes.ts';

export const codeOwners: Area = { name: 'code-owners', routes: codeOwnerRoutes };
