import type { Entity } from '../../platform/http/in-process.ts';
import { threadIdOf } from '../api-paths.ts';
import { connectionTypes, embeddedConnection, pageArguments, restConnection } from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part, Resolve } from '../engine/part.ts';
import { projectById } from '../projects/projects.ts';
import { type Noteable, noteablePermissions } from './permissions.ts';

/** The REST API path of a noteable. */
export const noteableApiPath = ({ kind, entity }: Noteable): string => {
  if (kind === 'MergeRequest') return `/projects/${entity.project_id}/merge_requests/${entity.iid}`;
  if (kind === 'Issue') return `/projects/${entity.project_id}/issues/${entity.iid}`;
  return `/projects/${entity.project_id}/snippets/${entity.id}`;
};

/** Adds its noteable to a note. */
export const noteOn = (noteable: Noteable) => (note: Entity) => ({ ...note, noteable });

/** Adds its noteable to a discussion and its notes. */
export function threadOn(noteable: Noteable) {
  return (thread: Entity): Entity => {
    const result = { ...thread, noteable };
    result.notes = thread.notes.map((note: Entity) => ({ ...note, noteable, thread: result }));
    return result;
  };
}

const discussionsOf =
  (kind: Noteable['kind']): Resolve =>
  (entity, page, context) => {
    const noteable = { kind, entity };
    return restConnection(context, `${noteableApiPath(noteable)}/discussions`, page, { as: threadOn(noteable) });
  };

const notesOf =
  (kind: Noteable['kind']): Resolve =>
  (entity, { filter, ...page }, context) => {
    const noteable = { kind, entity };
    const query = { sort: 'asc', activity_filter: filter?.toLowerCase() };
    return restConnection(context, `${noteableApiPath(noteable)}/notes`, page, { query, as: noteOn(noteable) });
  };

/** The resolvers of noteables. */
export const noteableFields = (kind: Noteable['kind']) => ({
  discussions: discussionsOf(kind),
  notes: notesOf(kind),
});

/** A discussion is resolved if all its resolvable notes are. */
function resolutionOf({ notes }: Entity) {
  const resolvable = notes.filter((note: Entity) => note.resolvable);
  const last = resolvable.at(-1);
  const resolved = resolvable.length > 0 && resolvable.every((note: Entity) => note.resolved);
  return {
    resolvable: resolvable.length > 0,
    resolved,
    ...(resolved && { at: last.resolved_at, by: last.resolved_by }),
  };
}

/** The discussion of a note, which the API's notes do not include. */
async function threadOf({ id, noteable }: Entity, context: ResolverContext): Promise<Entity | null> {
  const thread = await threadIdOf(context.services.db.read, id);
  const found = thread && (await context.read(`${noteableApiPath(noteable)}/discussions/${thread}`));
  return found ? threadOn(noteable)(found) : null;
}

const permission =
  (name: 'comment' | 'manage' | 'resolve'): Resolve =>
  async ({ noteable }, _args, context) =>
    (await noteablePermissions(context, noteable))[name];

