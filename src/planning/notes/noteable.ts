import type { Actor } from '../../access/actor.ts';
import type { CommandTarget } from '../quick-actions/public.ts';
import type { Target } from '../target.ts';
import type { NoteRow } from './tables.ts';

/**
 * Something that can be commented on, as seen by one caller. Each area with noteables builds one from its row,
 * including all permissions, and passes it to the notes service. Callers without read access are rejected before.
 */
export interface Noteable {
  /** The reader it was built for, which determines the visible cross-references. */
  readonly reader?: Actor;
  readonly target: Target;
  /** Set for commits, which are identified only by it. */
  readonly commitId?: string;
  readonly iid: number | null;
  readonly may: {
    readonly comment: boolean;
    /** Create internal notes and read those of others. */
    readonly internal: boolean;
    /** Update and delete notes of others. */
    readonly manage: boolean;
    /** Set the creation time of a note. */
    readonly chooseTimes: boolean;
    readonly resolve: boolean;
  };
  /** Whether internal notes are supported: on issues, epics and merge requests. */
  readonly hasInternalNotes: boolean;
  /** Audience of the note's event in the activity feed. */
  readonly audience: 'issues' | 'merge_requests' | 'snippets' | 'wiki' | 'code' | 'confidential';
  /** Title shown in the activity feed. */
  readonly title: string;
  /** Whether threads can be resolved. */
  readonly resolvable: boolean;
  /** Executes the quick actions of notes; without it they are plain text. */
  readonly commands?: CommandTarget;
  /** The note is published as part of a review, which sends one notification for all its notes. */
  readonly inReview?: boolean;
}

/** Validated position of a thread in a diff. */
export interface DiffPosition {
  /** Stored as JSON and returned unchanged. */
  readonly position: object;
  readonly lineCode: string | null;
  /** The commit of the merge request that the note is on, if any. */
  readonly commitId?: string;
}

/** Whether a note belongs to this noteable. */
export function belongsToNoteable({ target }: Noteable, note: NoteRow): boolean {
  return note.noteable_type === target.type && note.noteable_id === target.id;
}
