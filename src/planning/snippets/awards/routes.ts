import Type from 'typebox';
import type { Actor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { awards } from '../../award-emoji/public.ts';
import { awardableNote, awardableOf, notes } from '../../notes/public.ts';
import { noteableSnippet } from '../noteable.ts';
import { oneOfProject } from '../schema.ts';

const tag = 'award-emoji';
const note = { ...oneOfProject, ...notes.noteId };

interface Named {
  readonly snippet_id: number;
}

/** Routes for emoji reactions on project snippets and their notes. */
export function snippetAwardRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_project');
  const noteable = (caller: Actor, subject: ProjectSubject, { snippet_id }: Named) =>
    noteableSnippet(services, caller, subject, snippet_id, () => new NotFound('Award Emoji'));
  const found = async (caller: Actor, subject: ProjectSubject, params: Named) =>
    awardableOf(await noteable(caller, subject, params));
  const foundNote = async (caller: Actor, subject: ProjectSubject, params: Named & { readonly note_id: number }) =>
    awardableNote(services, await noteable(caller, subject, params), params.note_id);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/award_emoji',
      tag,
      summary: 'List emoji reactions of a snippet',
      gate,
      params: oneOfProject,
      paginated: true,
      responses: { 200: Type.Array(awards.AwardEmoji) },
      handle: async ({ caller, subject, params, page }) =>
        awards.listAwards(services, await found(caller, subject, params), page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/snippets/:snippet_id/award_emoji',
      tag,
      summary: 'Add an emoji reaction to a snippet',
      gate,
      params: { ...oneOfProject, ...awards.newAward },
      responses: { 201: awards.AwardEmoji },
      handle: async ({ caller, subject, params }) =>
        awards.createAward(services, caller, await found(caller, subject, params), params.name),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/award_emoji/:award_id',
      tag,
      summary: 'Get an emoji reaction of a snippet',
      gate,
      params: { ...oneOfProject, ...awards.awardId },
      responses: { 200: awards.AwardEmoji },
      handle: async ({ caller, subject, params }) =>
        awards.getAward(services, await found(caller, subject, params), params.award_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/snippets/:snippet_id/award_emoji/:award_id',
      tag,
      summary: 'Delete an emoji reaction from a snippet',
      gate,
      params: { ...oneOfProject, ...awards.awardId },
      responses: { 204: null },
      handle: async ({ caller, subject, params, request }) =>
        awards.deleteAward(services, caller, await found(caller, subject, params), params.award_id, request),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/notes/:note_id/award_emoji',
      tag,
      summary: 'List emoji reactions of a snippet note',
      gate,
      params: note,
      paginated: true,
      responses: { 200: Type.Array(awards.AwardEmoji) },
      handle: async ({ caller, subject, params, page }) =>
        awards.listAwards(services, await foundNote(caller, subject, params), page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/snippets/:snippet_id/notes/:note_id/award_emoji',
      tag,
      summary: 'Add an emoji reaction to a snippet note',
      gate,
      params: { ...note, ...awards.newAward },
      responses: { 201: awards.AwardEmoji },
      handle: async ({ caller, subject, params }) =>
        awards.createAward(services, caller, await foundNote(caller, subject, params), params.name),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/snippets/:snippet_id/notes/:note_id/award_emoji/:award_id',
      tag,
      summary: 'Get an emoji reaction of a snippet note',
      gate,
      params: { ...note, ...awards.awardId },
      responses: { 200: awards.AwardEmoji },
      handle: async ({ caller, subject, params }) =>
        awards.getAward(services, await foundNote(caller, subject, params), params.award_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/snippets/:snippet_id/notes/:note_id/award_emoji/:award_id',
      tag,
      summary: 'Delete an emoji reaction from a snippet note',
      gate,
      params: { ...note, ...awards.awardId },
      responses: { 204: null },
      handle: async ({ caller, subject, params, request }) =>
        awards.deleteAward(services, caller, await foundNote(caller, subject, params), params.award_id, request),
    }),
  ];
}
