import Type from 'typebox';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { discussions, notes } from '../../notes/public.ts';
import { noteableSnippet } from '../noteable.ts';
import { oneOfProject } from '../schema.ts';

const tag = 'discussions';
const thread = { ...oneOfProject, ...discussions.discussionId };
const threadNote = { ...thread, ...notes.noteId };

/** The threads of a snippet. */
export function snippetDiscussionRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_project', { signedIn: true });
  const found = (caller: SignedInActor, subject: ProjectSubject, { snippet_id }: { snippet_id: number }) =>
    noteableSnippet(services, caller, subject, snippet_id);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/discussions',
      tag,
      summary: 'List the threads of a snippet',
      gate,
      params: oneOfProject,
      paginated: true,
      answers: { 200: Type.Array(discussions.Discussion) },
      handle: async ({ caller, subject, params, page }) =>
        discussions.listDiscussions(services, await found(caller, subject, params), page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/snippets/:snippet_id/discussions',
      tag,
      summary: 'Begin a thread on a snippet',
      gate,
      params: { ...oneOfProject, ...discussions.newThread },
      answers: { 201: discussions.Discussion },
      handle: async ({ caller, subject, params }) =>
        discussions.createDiscussion(services, caller, await found(caller, subject, params), params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/discussions/:discussion_id',
      tag,
      summary: 'Get a thread of a snippet',
      gate,
      params: thread,
      answers: { 200: discussions.Discussion },
      handle: async ({ caller, subject, params }) =>
        discussions.getDiscussion(services, await found(caller, subject, params), params.discussion_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/discussions/:discussion_id/notes',
      tag,
      summary: 'List the notes of a thread of a snippet',
      gate,
      params: thread,
      answers: { 200: Type.Array(notes.Note) },
      handle: async ({ caller, subject, params }) =>
        discussions.listThreadNotes(services, await found(caller, subject, params), params.discussion_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/snippets/:snippet_id/discussions/:discussion_id/notes',
      tag,
      summary: 'Reply to a thread of a snippet',
      gate,
      params: { ...thread, ...discussions.newReply },
      answers: { 201: notes.Note },
      handle: async ({ caller, subject, params }) =>
        discussions.replyTo(services, caller, await found(caller, subject, params), params.discussion_id, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/discussions/:discussion_id/notes/:note_id',
      tag,
      summary: 'Get a note of a thread of a snippet',
      gate,
      params: threadNote,
      answers: { 200: notes.Note },
      handle: async ({ caller, subject, params: { discussion_id, note_id, ...params } }) =>
        discussions.getThreadNote(services, await found(caller, subject, params), discussion_id, note_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/snippets/:snippet_id/discussions/:discussion_id/notes/:note_id',
      tag,
      summary: 'Change or resolve a note of a thread of a snippet',
      gate,
      params: { ...threadNote, ...discussions.replyChange },
      rules: [discussions.replyChangeRule],
      answers: notes.changedAnswers,
      handle: async ({ caller, subject, params: { discussion_id, note_id, ...params }, reply }) =>
        notes.answered(
          reply,
          await discussions.updateThreadNote(
            services,
            caller,
            await found(caller, subject, params),
            discussion_id,
            note_id,
            params,
          ),
        ),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/snippets/:snippet_id/discussions/:discussion_id/notes/:note_id',
      tag,
      summary: 'Delete a note of a thread of a snippet',
      gate,
      params: threadNote,
      answers: { 204: null },
      handle: async ({ caller, subject, params: { discussion_id, note_id, ...params } }) =>
        discussions.deleteThreadNote(services, caller, await found(caller, subject, params), discussion_id, note_id),
    }),
  ];
}
