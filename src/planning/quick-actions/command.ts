import { type ArgumentKind, type ArgumentOf, parseArgument } from './arguments.ts';
import type { Changes } from './changes.ts';
import type { Day } from './dates.ts';
import type { Findings, Person, Titled, Wanted } from './findings.ts';

/** What a command can stand on. */
export type NoteableKind = 'issue' | 'incident' | 'task' | 'merge_request' | 'epic' | 'commit';

/** What the writer must be allowed to do with the item; which ability of the policy that is, the item's area says. */
export type Right =
  | 'read'
  | 'comment'
  | 'award'
  | 'update'
  | 'set_metadata'
  | 'admin'
  | 'track_time'
  | 'link'
  | 'move'
  | 'promote'
  | 'merge'
  | 'push'
  | 'approve'
  | 'review'
  | 'run_pipeline'
  | 'create_merge_request';

/** The item as it is before the commands; what a kind of item does not have is left out. */
export interface Subject {
  readonly kind: NoteableKind;
  readonly state: 'opened' | 'closed' | 'merged' | 'locked';
  readonly assignees?: readonly Person[];
  readonly reviewers?: readonly Person[];
  readonly labels?: readonly Titled[];
  readonly milestone?: Titled | null;
  readonly dueDate?: Day | null;
  readonly timeEstimate?: number;
  readonly totalTimeSpent?: number;
  readonly confidential?: boolean;
  readonly discussionLocked?: boolean;
  readonly draft?: boolean;
  readonly sourceBranch?: string;
  readonly weight?: number | null;
  readonly healthStatus?: string | null;
  readonly hasParent?: boolean;
  readonly iteration?: Titled | null;
  /** The labels of the columns of the only board; left out where there is no such board. */
  readonly boardColumns?: readonly number[];
  /** Whether the writer is subscribed, has a pending to-do, or has approved. */
  readonly subscribed?: boolean;
  readonly pendingTodo?: boolean;
  readonly approved?: boolean;
}

export interface Context {
  readonly subject: Subject;
  readonly writer: Person;
  readonly today: Day;
  /** The time of writing, for what is dated. */
  readonly now: Date;
  /** Durations are said in hours at most. */
  readonly hoursOnly: boolean;
  readonly can: (right: Right) => boolean;
  /** What the writer's words were found to mean. */
  readonly found: Findings;
}

/** What a command says of itself: a message, a failure that it explains, or nothing where it had no effect. */
export type Said = string | { readonly failure: string } | undefined;

export interface Definition<Kind extends ArgumentKind> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly on: readonly NoteableKind[];
  readonly right: Right;
  readonly argument: Kind;
  /** What it has to do with the item as it is; else it cannot be applied. */
  readonly when?: (context: Context) => boolean;
  /** What must be looked up for it. */
  readonly wants?: (argument: ArgumentOf[Kind]) => Wanted;
  readonly run: (argument: ArgumentOf[Kind], context: Context, changes: Changes) => Said;
}

/** A command with its argument read. */
export interface Prepared {
  readonly wanted: Wanted;
  readonly run: (context: Context, changes: Changes) => Said;
}

export interface Command {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly on: readonly NoteableKind[];
  readonly right: Right;
  readonly argument: ArgumentKind;
  readonly when: (context: Context) => boolean;
  /** Nothing where the text is not what the command takes. */
  readonly prepare: (text: string, today: Day) => Prepared | undefined;
}

export function command<Kind extends ArgumentKind>(definition: Definition<Kind>): Command {
  const { name, aliases = [], on, right, argument, when = () => true, wants, run } = definition;
  const prepare = (text: string, today: Day): Prepared | undefined => {
    const read = parseArgument(argument, text, today);
    if (read === undefined) return undefined;
    return { wanted: wants?.(read) ?? {}, run: (context, changes) => run(read, context, changes) };
  };
  return { name, aliases, on, right, argument, when, prepare };
}

const nouns: Readonly<Record<NoteableKind, string>> = {
  issue: 'issue',
  incident: 'incident',
  task: 'task',
  merge_request: 'merge request',
  epic: 'epic',
  commit: 'commit',
};

export function nounOf({ subject }: Context): string {
  return nouns[subject.kind];
}

/** `a`, `a and b`, `a, b, and c`. */
export function sentence(words: readonly string[]): string {
  if (words.length < 3) return words.join(' and ');
  return `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`;
}

export const issues = ['issue', 'incident', 'task'] as const;
export const issuables = [...issues, 'merge_request'] as const;
export const planned = [...issuables, 'epic'] as const;
