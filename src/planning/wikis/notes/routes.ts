import Type from 'typebox';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import type { ProjectOrGroup } from '../../../access/project-or-group.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { notBlank, param, required } from '../../../platform/http/params.ts';
import { notes } from '../../notes/public.ts';
import { noteablePage } from '../noteable.ts';

const tag = 'notes';

const onePage = {
  id: required(param.string({ description: 'ID or URL-encoded path of the project or group' })),
  noteable_id: required(param.integer({ description: 'The `wiki_page_meta_id` of the page' })),
};

/** Routes for the notes of wiki pages. */
export function wikiNoteRoutes(services: Services, gates: Gates): Route[] {
  return [...projectRoutes(services, gates), ...groupRoutes(services, gates)];
}

const finder =
  (services: Services) =>
  (caller: SignedInActor, place: ProjectOrGroup, { noteable_id }: { readonly noteable_id: number }) =>
    noteablePage(services, caller, place, noteable_id);

function projectRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_wiki', { signedIn: true });
  const found = finder(services);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/wiki_pages/:noteable_id/notes',
      tag,
      summary: 'List notes of a project wiki page',
      gate,
      params: { ...onePage, ...notes.listParams },
      paginated: true,
      responses: { 200: Type.Array(notes.Note) },
      handle: async ({ caller, subject, params, page }) =>
        notes.listNotes(services, await found(caller, subject, params), params, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/wiki_pages/:noteable_id/notes',
      tag,
      summary: 'Create a note on a project wiki page',
      gate,
      params: { ...onePage, ...notes.newNote },
      responses: notes.newNoteResponses,
      handle: async ({ caller, subject, params, reply }) =>
        notes.noteResponse(
          reply,
          await notes.createNote(services, caller, await found(caller, subject, params), params),
        ),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/wiki_pages/:noteable_id/notes/:note_id',
      tag,
      summary: 'Get a note of a project wiki page',
      gate,
      params: { ...onePage, ...notes.noteId },
      responses: { 200: notes.Note },
      handle: async ({ caller, subject, params }) =>
        notes.getNote(services, await found(caller, subject, params), params.note_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/wiki_pages/:noteable_id/notes/:note_id',
      tag,
      summary: 'Update a note of a project wiki page',
      gate,
      params: { ...onePage, ...notes.noteId, ...notes.noteChange, body: notBlank(required(param.string())) },
      responses: notes.changedResponses,
      handle: async ({ caller, subject, params, reply }) =>
        notes.noteResponse(
          reply,
          await notes.updateNote(services, caller, await found(caller, subject, params), params.note_id, params),
        ),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/wiki_pages/:noteable_id/notes/:note_id',
      tag,
      summary: 'Delete a note of a project wiki page',
      gate,
      params: { ...onePage, ...notes.noteId },
      responses: { 204: null },
      handle: async ({ caller, subject, params, request }) =>
        notes.deleteNote(services, caller, await found(caller, subject, params), params.note_id, request),
    }),
  ];
}

function groupRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('read_wiki', { signedIn: true });
  const found = finder(services);
  return [
    route({
      method: 'GET',
      path: '/groups/:id/wiki_pages/:noteable_id/notes',
      tag,
      summary: 'List notes of a group wiki page',
      gate,
      params: { ...onePage, ...notes.listParams },
      paginated: true,
      responses: { 200: Type.Array(notes.Note) },
      handle: async ({ caller, subject, params, page }) =>
        notes.listNotes(services, await found(caller, subject, params), params, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/wiki_pages/:noteable_id/notes',
      tag,
      summary: 'Create a note on a group wiki page',
      gate,
      params: { ...onePage, ...notes.newNote },
      responses: notes.newNoteResponses,
      handle: async ({ caller, subject, params, reply }) =>
        notes.noteResponse(
          reply,
          await notes.createNote(services, caller, await found(caller, subject, params), params),
        ),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/wiki_pages/:noteable_id/notes/:note_id',
      tag,
      summary: 'Get a note of a group wiki page',
      gate,
      params: { ...onePage, ...notes.noteId },
      responses: { 200: notes.Note },
      handle: async ({ caller, subject, params }) =>
        notes.getNote(services, await found(caller, subject, params), params.note_id),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/wiki_pages/:noteable_id/notes/:note_id',
      tag,
      summary: 'Update a note of a group wiki page',
      gate,
      params: { ...onePage, ...notes.noteId, ...notes.noteChange, body: notBlank(required(param.string())) },
      responses: notes.changedResponses,
      handle: async ({ caller, subject, params, reply }) =>
        notes.noteResponse(
          reply,
          await notes.updateNote(services, caller, await found(caller, subject, params), params.note_id, params),
        ),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/wiki_pages/:noteable_id/notes/:note_id',
      tag,
      summary: 'Delete a note of a group wiki page',
      gate,
      params: { ...onePage, ...notes.noteId },
      responses: { 204: null },
      handle: async ({ caller, subject, params, request }) =>
        notes.deleteNote(services, caller, await found(caller, subject, params), params.note_id, request),
    }),
  ];
}
