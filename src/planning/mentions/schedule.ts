import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Job } from '../../platform/queue/job.ts';
import {
  anyThreadReading,
  type Mentions,
  mainThreadReading,
  NeedsWorkerThread,
  type Reference,
  referenceKey,
  type TextReading,
} from '../markdown/public.ts';
import type { Target } from '../target.ts';

/** The owner of a text and how cross-references name it: by IID, by commit ID, or not at all for wiki pages. */
export type MentioningItem =
  | {
      readonly target: Target;
      /** As in `mentioned in merge request !2`. */
      readonly noun: string;
      readonly sign: string;
      readonly iid: number;
    }
  | { readonly target: Target; readonly commit: string }
  | { readonly target: Target; readonly page: true };

/** A text that was created or changed. */
export interface WrittenText {
  readonly thing: MentioningItem;
  readonly actorId: number;
  readonly text: string | null;
  /** The previous text; users mentioned there are not notified again. */
  readonly before?: string | null;
  /** The title, whose mentions count too. */
  readonly title?: string;
  readonly titleBefore?: string | undefined;
  /**
   * Set for an update: newly mentioned users are notified by e-mail, because an update itself sends no notification.
   */
  readonly changed?: boolean;
  /** ID of the note, if the text is one. */
  readonly noteId?: number;
  /** An internal note: only planners are notified, and no cross-references are created. */
  readonly internal?: boolean;
}

export interface MentionsPayload {
  readonly thing: MentioningItem;
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
    /** A text too long to be parsed in the transaction that writes it. */
    'mentions.read': WrittenText;
  }
}

const maxNames = 100;
const maxReferences = 200;

/** References to items that can have notes. */
export async function extractItemReferences(
  text: string,
  instanceUrl: string,
  reading = anyThreadReading,
): Promise<Reference[]> {
  const all = await reading.referencesOf(text, instanceUrl);
  return all.filter(({ type }) => type === 'issue' || type === 'merge_request' || type === 'epic');
}

/**
 * Schedules to-do items for mentioned users and cross-references on mentioned items. Called in the transaction that
 * writes the text; the processing happens in the background.
 */
export async function scheduleMentions(services: Services, trx: Writer, written: WrittenText): Promise<void> {
  if (!/[@#!&]|:\/\//.test(`${written.title ?? ''} ${written.text ?? ''}`)) return;
  try {
    const found = await mentioned(services, written, mainThreadReading);
    if (found) await services.queue.enqueue(trx, 'mentions.processMentions', found);
  } catch (error) {
    if (!(error instanceof NeedsWorkerThread)) throw error;
    await services.queue.enqueue(trx, 'mentions.read', written);
  }
}

/** Schedules the mentions of a text whose parsing was deferred. */
export async function readText(services: Services, job: Job<WrittenText>): Promise<void> {
  const found = await mentioned(services, job.payload, anyThreadReading);
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
  // Title and text are parsed separately, because markup does not extend from one into the other.
  const texts = [written.title ?? '', written.text ?? ''].filter((text) => text !== '');
  const before = [written.titleBefore ?? '', written.before ?? ''].filter((text) => text !== '');
  const [mentions, known] = [await allMentions(texts, reading), await allMentions(before, reading)];
  const knownNames = new Set(known.names);
  const names = mentions.names.filter((name) => !knownNames.has(name)).slice(0, maxNames);
  const itemsOf = async (all: readonly string[]) =>
    (await Promise.all(all.map((text) => extractItemReferences(text, services.externalUrl, reading)))).flat();
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
