import { randomUUID } from 'node:crypto';
import type { Breadcrumb, Exception, Frame, Level, Mechanism, TrackedEvent } from '../../events/public.ts';
import { cleanObject, cleanText, filtered, isSecretName, withoutCards } from './clean.ts';
import { occurredAt, readInstant } from './clock.ts';
import { readFrames } from './frames.ts';
import { readMessage } from './message.ts';
import { readUser } from './people.ts';
import { type Given, isObject, listOf, objectOf, text, textOrNull } from './read.ts';

const most = 50;

/** The exceptions of an event, the root cause first. */
function readExceptions(event: Given): Exception[] {
  const given = listOf(event.exception ?? event['sentry.interfaces.Exception']);
  return given.slice(-most).map((one) => {
    const value = typeof one.value === 'object' && one.value !== null ? JSON.stringify(one.value) : one.value;
    const shown = text(value, 8192);
    return {
      type: textOrNull(one.type, 255),
      value: shown === undefined ? null : cleanText(shown, 8192),
      module: textOrNull(one.module, 255),
      mechanism: readMechanism(one.mechanism),
      frames: readFrames(one.stacktrace),
    };
  });
}

function readMechanism(given: unknown): Mechanism | null {
  if (!isObject(given)) return null;
  return {
    type: textOrNull(given.type, 255),
    handled: typeof given.handled === 'boolean' ? given.handled : null,
    synthetic: given.synthetic === true,
  };
}

/** The stack beside a message: of the thread that sent it, or of the event itself. */
function readOwnFrames(event: Given): Frame[] {
  const threads = listOf(event.threads).filter((thread) => isObject(thread.stacktrace));
  const thread = threads.find(({ current, crashed }) => current === true || crashed === true) ?? threads[0];
  return readFrames(thread?.stacktrace ?? event.stacktrace);
}

const maxBreadcrumbs = 100;

/** What happened before: the last hundred. */
function readBreadcrumbs(given: unknown): Breadcrumb[] {
  return listOf(given)
    .slice(-maxBreadcrumbs)
    .map((one) => {
      const message = text(one.message, 2048);
      return {
        timestamp: readInstant(one.timestamp) ?? null,
        type: textOrNull(one.type, 64),
        category: textOrNull(one.category, 200),
        level: textOrNull(one.level, 32),
        message: message === undefined ? null : cleanText(message, 2048),
        data: cleanObject(one.data),
      };
    });
}

const maxTags = 200;
const longestTag = 200;

/** Tags come as a map or as a list of pairs; values that are no text become it, those that are null go. */
function readTags(given: unknown): Record<string, string> {
  const pairs: [unknown, unknown][] = Array.isArray(given)
    ? given.flatMap((pair) => (Array.isArray(pair) ? [[pair[0], pair[1]]] : []))
    : Object.entries(isObject(given) ? given : {});
  const tags: Record<string, string> = Object.create(null);
  for (const [key, value] of pairs.slice(0, maxTags)) {
    const name = text(key, longestTag);
    const shown = text(value, longestTag);
    if (name !== undefined && shown !== undefined) tags[name] = isSecretName(name) ? filtered : withoutCards(shown);
  }
  return tags;
}

/** What is known of an event besides its own text. */
export interface Circumstances {
  readonly receivedAt: number;
  /** Of the envelope: it wins over the id in the event. */
  readonly eventId?: unknown;
  readonly sentAt?: unknown;
  /** The address that the request came from. */
  readonly peer?: string | undefined;
}

const levels = new Map<string, Level>([
  ['fatal', 'fatal'],
  ['critical', 'fatal'],
  ['error', 'error'],
  ['warning', 'warning'],
  ['warn', 'warning'],
  ['info', 'info'],
  ['log', 'info'],
  ['debug', 'debug'],
  ['50', 'fatal'],
  ['40', 'error'],
  ['30', 'warning'],
  ['20', 'info'],
  ['10', 'debug'],
]);

/** An id as 32 hexadecimal digits; undefined for anything else. */
export function readEventId(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const digits = given.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(digits) ? digits : undefined;
}

/** Brings what any SDK sends into one shape, with secrets taken out and long parts cut. */
export function normaliseEvent(given: Given, around: Circumstances): TrackedEvent {
  const exceptions = readExceptions(given);
  const message = readMessage(given);
  // The SDKs of browsers attach the stack of a message as an exception without a type.
  const only = exceptions.length === 1 && exceptions[0]?.type === null && message ? exceptions[0] : undefined;
  const sdk = objectOf(given.sdk);
  const ownFrames = readOwnFrames(given);
  return {
    event_id: readEventId(around.eventId) ?? readEventId(given.event_id) ?? randomUUID().replaceAll('-', ''),
    timestamp: occurredAt(given, around.sentAt, around.receivedAt),
    received_at: around.receivedAt,
    level: levels.get(String(given.level).toLowerCase()) ?? 'error',
    platform: text(given.platform, 255) ?? 'other',
    environment: text(given.environment, 255) ?? 'production',
    release: textOrNull(given.release, 250),
    dist: textOrNull(given.dist, 64),
    logger: textOrNull(given.logger, 64),
    server_name: textOrNull(given.server_name, 256),
    transaction: textOrNull(given.transaction, 255),
    message,
    exceptions: only ? [] : exceptions,
    frames: only && only.frames.length > 0 ? only.frames : ownFrames,
    breadcrumbs: readBreadcrumbs(given.breadcrumbs),
    tags: readTags(given.tags),
    user: readUser(given, around.peer),
    request: cleanObject(given.request),
    contexts: cleanObject(given.contexts),
    extra: cleanObject(given.extra),
    modules: cleanObject(given.modules),
    sdk: { name: textOrNull(sdk.name, 255), version: textOrNull(sdk.version, 64) },
    fingerprint: readFingerprint(given.fingerprint),
  };
}

function readFingerprint(given: unknown): string[] {
  const parts = Array.isArray(given) ? given : [given];
  return parts.slice(0, 32).flatMap((part) => text(part, 1024) ?? []);
}
