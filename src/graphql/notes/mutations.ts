import { GraphQLError } from 'graphql';
import type { Entity } from '../../platform/http/in-process.ts';
import { type ApiPath, apiPathOf, apiPathOfNote, apiPathOfThread } from '../api-paths.ts';
import type { MutationResult, ResolverContext } from '../engine/context.ts';
import { notAvailable } from '../engine/errors.ts';
import type { GlobalId } from '../engine/global-ids.ts';
import { mutation, mutationTypes } from '../engine/mutation.ts';
import type { Part } from '../engine/part.ts';
import { noteOn, threadOn } from './notes.ts';
import type { Noteable } from './permissions.ts';

/** A noteable that the caller can read. */
async function noteableAt(
  context: ResolverContext,
  place: ApiPath | undefined,
): Promise<Noteable & { readonly path: string }> {
  const entity = place && (await context.read(place.path));
  if (!place || !entity) throw notAvailable();
  return { kind: place.kind, entity, path: place.path };
}

const reader = (context: ResolverContext) => context.services.db.read;
const noteableOf = async (context: ResolverContext, id: GlobalId) =>
  noteableAt(context, await apiPathOf(reader(context), id));

/** The created note, if any: quick actions alone create no note, and an emoji alone creates a reaction. */
const noteIn = (noteable: Noteable, { entity }: MutationResult) =>
  typeof entity?.body === 'string' ? noteOn(noteable)(entity) : null;

async function createNote(
  context: ResolverContext,
  { noteableId, discussionId, body, internal, confidential }: Entity,
) {
  const noteable = await noteableOf(context, noteableId);
  if (discussionId === undefined || discussionId === null) {
    const sent = { body, internal: internal ?? confidential ?? false };
    return answered(noteable, await context.send('POST', `${noteable.path}/notes`, sent));
  }
  const thread = await apiPathOfThread(reader(context), discussionId);
  if (thread?.path !== noteable.path) throw notAvailable();
  return answered(
    noteable,
    await context.send('POST', `${noteable.path}/discussions/${discussionId.id}/notes`, { body }),
  );
}

function answered(noteable: Noteable, written: MutationResult) {
  const { summary } = written.entity ?? {};
  return {
    note: noteIn(noteable, written),
    errors: written.errors,
    quickActionsStatus: summary ? { messages: summary } : null,
  };
}

async function createDiffNote(
  context: ResolverContext,
  { noteableId, body, position }: Entity,
  position_type: 'text' | 'image',
) {
  const noteable = await noteableOf(context, noteableId);
  if (noteable.kind !== 'MergeRequest') throw new GraphQLError('Only merge requests support diff notes');
  const { baseSha, headSha, startSha, paths, newLine, oldLine, x, y, width, height } = position;
  const { entity, errors } = await context.send('POST', `${noteable.path}/discussions`, {
    body,
    position: {
      position_type,
      base_sha: baseSha ?? noteable.entity.diff_refs?.base_sha,
      head_sha: headSha,
      start_sha: startSha,
      new_path: paths.newPath,
      old_path: paths.oldPath,
      ...(position_type === 'text' ? { new_line: newLine, old_line: oldLine } : { x, y, width, height }),
    },
  });
  return { note: entity?.notes ? threadOn(noteable)(entity).notes[0] : null, errors };
}

async function updateNote(context: ResolverContext, { id, body }: Entity) {
  const noteable = await noteableAt(context, await apiPathOfNote(reader(context), id));
  const path = `${noteable.path}/notes/${id.id}`;
  const written = await context.send('PUT', path, { body });
  // A rejected update leaves the note unchanged.
  const entity = written.entity ?? (await context.read(path));
  return { note: noteIn(noteable, { ...written, entity }), errors: written.errors };
}

async function destroyNote(context: ResolverContext, { id }: Entity) {
  const noteable = await noteableAt(context, await apiPathOfNote(reader(context), id));
  const { errors } = await context.send('DELETE', `${noteable.path}/notes/${id.id}`);
  return { note: null, errors };
}

async function toggleResolve(context: ResolverContext, { id, resolve }: Entity) {
  const noteable = await noteableAt(context, await apiPathOfThread(reader(context), id));
  const path = `${noteable.path}/discussions/${id.id}`;
  const { entity, errors } = await context.send('PUT', path, { resolved: resolve });
  return { discussion: entity ? threadOn(noteable)(entity) : null, errors };
}

export const noteMutations: Part = {
  types: `
    extend type Mutation {
      createNote(input: CreateNoteInput!): CreateNotePayload
      createDiffNote(input: CreateDiffNoteInput!): CreateDiffNotePayload
      createImageDiffNote(input: CreateImageDiffNoteInput!): CreateImageDiffNotePayload
      updateNote(input: UpdateNoteInput!): UpdateNotePayload
      destroyNote(input: DestroyNoteInput!): DestroyNotePayload
      discussionToggleResolve(input: DiscussionToggleResolveInput!): DiscussionToggleResolvePayload
    }
    input DiffPathsInput { newPath: String oldPath: String }
    input DiffPositionInput {
      baseSha: String
      headSha: String!
      newLine: Int
      oldLine: Int
      paths: DiffPathsInput!
      startSha: String!
    }
    input DiffImagePositionInput {
      baseSha: String
      headSha: String!
      height: Int!
      paths: DiffPathsInput!
      startSha: String!
      width: Int!
      x: Int!
      y: Int!
    }
    "The results of the quick actions in a note."
    type QuickActionsStatus { messages: [String!] }
    ${mutationTypes(
      'CreateNote',
      'body: String! confidential: Boolean discussionId: DiscussionID internal: Boolean noteableId: NoteableID!',
      'note: Note quickActionsStatus: QuickActionsStatus',
    )}
    ${mutationTypes(
      'CreateDiffNote',
      'body: String! noteableId: NoteableID! position: DiffPositionInput!',
      'note: Note',
    )}
    ${mutationTypes(
      'CreateImageDiffNote',
      'body: String! noteableId: NoteableID! position: DiffImagePositionInput!',
      'note: Note',
    )}
    ${mutationTypes('UpdateNote', 'body: String id: NoteID!', 'note: Note')}
    ${mutationTypes('DestroyNote', 'id: NoteID!', 'note: Note')}
    ${mutationTypes('DiscussionToggleResolve', 'id: DiscussionID! resolve: Boolean!', 'discussion: Discussion')}
  `,
  fields: {
    Mutation: {
      createNote: mutation(createNote),
      createDiffNote: mutation((context, input) => createDiffNote(context, input, 'text')),
      createImageDiffNote: mutation((context, input) => createDiffNote(context, input, 'image')),
      updateNote: mutation(updateNote),
      destroyNote: mutation(destroyNote),
      discussionToggleResolve: mutation(toggleResolve),
    },
  },
};
