import type { Area } from '../../access/area.ts';
import { commitReadme } from './service.ts';

/** Creates the initial commit of a new project on request. */
export const firstCommit: Area = {
  name: 'first-commit',
  contributes: { 'projects.firstCommit': commitReadme },
};
