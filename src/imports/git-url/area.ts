import type { Area } from '../../access/area.ts';
import { gitUrlRoutes } from './routes.ts';
import { importByUrl, urlSource } from './service.ts';

/** Imports from a repository URL: `import_url` of a new project. */
export const gitUrl: Area = {
  name: 'imports by address',
  routes: gitUrlRoutes,
  contributes: { 'imports.source': urlSource, 'projects.importUrl': importByUrl },
};
