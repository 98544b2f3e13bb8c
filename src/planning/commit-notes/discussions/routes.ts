import Type from 'typebox';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { commit } from '../../../code/commits/public.ts';
import { signedInRepositoryGate } from '../../../code/repository/public.ts';
import { param } from '../../../platform/http/params.ts';
import { discussions, notes } from '../../notes/public.ts';
import { commentGate } from '../gates.ts';
import { noteableCommit } from '../noteable.ts';
import { beginThread, reply } from './service.ts';

const tag = 'discussions';
const thread = { ...commit, ...discussions.discussionId };
const threadNote = { ...thread, ...notes.noteId };

/** The threads of a commit. */
export function commitDiscussionRoutes(services: Services, gates: Gates): Route[] {
  const read = signedInRepositoryGate(gates, 'read_code', { hidden: true });
  const write = commentGate(gates);
  const found = async (caller: SignedInActor, subject: ProjectSubject, { sha }: { sha: string }) =>
    (await noteableCommit(services, caller, subject, sha)).noteable;
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/discussions',
      tag,
      summary: 'List the threads of a commit',
      gate: read,
      params: commit,
      paginated: true,
      answers: { 200: Type.Array(discussions.Discussion) },
      handle: async ({ caller, subject, params, page }) =>
        discussions.listDiscussions(services, await found(caller, subject, params), page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/commits/:sha/discussions',
      tag,
      summary: 'Begin a thread on a commit',
      gate: write,
      params: { ...commit, ...discussions.newThread, position: param.hash(discussions.position) },
      answers: discussions.threadAnswers,
      handle: async (call) =>
        notes.answered(call.reply, await beginThread(services, call, call.params.sha, call.params)),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/discussions/:discussion_id',
      tag,
      summary: 'Get a thread of a commit',
      gate: read,
      params: thread,
      answers: { 200: discussions.Discussion },
      handle: async ({ caller, subject, params }) =>
        discussions.getDiscussion(services, await found(caller, subject, params), params.discussion_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/discussions/:discussion_id/notes',
      tag,
      summary: 'List the notes of a thread of a commit',
      gate: read,
      params: thread,
      answers: { 200: Type.Array(notes.Note) },
      handle: async ({ caller, subject, params }) =>
        discussions.listThreadNotes(services, await found(caller, subject, params), params.discussion_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/commits/:sha/discussions/:discussion_id/notes',
      tag,
      summary: 'Reply to a thread of a commit',
      gate: write,
      params: { ...thread, ...discussions.newReply },
      answers: discussions.replyAnswers,
      handle: async (call) =>
        notes.answered(
          call.reply,
          await reply(services, call, call.params.sha, call.params.discussion_id, call.params),
        ),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/commits/:sha/discussions/:discussion_id/notes/:note_id',
      tag,
      summary: 'Get a note of a thread of a commit',
      gate: read,
      params: threadNote,
      answers: { 200: notes.Note },
      handle: async ({ caller, subject, params }) =>
        discussions.getThreadNote(services, await found(caller, subject, params), params.discussion_id, params.note_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/repository/commits/:sha/discussions/:discussion_id/notes/:note_id',
      tag,
      summary: 'Change a note of a thread of a commit',
      gate: read,
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
      path: '/projects/:id/repository/commits/:sha/discussions/:discussion_id/notes/:note_id',
      tag,
      summary: 'Delete a note of a thread of a commit',
      gate: read,
      params: threadNote,
      answers: { 204: null },
      handle: async ({ caller, subject, params }) =>
        discussions.deleteThreadNote(
          services,
          caller,
          await found(caller, subject, params),
          params.discussion_id,
          params.note_id,
        ),
    }),
  ];
}
