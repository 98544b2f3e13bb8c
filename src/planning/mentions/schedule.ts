import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Job } from '../../platform/queue/job.ts';
import {
  BetterElsewhere,
  type Mentions,
  type Reference,
  readingAnywhere,
  readingHere,
  referenceKey,
  type TextReading,
} from '../markdown/public.ts';
import type { Target } from '../target.ts';

/** Something that texts stand on, and how others refer to it: by its number, a commit by its id, a page of a wiki not at all. */
export type MentioningThing =
  | {
      readonly target: Target;
      /** As in `mentioned in merge request !2`. */
      readonly noun: string;
      readonly sign: string;
      readonly iid: number;
    }
  | { readonly target: Target; readonly commit: string }
  | { readonly target: Target; readonly page: true };

/** A text that was written or changed. */
export interface WrittenText {
  readonly thing: MentioningThing;
  readonly actorId: number;
  readonly text: string | null;
  /** What it said before; who was mentioned there already is not told again. */
  readonly before?: string | null;
  /** The title above it, which mentions as the text does. */
  readonly title?: string;
  readonly titleBefore?: string | undefined;
  /** It was there before: whom it mentions since are told by an email, as nobody else is told of the change. */
  readonly changed?: boolean;
  /** Where it is a comment. */
  readonly noteId?: number;
  /** Only planners read it: others are not told, and elsewhere nothing is noted. */
  readonly internal?: boolean;
}

export interface MentionsPayload {
  readonly thing: MentioningThing;
  readonly actorId: number;
  readonly noteId: number | null;
  readonly internal: boolean;
  readonly names: readonly string[];
  readonly addressed: readonly string[];
  readonly all: boolean;
  readonly references: readonly Reference[];
  readonly changed?: boolean;
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'mentions.processMentions': MentionsPayload;
    /** A text that is too long to be read while it is written. */
    'mentions.read': WrittenText;
  }
}

const maxNames = 100;
const maxReferences = 200;

/** What texts refer to that has notes of its own. */
export async function itemsIn(text: string, instanceUrl: string, reading = readingAnywhere): Promise<Reference[]> {
  const all = await reading.referencesOf(text, instanceUrl);
  return all.filter(({ type }) => type === 'issue' || type === 'merge_request' || type === 'epic');
}

/**
 * Sees to what a text brings about by what it mentions: to-dos for people, and notes on what it refers to. Called in the
 * transaction in which the text is written; the rest follows in the background.
 */
export async function scheduleMentions(services: Services, trx: Writer, written: WrittenText): Promise<void> {
  if (!/[@#!&]|:\/\//.test(`${written.title ?? ''} ${written.text ?? ''}`)) return;
  try {
    const found = await mentioned(services, written, readingHere);
    if (found) await services.queue.enqueue(trx, 'mentions.processMentions', found);
  } catch (error) {
    if (!(error instanceof BetterElsewhere)) throw error;
    await services.queue.enqueue(trx, 'mentions.read', written);
  }
}

/** Does the same for a text that was put off. */
export async function readText(services: Services, job: Job<WrittenText>): Promise<void> {
  const found = await mentioned(services, job.payload, readingAnywhere);
  await services.db.write(async (trx) => {
    if (found) await services.queue.enqueue(trx, 'mentions.processMentions', found);
    await job.finish(trx);
  });
}

async function mentioned(
  services: Services,
  written: WrittenText,
  reading: TextReading,
): Promise<MentionsPayload | undefined> {
  // Each is read by itself: what begins in a title does not end below it.
  const texts = [written.title ?? '', written.text ?? ''].filter((text) => text !== '');
  const before = [written.titleBefore ?? '', written.before ?? ''].filter((text) => text !== '');
  const [mentions, known] = [await allMentions(texts, reading), await allMentions(before, reading)];
  const knownNames = new Set(known.names);
  const names = mentions.names.filter((name) => !knownNames.has(name)).slice(0, maxNames);
  const itemsOf = async (all: readonly string[]) =>
    (await Promise.all(all.map((text) => itemsIn(text, services.externalUrl, reading)))).flat();
  const knownItems = new Set((await itemsOf(before)).map(referenceKey));
  const references =
    written.internal || 'page' in written.thing
      ? []
      : (await itemsOf(texts)).filter((reference) => !knownItems.has(referenceKey(reference))).slice(0, maxReferences);
  const all = mentions.all && !known.all;
  if (names.length === 0 && references.length === 0 && !all) return undefined;
  return {
    thing: written.thing,
    actorId: written.actorId,
    noteId: written.noteId ?? null,
    internal: written.internal ?? false,
    names,
    addressed: mentions.addressed,
    all,
    references,
    ...(written.changed && { changed: true }),
  };
}

async function allMentions(texts: readonly string[], reading: TextReading): Promise<Mentions> {
  const each = await Promise.all(texts.map((text) => reading.mentionsIn(text)));
  return {
    names: distinct(each.flatMap(({ names }) => names)),
    addressed: distinct(each.flatMap(({ addressed }) => addressed)),
    all: each.some(({ all }) => all),
  };
}

const distinct = (names: readonly string[]) => [...new Set(names)];
