import Type from 'typebox';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { atLeastOneOf } from '../../../platform/http/params.ts';
import { notes } from '../../notes/public.ts';
import { noteableIssue } from '../noteable.ts';
import { oneIssue } from '../schema.ts';

const tag = 'notes';

/** Routes for the notes of an issue. */
export function issueNoteRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_project', { signedIn: true });
  const found = (caller: SignedInActor, subject: ProjectSubject, { issue_iid }: { issue_iid: number }) =>
    noteableIssue(services, caller, subject, issue_iid);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/notes',
      tag,
      summary: 'List issue notes',
      gate,
      jobToken: true,
      params: { ...oneIssue, ...notes.listParams },
      paginated: true,
      responses: { 200: Type.Array(notes.Note) },
      handle: async ({ caller, subject, params, page }) =>
        notes.listNotes(services, await found(caller, subject, params), params, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/notes',
      tag,
      summary: 'Create an issue note',
      gate,
      params: { ...oneIssue, ...notes.newNote },
      responses: notes.newNoteResponses,
      handle: async ({ caller, subject, params, reply }) =>
        notes.noteResponse(
          reply,
          await notes.createNote(services, caller, await found(caller, subject, params), params),
        ),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/notes/:note_id',
      tag,
      summary: 'Get an issue note',
      gate,
      jobToken: true,
      params: { ...oneIssue, ...notes.noteId },
      responses: { 200: notes.Note },
      handle: async ({ caller, subject, params }) =>
        notes.getNote(services, await found(caller, subject, params), params.note_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/issues/:issue_iid/notes/:note_id',
      tag,
      summary: 'Update an issue note',
      gate,
      params: { ...oneIssue, ...notes.noteId, ...notes.noteChange },
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
      path: '/projects/:id/issues/:issue_iid/notes/:note_id',
      tag,
      summary: 'Delete an issue note',
      gate,
      params: { ...oneIssue, ...notes.noteId },
      responses: { 204: null },
      handle: async ({ caller, subject, params, request }) =>
        notes.deleteNote(services, caller, await found(caller, subject, params), params.note_id, request),
    }),
  ];
}
