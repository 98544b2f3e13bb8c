import Type from 'typebox';
import type { Actor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { awards } from '../../../planning/award-emoji/public.ts';
import { awardableNote, awardableOf, notes, reactionsToNotes } from '../../../planning/notes/public.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { noteableRequest } from '../noteable.ts';
import { oneRequest } from '../schema.ts';

const tag = 'award-emoji';
const note = { ...oneRequest, ...notes.noteId };

interface Named {
  readonly merge_request_iid: number;
}

/** Routes for emoji reactions on merge requests and their notes. */
export function requestAwardRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_project');
  const noteable = (caller: Actor, subject: ProjectSubject, { merge_request_iid }: Named) =>
    noteableRequest(services, caller, subject, merge_request_iid, NotFound.record);
  const found = async (caller: Actor, subject: ProjectSubject, params: Named) =>
    awardableOf(await noteable(caller, subject, params));
  const foundNote = async (caller: Actor, subject: ProjectSubject, params: Named & { readonly note_id: number }) =>
    awardableNote(services, await noteable(caller, subject, params), params.note_id);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/award_emoji',
      tag,
      summary: 'List emoji reactions of a merge request',
      gate,
      params: oneRequest,
      paginated: true,
      responses: { 200: Type.Array(awards.AwardEmoji) },
      handle: async ({ caller, subject, params, page }) =>
        awards.listAwards(services, await found(caller, subject, params), page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/award_emoji',
      tag,
      summary: 'Add an emoji reaction to a merge request',
      gate,
      params: { ...oneRequest, ...awards.newAward },
      responses: { 201: awards.AwardEmoji },
      handle: async ({ caller, subject, params }) =>
        awards.createAward(services, caller, await found(caller, subject, params), params.name),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/award_emoji/:award_id',
      tag,
      summary: 'Get an emoji reaction of a merge request',
      gate,
      params: { ...oneRequest, ...awards.awardId },
      responses: { 200: awards.AwardEmoji },
      handle: async ({ caller, subject, params }) =>
        awards.getAward(services, await found(caller, subject, params), params.award_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/merge_requests/:merge_request_iid/award_emoji/:award_id',
      tag,
      summary: 'Delete an emoji reaction from a merge request',
      gate,
      params: { ...oneRequest, ...awards.awardId },
      responses: { 204: null },
      handle: async ({ caller, subject, params, request }) =>
        awards.deleteAward(services, caller, await found(caller, subject, params), params.award_id, request),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/notes/award_emoji',
      tag,
      summary: 'Count emoji reactions of merge request notes',
      gate,
      params: { ...oneRequest, ...awards.notesCounted },
      responses: { 200: Type.Array(awards.NoteReaction) },
      handle: async ({ caller, subject, params }) =>
        reactionsToNotes(services, caller, await noteable(caller, subject, params), params.note_ids),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/notes/:note_id/award_emoji',
      tag,
      summary: 'List emoji reactions of a merge request note',
      gate,
      params: note,
      paginated: true,
      responses: { 200: Type.Array(awards.AwardEmoji) },
      handle: async ({ caller, subject, params, page }) =>
        awards.listAwards(services, await foundNote(caller, subject, params), page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/notes/:note_id/award_emoji',
      tag,
      summary: 'Add an emoji reaction to a merge request note',
      gate,
      params: { ...note, ...awards.newAward },
      responses: { 201: awards.AwardEmoji },
      handle: async ({ caller, subject, params }) =>
        awards.createAward(services, caller, await foundNote(caller, subject, params), params.name),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/notes/:note_id/award_emoji/:award_id',
      tag,
      summary: 'Get an emoji reaction of a merge request note',
      gate,
      params: { ...note, ...awards.awardId },
      responses: { 200: awards.AwardEmoji },
      handle: async ({ caller, subject, params }) =>
        awards.getAward(services, await foundNote(caller, subject, params), params.award_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/merge_requests/:merge_request_iid/notes/:note_id/award_emoji/:award_id',
      tag,
      summary: 'Delete an emoji reaction from a merge request note',
      gate,
      params: { ...note, ...awards.awardId },
      responses: { 204: null },
      handle: async ({ caller, subject, params, request }) =>
        awards.deleteAward(services, caller, await foundNote(caller, subject, params), params.award_id, request),
    }),
  ];
}
