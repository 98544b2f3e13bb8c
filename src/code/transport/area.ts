import type { Area } from '../../access/area.ts';
import { serveGit } from './endpoints.ts';

export const transport: Area = {
  name: 'transport',
  pages: serveGit,
};
