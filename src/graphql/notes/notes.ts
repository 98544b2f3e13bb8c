import type { Entity } from '../../platform/http/in-process.ts';
import { threadIdOf } from '../api-paths.ts';
import { carried, connectionTypes, listed, pageArguments } from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part, Resolve } from '../engine/part.ts';
import { projectById } from '../projects/projects.ts';
import { type Noteable, noteablePermissions } from './permissions.ts';

/** Where the API has what is written about. */
export const pathOf = ({ kind, entity }: Noteable): string => {
  if (kind === 'MergeRequest') return `/projects/${entity.project_id}/merge_requests/${entity.iid}`;
  if (kind === 'Issue') return `/projects/${entity.project_id}/issues/${entity.iid}`;
  return `/projects/${entity.project_id}/snippets/${entity.id}`;
};

/** A note, with what it is about. */
export const noteOn = (noteable: Noteable) => (note: Entity) => ({ ...note, noteable });

/** A thread, with what it is about. */
export function threadOn(noteable: Noteable) {
  return (thread: Entity): Entity => {
    const made = { ...thread, noteable };
    made.notes = thread.notes.map((note: Entity) => ({ ...note, noteable, thread: made }));
    return made;
  };
}

const discussionsOf =
  (kind: Noteable['kind']): Resolve =>
  (entity, page, context) => {
    const noteable = { kind, entity };
    return listed(context, `${pathOf(noteable)}/discussions`, page, { as: threadOn(noteable) });
  };

const notesOf =
  (kind: Noteable['kind']): Resolve =>
  (entity, { filter, ...page }, context) => {
    const noteable = { kind, entity };
    const query = { sort: 'asc', activity_filter: filter?.toLowerCase() };
    return listed(context, `${pathOf(noteable)}/notes`, page, { query, as: noteOn(noteable) });
  };

/** The fields of whatever can be written about. */
export const noteableFields = (kind: Noteable['kind']) => ({
  discussions: discussionsOf(kind),
  notes: notesOf(kind),
});

/** What is resolved of a thread: all of it that can be. */
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

/** The API tells a note without its thread. */
async function threadOf({ id, noteable }: Entity, context: ResolverContext): Promise<Entity | null> {
  const thread = await threadIdOf(context.services.db.read, id);
  const found = thread && (await context.read(`${pathOf(noteable)}/discussions/${thread}`));
  return found ? threadOn(noteable)(found) : null;
}

const permission =
  (name: 'comment' | 'manage' | 'resolve'): Resolve =>
  async ({ noteable }, _given, context) =>
    (await noteablePermissions(context, noteable))[name];

export const notes: Part = {
  types: `
    "Something that is written about."
    interface NoteableInterface {
      discussions(${pageArguments}): DiscussionConnection!
      notes(filter: NotesFilterType = ALL_NOTES, ${pageArguments}): NoteConnection!
    }
    enum NotesFilterType { ALL_NOTES ONLY_ACTIVITY ONLY_COMMENTS }
    "What can be marked as settled."
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
      confidential: Boolean @deprecated(reason: "Ask for internal.")
      createdAt: Time!
      discussion: Discussion
      id: NoteID!
      internal: Boolean
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
    "Where in a diff a note stands."
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
    "What the caller may do with a note."
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
      notes: carried(({ notes: written }) => written),
      resolvable: (thread) => resolutionOf(thread).resolvable,
      resolved: (thread) => resolutionOf(thread).resolved,
      resolvedAt: (thread) => resolutionOf(thread).at,
      resolvedBy: (thread) => resolutionOf(thread).by,
    },
    Note: {
      id: ({ id, type }) => globalId(type ?? 'Note', id),
      bodyHtml: async ({ body, project_id }, _given, context) => {
        const subject = project_id === null ? undefined : await context.project(project_id);
        return subject ? context.texts.draw(subject, body) : null;
      },
      discussion: (note, _given, context) => note.thread ?? threadOf(note, context),
      project: ({ project_id }, _given, context) => (project_id === null ? null : projectById(context, project_id)),
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
      // Whoever wrote a note may change it as long as they may write.
      adminNote: async ({ system, author, noteable }, _given, context) => {
        const { manage, comment } = await noteablePermissions(context, noteable);
        return !system && (manage || (comment && author?.id === context.caller.user?.id));
      },
      awardEmoji: permission('comment'),
      createNote: permission('comment'),
      readNote: () => true,
      repositionNote: permission('manage'),
      // As does whoever began a thread with it.
      resolveNote: async ({ resolvable, author, thread, noteable }, _given, context) => {
        const { resolve, comment } = await noteablePermissions(context, noteable);
        const beginner = thread?.notes[0].author ?? author;
        return resolvable === true && (resolve || (comment && beginner?.id === context.caller.user?.id));
      },
    },
  },
};
