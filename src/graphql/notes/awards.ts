import { emojiCharacter, emojiName } from '../../platform/emoji.ts';
import type { Entity } from '../../platform/http/in-process.ts';
import { apiPathOf, apiPathOfNote } from '../api-paths.ts';
import { Batch } from '../engine/batch.ts';
import { connectionTypes, emptyList, pageArguments, restConnection } from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import { notAvailable } from '../engine/errors.ts';
import type { GlobalId } from '../engine/global-ids.ts';
import { mutation, mutationTypes } from '../engine/mutation.ts';
import type { Part } from '../engine/part.ts';
import { noteableApiPath } from './notes.ts';

/** Number of note ids per call. */
const notesPerCall = 200;

const counting = new WeakMap<ResolverContext, Map<string, Batch<number, true>>>();

/** Finds out which notes of a noteable have reactions: few do, and the API counts them for many notes in one call. */
function reacted(context: ResolverContext, path: string): Batch<number, true> {
  const batches = counting.get(context) ?? new Map<string, Batch<number, true>>();
  counting.set(context, batches);
  const known = batches.get(path);
  if (known) return known;
  const batch = new Batch<number, true>(async (ids) => {
    const parts = Array.from({ length: Math.ceil(ids.length / notesPerCall) }, (_, at) =>
      ids.slice(at * notesPerCall, (at + 1) * notesPerCall),
    );
    const counts = await Promise.all(parts.map((note_ids) => context.read(`${path}/notes/award_emoji`, { note_ids })));
    return new Map(counts.flatMap((counted) => counted ?? []).map(({ note_id }) => [note_id, true] as const));
  });
  batches.set(path, batch);
  return batch;
}

/** The REST API path of the reactions to a note or noteable. */
async function awardsPath(context: ResolverContext, id: GlobalId): Promise<string> {
  const { read } = context.services.db;
  const isNote = id.model.endsWith('Note');
  const place = await (isNote ? apiPathOfNote(read, id) : apiPathOf(read, id));
  if (!place) throw notAvailable();
  return isNote ? `${place.path}/notes/${id.id}/award_emoji` : `${place.path}/award_emoji`;
}

/** The caller's own reaction with this name. */
async function ownAward(context: ResolverContext, path: string, name: string): Promise<Entity | undefined> {
  for (let page = 1; ; page += 1) {
    const awards = await context.read(path, { page, per_page: 100 });
    if (awards === null) throw notAvailable();
    const canonical = emojiName(name) ?? name;
    const own = awards.find((award: Entity) => award.user.id === context.caller.user?.id && award.name === canonical);
    if (own || awards.length < 100) return own;
  }
}

async function add(context: ResolverContext, path: string, name: string) {
  const { entity, errors } = await context.send('POST', path, { name });
  return { awardEmoji: entity, errors };
}

async function remove(context: ResolverContext, path: string, award: Entity) {
  const { errors } = await context.send('DELETE', `${path}/${award.id}`);
  return { awardEmoji: null, errors };
}

const input = 'awardableId: AwardableID! name: String!';

export const noteAwards: Part = {
  types: `
    extend type Note { awardEmoji(${pageArguments}): AwardEmojiConnection }
    extend type MergeRequest { awardEmoji(${pageArguments}): AwardEmojiConnection }
    extend type Mutation {
      awardEmojiAdd(input: AwardEmojiAddInput!): AwardEmojiAddPayload
      awardEmojiRemove(input: AwardEmojiRemoveInput!): AwardEmojiRemovePayload
      awardEmojiToggle(input: AwardEmojiToggleInput!): AwardEmojiTogglePayload
    }
    "An emoji reaction."
    type AwardEmoji { emoji: String! name: String! user: UserCore! }
    ${connectionTypes('AwardEmoji')}
    ${mutationTypes('AwardEmojiAdd', input, 'awardEmoji: AwardEmoji')}
    ${mutationTypes('AwardEmojiRemove', input, 'awardEmoji: AwardEmoji')}
    ${mutationTypes('AwardEmojiToggle', input, 'awardEmoji: AwardEmoji toggledOn: Boolean!')}
  `,
  fields: {
    Note: {
      awardEmoji: async (note, page, context) => {
        const path = noteableApiPath(note.noteable);
        // The API has no counts for snippets.
        const isCounted = note.noteable.kind !== 'Snippet';
        if (note.system || (isCounted && !(await reacted(context, path).get(note.id)))) return emptyList();
        return restConnection(context, `${path}/notes/${note.id}/award_emoji`, page);
      },
    },
    MergeRequest: {
      awardEmoji: (entity, page, context) =>
        restConnection(context, `${noteableApiPath({ kind: 'MergeRequest', entity })}/award_emoji`, page),
    },
    AwardEmoji: { emoji: ({ name }) => emojiCharacter(name) ?? `:${name}:` },
    Mutation: {
      awardEmojiAdd: mutation(async (context, { awardableId, name }) =>
        add(context, await awardsPath(context, awardableId), name),
      ),
      awardEmojiRemove: mutation(async (context, { awardableId, name }) => {
        const path = await awardsPath(context, awardableId);
        const award = await ownAward(context, path, name);
        if (!award) throw notAvailable();
        return remove(context, path, award);
      }),
      awardEmojiToggle: mutation(async (context, { awardableId, name }) => {
        const path = await awardsPath(context, awardableId);
        const award = await ownAward(context, path, name);
        const done = award ? await remove(context, path, award) : await add(context, path, name);
        return { ...done, toggledOn: award === undefined && done.errors.length === 0 };
      }),
    },
  },
};
