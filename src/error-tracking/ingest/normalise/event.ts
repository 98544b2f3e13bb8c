import { randomUUID } from 'node:crypto';
import type { Breadcrumb, Exception, Frame, Level, Mechanism, TrackedEvent } from '../../events/public.ts';
import { cleanObject, cleanText, filtered, isSecretName, withoutCards } from './clean.ts';
import { occurredAt, readInstant } from './clock.ts';
import { readFrames } from './frames.ts';
import { readMessage } from './message.ts';
import { readUser } from './people.ts';
import { isObject, listOf, objectOf, type RawObject, text, textOrNull } from './read.ts';
import { readRequest } from './request.ts';

const maxExceptions = 50;

/** Reads the exceptions of an event, root cause first. */
function readExceptions(event: RawObject): Exception[] {
  const raw = listOf(event.exception ?? event['sentry.interfaces.Exception']);
  return raw.slice(-maxExceptions).map((one) => {
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

function readMechanism(raw: unknown): Mechanism | null {
  if (!isObject(raw)) return null;
  return {
    type: textOrNull(raw.type, 255),
    handled: typeof raw.handled === 'boolean' ? raw.handled : null,
    synthetic: raw.synthetic === true,
  };
}

/** Reads the stack of a message: of the thread that sent it, or of the event itself. */
function readOwnFrames(event: RawObject): Frame[] {
  const threads = listOf(event.threads).filter((thread) => isObject(thread.stacktrace));
  const thread = threads.find(({ current, crashed }) => current === true || crashed === true) ?? threads[0];
  return readFrames(thread?.stacktrace ?? event.stacktrace);
}

const maxBreadcrumbs = 100;

/** Reads the last hundred breadcrumbs. */
function readBreadcrumbs(raw: unknown): Breadcrumb[] {
  return listOf(raw)
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
const maxTagLength = 200;

/** Reads tags from an object or a list of pairs. Non-string values are converted, null values dropped. */
function readTags(raw: unknown): Record<string, string> {
  const pairs: [unknown, unknown][] = Array.isArray(raw)
    ? raw.flatMap((pair) => (Array.isArray(pair) ? [[pair[0], pair[1]]] : []))
    : Object.entries(isObject(raw) ? raw : {});
  const tags: Record<string, string> = Object.create(null);
  for (const [key, value] of pairs.slice(0, maxTags)) {
    const name = text(key, maxTagLength);
    const shown = text(value, maxTagLength);
    if (name !== undefined && shown !== undefined) tags[name] = isSecretName(name) ? filtered : withoutCards(shown);
  }
  return tags;
}

/** Context of an event from its envelope and request. */
export interface EventContext {
  readonly receivedAt: number;
  /** The ID in the envelope, which takes precedence over the one in the event. */
  readonly eventId?: unknown;
  readonly sentAt?: unknown;
  /** The IP address of the request. */
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

/** Normalizes an event ID to 32 hexadecimal digits; undefined if invalid. */
export function readEventId(raw: unknown): string | undefined {
  if (typeof raw !== 'string') return undefined;
  const digits = raw.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(digits) ? digits : undefined;
}

/** Normalizes an event of any SDK. Secrets are removed and long parts truncated. */
export function normaliseEvent(raw: RawObject, context: EventContext): TrackedEvent {
  const exceptions = readExceptions(raw);
  const message = readMessage(raw);
  // Browser SDKs attach the stack of a message as an exception without a type.
  const stackOnly = exceptions.length === 1 && exceptions[0]?.type === null && message ? exceptions[0] : undefined;
  const sdk = objectOf(raw.sdk);
  const ownFrames = readOwnFrames(raw);
  return {
    event_id: readEventId(context.eventId) ?? readEventId(raw.event_id) ?? randomUUID().replaceAll('-', ''),
    timestamp: occurredAt(raw, context.sentAt, context.receivedAt),
    received_at: context.receivedAt,
    level: levels.get(text(raw.level, 32)?.toLowerCase() ?? '') ?? 'error',
    platform: text(raw.platform, 255) ?? 'other',
    environment: text(raw.environment, 255) ?? 'production',
    release: textOrNull(raw.release, 250),
    dist: textOrNull(raw.dist, 64),
    logger: textOrNull(raw.logger, 64),
    server_name: textOrNull(raw.server_name, 256),
    transaction: textOrNull(raw.transaction, 255),
    message,
    exceptions: stackOnly ? [] : exceptions,
    frames: stackOnly && stackOnly.frames.length > 0 ? stackOnly.frames : ownFrames,
    breadcrumbs: readBreadcrumbs(raw.breadcrumbs),
    tags: readTags(raw.tags),
    user: readUser(raw, context.peer),
    request: readRequest(raw.request),
    contexts: cleanObject(raw.contexts),
    extra: cleanObject(raw.extra),
    modules: cleanObject(raw.modules),
    sdk: { name: textOrNull(sdk.name, 255), version: textOrNull(sdk.version, 64) },
    fingerprint: readFingerprint(raw.fingerprint),
  };
}

function readFingerprint(raw: unknown): string[] {
  const parts = Array.isArray(raw) ? raw : [raw];
  return parts.slice(0, 32).flatMap((part) => text(part, 1024) ?? []);
}
