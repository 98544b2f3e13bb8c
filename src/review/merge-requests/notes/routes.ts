import Type from 'typebox';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { notes } from '../../../planning/notes/public.ts';
import { param, required } from '../../../platform/http/params.ts';
import { noteableAtHead, noteableRequest } from '../noteable.ts';
import { oneRequest } from '../schema.ts';

const tag = 'notes';

/** Routes for the notes of a merge request. */
export function requestNoteRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_project', { signedIn: true });
  const found = (
    caller: SignedInActor,
    subject: ProjectSubject,
    { merge_request_iid }: { merge_request_iid: number },
  ) => noteableRequest(services, caller, subject, merge_request_iid);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/notes',
      tag,
      summary: 'List merge request notes',
      gate,
      jobToken: true,
      params: { ...oneRequest, ...notes.listParams },
      paginated: true,
      responses: { 200: Type.Array(notes.Note) },
      handle: async ({ caller, subject, params, page }) =>
        notes.listNotes(services, await found(caller, subject, params), params, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/notes',
      tag,
      summary: 'Create a merge request note',
      gate,
      params: { ...oneRequest, ...notes.newNote, merge_request_diff_head_sha: param.string() },
      responses: notes.newNoteResponses,
      handle: async ({ caller, subject, params, reply }) => {
        const { merge_request_iid: iid, merge_request_diff_head_sha: head } = params;
        const noteable = await noteableAtHead(services, caller, subject, iid, head);
        return notes.noteResponse(reply, await notes.createNote(services, caller, noteable, params));
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/notes/:note_id',
      tag,
      summary: 'Get a merge request note',
      gate,
      jobToken: true,
      params: { ...oneRequest, ...notes.noteId },
      responses: { 200: notes.Note },
      handle: async ({ caller, subject, params }) =>
        notes.getNote(services, await found(caller, subject, params), params.note_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid/notes/:note_id',
      tag,
      summary: 'Update a merge request note',
      gate,
      params: { ...oneRequest, ...notes.noteId, ...notes.noteChange, body: required(param.string()) },
      responses: notes.changedResponses,
      handle: async ({ caller, subject, params, reply }) =>
        notes.noteResponse(
          reply,
          await notes.updateNote(services, caller, await found(caller, subject, params), params.note_id, params),
        ),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/merge_requests/:merge_request_iid/notes/:note_id',
      tag,
      summary: 'Delete a merge request note',
      gate,
      params: { ...oneRequest, ...notes.noteId },
      responses: { 204: null },
      handle: async ({ caller, subject, params, request }) =>
        notes.deleteNote(services, caller, await found(caller, subject, params), params.note_id, request),
    }),
  ];
}
