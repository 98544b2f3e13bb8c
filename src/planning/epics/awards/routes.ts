import Type from 'typebox';
import type { Actor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { awards } from '../../award-emoji/public.ts';
import { awardableNote, awardableOf, notes, reactionsToNotes } from '../../notes/public.ts';
import { noteableEpicByIid } from '../noteable.ts';
import { oneEpic } from '../schema.ts';

const tag = 'award-emoji';
const note = { ...oneEpic, ...notes.noteId };

interface Named {
  readonly epic_iid: number;
}

/** Routes for emoji reactions on epics and their notes. */
export function epicAwardRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('read_epic');
  const noteable = (caller: Actor, subject: GroupSubject, { epic_iid }: Named) =>
    noteableEpicByIid(services, caller, subject, epic_iid, () => new NotFound('Award Emoji'));
  const found = async (caller: Actor, subject: GroupSubject, params: Named) =>
    awardableOf(await noteable(caller, subject, params));
  const foundNote = async (caller: Actor, subject: GroupSubject, params: Named & { readonly note_id: number }) =>
    awardableNote(services, await noteable(caller, subject, params), params.note_id);
  return [
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_iid/award_emoji',
      tag,
      summary: 'List emoji reactions of an epic',
      gate,
      params: oneEpic,
      paginated: true,
      responses: { 200: Type.Array(awards.AwardEmoji) },
      handle: async ({ caller, subject, params, page }) =>
        awards.listAwards(services, await found(caller, subject, params), page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/epics/:epic_iid/award_emoji',
      tag,
      summary: 'Add an emoji reaction to an epic',
      gate,
      params: { ...oneEpic, ...awards.newAward },
      responses: { 201: awards.AwardEmoji },
      handle: async ({ caller, subject, params }) =>
        awards.createAward(services, caller, await found(caller, subject, params), params.name),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_iid/award_emoji/:award_id',
      tag,
      summary: 'Get an emoji reaction of an epic',
      gate,
      params: { ...oneEpic, ...awards.awardId },
      responses: { 200: awards.AwardEmoji },
      handle: async ({ caller, subject, params }) =>
        awards.getAward(services, await found(caller, subject, params), params.award_id),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/epics/:epic_iid/award_emoji/:award_id',
      tag,
      summary: 'Delete an emoji reaction from an epic',
      gate,
      params: { ...oneEpic, ...awards.awardId },
      responses: { 204: null },
      handle: async ({ caller, subject, params, request }) =>
        awards.deleteAward(services, caller, await found(caller, subject, params), params.award_id, request),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_iid/notes/award_emoji',
      tag,
      summary: 'Count emoji reactions of epic notes',
      gate,
      params: { ...oneEpic, ...awards.notesCounted },
      responses: { 200: Type.Array(awards.NoteReaction) },
      handle: async ({ caller, subject, params }) =>
        reactionsToNotes(services, caller, await noteable(caller, subject, params), params.note_ids),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_iid/notes/:note_id/award_emoji',
      tag,
      summary: 'List emoji reactions of an epic note',
      gate,
      params: note,
      paginated: true,
      responses: { 200: Type.Array(awards.AwardEmoji) },
      handle: async ({ caller, subject, params, page }) =>
        awards.listAwards(services, await foundNote(caller, subject, params), page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/epics/:epic_iid/notes/:note_id/award_emoji',
      tag,
      summary: 'Add an emoji reaction to an epic note',
      gate,
      params: { ...note, ...awards.newAward },
      responses: { 201: awards.AwardEmoji },
      handle: async ({ caller, subject, params }) =>
        awards.createAward(services, caller, await foundNote(caller, subject, params), params.name),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_iid/notes/:note_id/award_emoji/:award_id',
      tag,
      summary: 'Get an emoji reaction of an epic note',
      gate,
      params: { ...note, ...awards.awardId },
      responses: { 200: awards.AwardEmoji },
      handle: async ({ caller, subject, params }) =>
        awards.getAward(services, await foundNote(caller, subject, params), params.award_id),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/epics/:epic_iid/notes/:note_id/award_emoji/:award_id',
      tag,
      summary: 'Delete an emoji reaction from an epic note',
      gate,
      params: { ...note, ...awards.awardId },
      responses: { 204: null },
      handle: async ({ caller, subject, params, request }) =>
        awards.deleteAward(services, caller, await foundNote(caller, subject, params), params.award_id, request),
    }),
  ];
}
