import type { Actor } from '../../access/actor.ts';
import type { CommandTarget } from '../quick-actions/public.ts';
import type { Target } from '../target.ts';
import type { NoteRow } from './tables.ts';

/**
 * What can be commented on, as one caller finds it: each area that has such things makes one of these from its row, with
 * every decision about it taken, and hands it to the notes' service. Who may not read it is refused before that.
 */
export interface Noteable {
  /** For whom it was found: decides which records of mentions are shown. */
  readonly reader?: Actor;
  readonly target: Target;
  /** For commits, which others know by this alone. */
  readonly commitId?: string;
  readonly iid: number | null;
  readonly may: {
    readonly comment: boolean;
    /** Write internal notes, and read those of others. */
    readonly internal: boolean;
    /** Change and delete what others wrote. */
    readonly manage: boolean;
    /** Say when a note was written. */
    readonly chooseTimes: boolean;
    readonly resolve: boolean;
  };
  /** Notes for planners alone exist on issues, epics and merge requests. */
  readonly hasInternalNotes: boolean;
  /** Who hears of a note in the feed of events. */
  readonly audience: 'issues' | 'merge_requests' | 'snippets' | 'wiki' | 'code' | 'confidential';
  /** The title that the feed of events shows. */
  readonly title: string;
  /** Threads can be resolved. */
  readonly resolvable: boolean;
  /** What carries out the quick actions of comments; without it they are text like any other. */
  readonly commands?: CommandTarget;
  /** What is said comes with other comments, and whoever is told of them is told of all at once. */
  readonly inReview?: boolean;
}

/** Where in a diff a thread begins: found to be there by the area that has the diff. */
export interface DiffPosition {
  /** Kept as JSON, and answered as it is. */
  readonly position: object;
  readonly lineCode: string | null;
  /** The commit of a merge request that was commented on, if it was one. */
  readonly commitId?: string;
}

/** Whether a note was written on this very thing. */
export function isAbout({ target }: Noteable, note: NoteRow): boolean {
  return note.noteable_type === target.type && note.noteable_id === target.id;
}