export const notes: Part = {
  types: `
    "An object that can have notes."
    interface NoteableInterface {
      discussions(${pageArguments}): DiscussionConnection!
      notes(filter: NotesFilterType = ALL_NOTES, ${pageArguments}): NoteConnection!
    }
    enum NotesFilterType { ALL_NOTES ONLY_ACTIVITY ONLY_COMMENTS }
    "An object that can be resolved."
    interface ResolvableInterface { resolvable: Boolean! resolved: Boolean! resolvedAt: Time resolvedBy: UserCore }
    type Discussion implements ResolvableInterface {
      createdAt: Time!
      id: DiscussionID!
      notes(${pageArguments}): NoteConnection!
      replyId: DiscussionID!
      resolvable: Boolean!
      resolved: Boolean!
      resolvedAt: Time
      resolvedBy: UserCore
    }
    type Note implements ResolvableInterface {
      author: UserCore
      body: String!
      bodyHtml: String
      confidential: Boolean @deprecated(reason: "Use internal.")
      createdAt: Time!
      discussion: Discussion
      id: NoteID!
      internal: Boolean
      lastEditedAt: Time
      position: DiffPosition
      project: Project
      resolvable: Boolean!
      resolved: Boolean!
      resolvedAt: Time
      resolvedBy: UserCore
      system: Boolean!
      systemNoteIconName: String
      updatedAt: Time!
      url: String
      userPermissions: NotePermissions!
    }
    "The position of a note in a diff."
    type DiffPosition {
      diffRefs: DiffRefs!
      filePath: String!
      height: Int
      newLine: Int
      newPath: String
      oldLine: Int
      oldPath: String
      positionType: DiffPositionType!
      width: Int
      x: Int
      y: Int
    }
    enum DiffPositionType { file image text }
    "Permissions of the caller on a note."
    type NotePermissions {
      adminNote: Boolean!
      awardEmoji: Boolean!
      createNote: Boolean!
      readNote: Boolean!
      repositionNote: Boolean!
      resolveNote: Boolean!
    }
    ${connectionTypes('Note', 'count: Int!')}
    ${connectionTypes('Discussion')}
  `,
  kinds: {
    ResolvableInterface: ({ notes: written }) => (written ? 'Discussion' : 'Note'),
    NoteableInterface: ({ source_branch }) => (source_branch === undefined ? 'Issue' : 'MergeRequest'),
  },
  fields: {
    Discussion: {
      id: ({ id }) => globalId('Discussion', id),
      replyId: ({ id, individual_note }) => globalId(individual_note ? 'IndividualNoteDiscussion' : 'Discussion', id),
      createdAt: ({ notes: [first] }) => first.created_at,
      notes: embeddedConnection(({ notes: written }) => written),
      resolvable: (thread) => resolutionOf(thread).resolvable,
      resolved: (thread) => resolutionOf(thread).resolved,
      resolvedAt: (thread) => resolutionOf(thread).at,
      resolvedBy: (thread) => resolutionOf(thread).by,
    },
    Note: {
      id: ({ id, type }) => globalId(type ?? 'Note', id),
      bodyHtml: async ({ body, project_id }, _args, context) => {
        const subject = project_id === null ? undefined : await context.project(project_id);
        return subject ? context.texts.draw(subject, body) : null;
      },
      discussion: (note, _args, context) => note.thread ?? threadOf(note, context),
      // The API does not tell edits from other changes.
      lastEditedAt: ({ created_at, updated_at }) => (updated_at === created_at ? null : updated_at),
      project: ({ project_id }, _args, context) => (project_id === null ? null : projectById(context, project_id)),
      resolved: ({ resolved }) => resolved ?? false,
      systemNoteIconName: () => null,
      url: ({ id, noteable }) => `${noteable.entity.web_url}#note_${id}`,
      userPermissions: (note) => note,
    },
    DiffPosition: {
      diffRefs: ({ base_sha, head_sha, start_sha }) => ({ base_sha, head_sha, start_sha }),
      filePath: ({ new_path, old_path }) => new_path ?? old_path,
    },
    NotePermissions: {
      // Authors may change their notes as long as they may comment.
      adminNote: async ({ system, author, noteable }, _args, context) => {
        const { manage, comment } = await noteablePermissions(context, noteable);
        return !system && (manage || (comment && author?.id === context.caller.user?.id));
      },
      awardEmoji: permission('comment'),
      createNote: permission('comment'),
      readNote: () => true,
      repositionNote: permission('manage'),
      // The author of a discussion may resolve it, too.
      resolveNote: async ({ resolvable, author, thread, noteable }, _args, context) => {
        const { resolve, comment } = await noteablePermissions(context, noteable);
        const starter = thread?.notes[0].author ?? author;
        return resolvable === true && (resolve || (comment && starter?.id === context.caller.user?.id));
      },
    },
  },
};
