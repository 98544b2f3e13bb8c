import Type from 'typebox';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { discussions, notes } from '../../notes/public.ts';
import { noteableIssue } from '../noteable.ts';
import { oneIssue } from '../schema.ts';

const tag = 'discussions';
const thread = { ...oneIssue, ...discussions.discussionId };
const threadNote = { ...thread, ...notes.noteId };

/** The threads of an issue. */
export function issueDiscussionRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_project', { signedIn: true });
  const found = (caller: SignedInActor, subject: ProjectSubject, { issue_iid }: { issue_iid: number }) =>
    noteableIssue(services, caller, subject, issue_iid);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/discussions',
      tag,
      summary: 'List the threads of an issue',
      gate,
      params: oneIssue,
      paginated: true,
      answers: { 200: Type.Array(discussions.Discussion) },
      handle: async ({ caller, subject, params, page }) =>
        discussions.listDiscussions(services, await found(caller, subject, params), page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/discussions',
      tag,
      summary: 'Begin a thread on an issue',
      gate,
      params: { ...oneIssue, ...discussions.newThread },
      answers: discussions.threadAnswers,
      handle: async ({ caller, subject, params, reply }) =>
        notes.answered(
          reply,
          await discussions.createDiscussion(services, caller, await found(caller, subject, params), params),
        ),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id',
      tag,
      summary: 'Get a thread of an issue',
      gate,
      params: thread,
      answers: { 200: discussions.Discussion },
      handle: async ({ caller, subject, params }) =>
        discussions.getDiscussion(services, await found(caller, subject, params), params.discussion_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id',
      tag,
      summary: 'Resolve a thread of an issue',
      gate,
      params: { ...thread, ...discussions.resolution },
      answers: { 200: discussions.Discussion },
      handle: async ({ caller, subject, params: { discussion_id, resolved, ...params } }) =>
        discussions.resolveDiscussion(services, caller, await found(caller, subject, params), discussion_id, resolved),
    }),
    ...replyRoutes(services, gates),
  ];
}

function replyRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_project', { signedIn: true });
  const found = (caller: SignedInActor, subject: ProjectSubject, { issue_iid }: { issue_iid: number }) =>
    noteableIssue(services, caller, subject, issue_iid);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes',
      tag,
      summary: 'List the notes of a thread of an issue',
      gate,
      params: thread,
      answers: { 200: Type.Array(notes.Note) },
      handle: async ({ caller, subject, params }) =>
        discussions.listThreadNotes(services, await found(caller, subject, params), params.discussion_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes',
      tag,
      summary: 'Reply to a thread of an issue',
      gate,
      params: { ...thread, ...discussions.newReply },
      answers: discussions.replyAnswers,
      handle: async ({ caller, subject, params: { discussion_id, ...params }, reply }) =>
        notes.answered(
          reply,
          await discussions.replyTo(services, caller, await found(caller, subject, params), discussion_id, params),
        ),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes/:note_id',
      tag,
      summary: 'Get a note of a thread of an issue',
      gate,
      params: threadNote,
      answers: { 200: notes.Note },
      handle: async ({ caller, subject, params: { discussion_id, note_id, ...params } }) =>
        discussions.getThreadNote(services, await found(caller, subject, params), discussion_id, note_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes/:note_id',
      tag,
      summary: 'Change or resolve a note of a thread of an issue',
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
      path: '/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes/:note_id',
      tag,
      summary: 'Delete a note of a thread of an issue',
      gate,
      params: threadNote,
      answers: { 204: null },
      handle: async ({ caller, subject, params: { discussion_id, note_id, ...params } }) =>
        discussions.deleteThreadNote(services, caller, await found(caller, subject, params), discussion_id, note_id),
    }),
  ];
}
