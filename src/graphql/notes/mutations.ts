import { GraphQLError } from 'graphql';
import type { Entity } from '../../platform/http/in-process.ts';
import type { Asking, Written } from '../engine/asking.ts';
import { notAvailable } from '../engine/errors.ts';
import type { GlobalId } from '../engine/global-ids.ts';
import { mutation, mutationTypes } from '../engine/mutation.ts';
import type { Part } from '../engine/part.ts';
import { type Place, placeOf, placeOfNote, placeOfThread } from '../where.ts';
import { noteOn, threadOn } from './notes.ts';
import type { Noteable } from './permissions.ts';

/** What is written about, where the caller may read it. */
async function noteableAt(asking: Asking, place: Place | undefined): Promise<Noteable & { readonly path: string }> {
  const entity = place && (await asking.read(place.path));
  if (!place || !entity) throw notAvailable();
  return { kind: place.kind, entity, path: place.path };
}

const reader = (asking: Asking) => asking.services.db.read;
const noteableOf = async (asking: Asking, id: GlobalId) => noteableAt(asking, await placeOf(reader(asking), id));

/** A note that may have become none: commands alone leave no note, and an emoji alone is a reaction. */
const noteIn = (noteable: Noteable, { entity }: Written) =>
  typeof entity?.body === 'string' ? noteOn(noteable)(entity) : null;

async function createNote(asking: Asking, { noteableId, discussionId, body, internal, confidential }: Entity) {
  const noteable = await noteableOf(asking, noteableId);
  if (discussionId === undefined || discussionId === null) {
    const sent = { body, internal: internal ?? confidential ?? false };
    return answered(noteable, await asking.send('POST', `${noteable.path}/notes`, sent));
  }
  const thread = await placeOfThread(reader(asking), discussionId);
  if (thread?.path !== noteable.path) throw notAvailable();
  return answered(
    noteable,
    await asking.send('POST', `${noteable.path}/discussions/${discussionId.id}/notes`, { body }),
  );
}

function answered(noteable: Noteable, written: Written) {
  const { summary } = written.entity ?? {};
  return {
    note: noteIn(noteable, written),
    errors: written.errors,
    quickActionsStatus: summary ? { messages: summary } : null,
  };
}

async function createDiffNote(asking: Asking, { noteableId, body, position }: Entity, position_type: 'text' | 'image') {
  const noteable = await noteableOf(asking, noteableId);
  if (noteable.kind !== 'MergeRequest') throw new GraphQLError('Only merge requests have diffs to comment on');
  const { baseSha, headSha, startSha, paths, newLine, oldLine, x, y, width, height } = position;
  const { entity, errors } = await asking.send('POST', `${noteable.path}/discussions`, {
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

async function updateNote(asking: Asking, { id, body }: Entity) {
  const noteable = await noteableAt(asking, await placeOfNote(reader(asking), id));
  const path = `${noteable.path}/notes/${id.id}`;
  const written = await asking.send('PUT', path, { body });
  // What breaks a rule leaves the note as it is.
  const entity = written.entity ?? (await asking.read(path));
  return { note: noteIn(noteable, { ...written, entity }), errors: written.errors };
}

async function destroyNote(asking: Asking, { id }: Entity) {
  const noteable = await noteableAt(asking, await placeOfNote(reader(asking), id));
  const { errors } = await asking.send('DELETE', `${noteable.path}/notes/${id.id}`);
  return { note: null, errors };
}

async function toggleResolve(asking: Asking, { id, resolve }: Entity) {
  const noteable = await noteableAt(asking, await placeOfThread(reader(asking), id));
  const path = `${noteable.path}/discussions/${id.id}`;
  const { entity, errors } = await asking.send('PUT', path, { resolved: resolve });
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
    "What the commands in a text have done."
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
      createDiffNote: mutation((asking, input) => createDiffNote(asking, input, 'text')),
      createImageDiffNote: mutation((asking, input) => createDiffNote(asking, input, 'image')),
      updateNote: mutation(updateNote),
      destroyNote: mutation(destroyNote),
      discussionToggleResolve: mutation(toggleResolve),
    },
  },
};
