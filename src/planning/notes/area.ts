import type { Area } from '../../access/area.ts';
import { notesOfEvents } from './present.ts';
import { handOverNotes } from './store.ts';

export const notes: Area = {
  name: 'notes',
  on: { 'user.removed': (_services, trx, { user, heir }) => handOverNotes(trx, user.id, heir?.id ?? null) },
  contributes: { 'events.notes': notesOfEvents },
};
