import type { Area } from '../../access/area.ts';
import { commitReadme } from './service.ts';

/** The commit that a new project begins with, where that was asked for. */
export const firstCommit: Area = {
  name: 'first-commit',
  contributes: { 'projects.firstCommit': commitReadme },
};
