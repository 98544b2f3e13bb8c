import Type from 'typebox';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { atLeastOneOf } from '../../../platform/http/params.ts';
import { notes } from '../../notes/public.ts';
import { noteableEpic } from '../noteable.ts';
import { epicById } from '../schema.ts';

const tag = 'notes';

/** Routes for the notes of an epic. Unlike other epic routes, they identify the epic by its global ID. */
export function epicNoteRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('read_epic', { signedIn: true });
  const found = (caller: SignedInActor, subject: GroupSubject, { epic_id }: { epic_id: number }) =>
    noteableEpic(services, caller, subject, epic_id);
  return [
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_id/notes',
      tag,
      summary: 'List epic notes',
      gate,
      params: { ...epicById, ...notes.listParams },
      paginated: true,
      responses: { 200: Type.Array(notes.Note) },
      handle: async ({ caller, subject, params, page }) =>
        notes.listNotes(services, await found(caller, subject, params), params, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/epics/:epic_id/notes',
      tag,
      summary: 'Create an epic note',
      gate,
      params: { ...epicById, ...notes.newNote },
      responses: notes.newNoteResponses,
      handle: async ({ caller, subject, params, reply }) =>
        notes.noteResponse(
          reply,
          await notes.createNote(services, caller, await found(caller, subject, params), params),
        ),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_id/notes/:note_id',
      tag,
      summary: 'Get an epic note',
      gate,
      params: { ...epicById, ...notes.noteId },
      responses: { 200: notes.Note },
      handle: async ({ caller, subject, params }) =>
        notes.getNote(services, await found(caller, subject, params), params.note_id),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/epics/:epic_id/notes/:note_id',
      tag,
      summary: 'Update an epic note',
      gate,
      params: { ...epicById, ...notes.noteId, ...notes.noteChange },
      rules: [atLeastOneOf('body', 'confidential')],
      responses: notes.changedResponses,
      handle: async ({ caller, subject, params, reply }) =>
        notes.noteResponse(
          reply,
          await notes.updateNote(services, caller, await found(caller, subject, params), params.note_id, params),
        ),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/epics/:epic_id/notes/:note_id',
      tag,
      summary: 'Delete an epic note',
      gate,
      params: { ...epicById, ...notes.noteId },
      responses: { 204: null },
      handle: async ({ caller, subject, params, request }) =>
        notes.deleteNote(services, caller, await found(caller, subject, params), params.note_id, request),
    }),
  ];
}
