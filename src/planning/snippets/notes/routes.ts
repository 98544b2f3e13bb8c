import Type from 'typebox';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { notBlank, param, required } from '../../../platform/http/params.ts';
import { notes } from '../../notes/public.ts';
import { noteableSnippet } from '../noteable.ts';
import { oneOfProject } from '../schema.ts';

const tag = 'notes';

/** Routes for the notes of a project snippet. */
export function snippetNoteRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_project', { signedIn: true });
  const found = (caller: SignedInActor, subject: ProjectSubject, { snippet_id }: { snippet_id: number }) =>
    noteableSnippet(services, caller, subject, snippet_id);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/notes',
      tag,
      summary: 'List snippet notes',
      gate,
      params: { ...oneOfProject, ...notes.listParams },
      paginated: true,
      responses: { 200: Type.Array(notes.Note) },
      handle: async ({ caller, subject, params, page }) =>
        notes.listNotes(services, await found(caller, subject, params), params, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/snippets/:snippet_id/notes',
      tag,
      summary: 'Create a snippet note',
      gate,
      params: { ...oneOfProject, ...notes.newNote },
      responses: notes.newNoteResponses,
      handle: async ({ caller, subject, params, reply }) =>
        notes.noteResponse(
          reply,
          await notes.createNote(services, caller, await found(caller, subject, params), params),
        ),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/notes/:note_id',
      tag,
      summary: 'Get a snippet note',
      gate,
      params: { ...oneOfProject, ...notes.noteId },
      responses: { 200: notes.Note },
      handle: async ({ caller, subject, params }) =>
        notes.getNote(services, await found(caller, subject, params), params.note_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/snippets/:snippet_id/notes/:note_id',
      tag,
      summary: 'Update a snippet note',
      gate,
      params: { ...oneOfProject, ...notes.noteId, ...notes.noteChange, body: notBlank(required(param.string())) },
      responses: notes.changedResponses,
      handle: async ({ caller, subject, params, reply }) =>
        notes.noteResponse(
          reply,
          await notes.updateNote(services, caller, await found(caller, subject, params), params.note_id, params),
        ),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/snippets/:snippet_id/notes/:note_id',
      tag,
      summary: 'Delete a snippet note',
      gate,
      params: { ...oneOfProject, ...notes.noteId },
      responses: { 204: null },
      handle: async ({ caller, subject, params, request }) =>
        notes.deleteNote(services, caller, await found(caller, subject, params), params.note_id, request),
    }),
  ];
}
