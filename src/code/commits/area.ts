import type { Area } from '../../access/area.ts';
import { commentsAsNotes } from './comment-notes.ts';
import { commitRoutes } from './routes.ts';

export const commits: Area = {
  name: 'commits',
  routes: commitRoutes,
  contributes: { 'events.notes': commentsAsNotes },
};
