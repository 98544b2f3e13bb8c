import Type from 'typebox';
import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { Call } from '../../../platform/http/endpoint.ts';
import type { ParamMap, ParamsOf } from '../../../platform/http/params.ts';
import type { OperationsTarget } from '../../operations-target.ts';
import { noteResponse } from '../create.ts';
import type { Noteable } from '../noteable.ts';
import { changedResponses, Note, noteId } from '../schema.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

/** The thread operations of a noteable. Its routes add only method and path. */
export function threadOperations<M extends ParamMap, Subject>(
  services: Services,
  discussed: OperationsTarget<M, Subject, Noteable>,
) {
  const { what, gate, params, found } = discussed;
  type Asked<More = unknown> = Call<SignedInActor, ParamsOf<M> & More, Subject>;
  type OfThread<More = unknown> = Asked<{ readonly discussion_id: string } & More>;
  type OfNote<More = unknown> = OfThread<{ readonly note_id: number } & More>;
  const noteable = ({ caller, subject, params }: Asked) => found(caller, subject, params);
  const common = { tag: 'discussions', gate };
  const thread = { ...params, ...schema.discussionId };
  const threadNote = { ...thread, ...noteId };
  return {
    list: {
      ...common,
      summary: `List threads of ${what}`,
      params,
      paginated: true,
      responses: { 200: Type.Array(schema.Discussion) },
      handle: async (call: Asked) => service.listDiscussions(services, await noteable(call), call.page),
    },
    begin: {
      ...common,
      summary: `Create a thread on ${what}`,
      params: { ...params, ...schema.newThread },
      responses: schema.threadResponses,
      handle: async (call: Asked<schema.NewThreadParams>) => {
        const { caller, params, reply } = call;
        return noteResponse(reply, await service.createDiscussion(services, caller, await noteable(call), params));
      },
    },
    get: {
      ...common,
      summary: `Get a thread of ${what}`,
      params: thread,
      responses: { 200: schema.Discussion },
      handle: async (call: OfThread) =>
        service.getDiscussion(services, await noteable(call), call.params.discussion_id),
    },
    resolve: {
      ...common,
      summary: `Resolve or reopen a thread of ${what}`,
      params: { ...thread, ...schema.resolution },
      responses: { 200: schema.Discussion },
      handle: async (call: OfThread<{ readonly resolved: boolean }>) => {
        const { discussion_id, resolved } = call.params;
        return service.resolveDiscussion(services, call.caller, await noteable(call), discussion_id, resolved);
      },
    },
    listNotes: {
      ...common,
      summary: `List thread notes of ${what}`,
      params: thread,
      responses: { 200: Type.Array(Note) },
      handle: async (call: OfThread) =>
        service.listThreadNotes(services, await noteable(call), call.params.discussion_id),
    },
    reply: {
      ...common,
      summary: `Add a note to a thread of ${what}`,
      params: { ...thread, ...schema.newReply },
      responses: schema.replyResponses,
      handle: async (call: OfThread<schema.NewReplyParams>) => {
        const { caller, params, reply } = call;
        const { discussion_id, ...noteParams } = params;
        return noteResponse(
          reply,
          await service.replyTo(services, caller, await noteable(call), discussion_id, noteParams),
        );
      },
    },
    getNote: {
      ...common,
      summary: `Get a thread note of ${what}`,
      params: threadNote,
      responses: { 200: Note },
      handle: async (call: OfNote) => {
        const { discussion_id, note_id } = call.params;
        return service.getThreadNote(services, await noteable(call), discussion_id, note_id);
      },
    },
    changeNote: {
      ...common,
      summary: `Update or resolve a thread note of ${what}`,
      params: { ...threadNote, ...schema.replyChange },
      rules: [schema.replyChangeRule],
      responses: changedResponses,
      handle: async (call: OfNote<schema.ReplyChangeParams>) => {
        const { caller, params, reply } = call;
        const { discussion_id, note_id } = params;
        const changed = service.updateThreadNote(
          services,
          caller,
          await noteable(call),
          discussion_id,
          note_id,
          params,
        );
        return noteResponse(reply, await changed);
      },
    },
    deleteNote: {
      ...common,
      summary: `Delete a thread note of ${what}`,
      params: threadNote,
      responses: { 204: null },
      handle: async (call: OfNote) => {
        const { caller, params, request } = call;
        const { discussion_id, note_id } = params;
        return service.deleteThreadNote(services, caller, await noteable(call), discussion_id, note_id, request);
      },
    },
  };
}
