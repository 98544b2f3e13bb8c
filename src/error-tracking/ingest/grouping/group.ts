import { createHash } from 'node:crypto';
import { type Exception, type Frame, mainException, mainFrames, type TrackedEvent } from '../../events/public.ts';
import { hasName, maskText, stableFunction, stablePath } from './mask.ts';

/**
 * Version of the grouping rules. Stored with each error, to distinguish changes of the rules from changes of the
 * program.
 */
export const groupingVersion = 1;

/** The fingerprint of an event's error: a decimal number that is stable across releases. */
export function fingerprintOf(event: TrackedEvent): string {
  const parts = explicitParts(event) ?? defaultParts(event);
  const hash = createHash('sha256').update(JSON.stringify([groupingVersion, event.platform, parts]));
  // 63 bits fit into a positive integer in every database and language.
  return (hash.digest().readBigUInt64BE(0) >> 1n).toString();
}

const isDefault = (part: string) => /^\{\{\s*default\s*\}\}$/.test(part);

/** The fingerprint set by the client, with its variables substituted; undefined if it uses the default grouping. */
function explicitParts(event: TrackedEvent): unknown[] | undefined {
  const { fingerprint } = event;
  if (fingerprint.every(isDefault)) return undefined;
  return ['explicit', ...fingerprint.map((part) => (isDefault(part) ? defaultParts(event) : filled(part, event)))];
}

function filled(part: string, event: TrackedEvent): string {
  return part.replace(/\{\{\s*([\w.-]{1,64})\s*\}\}/g, (whole, name: string) => variable(name, event) ?? whole);
}

function variable(name: string, event: TrackedEvent): string | undefined {
  if (name.startsWith('tags.')) return event.tags[name.slice('tags.'.length)];
  const exception = mainException(event);
  const found: Record<string, string | null | undefined> = {
    type: exception?.type,
    'error.type': exception?.type,
    'error.value': exception?.value,
    message: event.message?.formatted,
    transaction: event.transaction,
    level: event.level,
    logger: event.logger,
    'stack.function': mainFrames(event).at(-1)?.function,
  };
  return Object.hasOwn(found, name) ? (found[name] ?? undefined) : undefined;
}

function defaultParts(event: TrackedEvent): unknown[] {
  const exception = mainException(event);
  if (exception) return exceptionParts(exception, mainFrames(event));
  const { message, logger } = event;
  if (message) return ['message', message.template ?? maskText(message.formatted), logger];
  return event.frames.length > 0 ? ['stack', ...frameParts(event.frames)] : ['<no data>'];
}

function exceptionParts(exception: Exception, frames: readonly Frame[]): unknown[] {
  const type = exception.mechanism?.synthetic ? null : exception.type;
  const value = maskText(exception.value ?? '');
  if (frames.length === 0) return ['value', type, value];
  const parts = ['exception', type, ...frameParts(frames)];
  // For anonymous functions only the file is known, which may contain many: include the value to distinguish them.
  return hasName(relevantFrames(frames).at(-1)?.function) ? parts : [...parts, value];
}

/** The frames of application code, or all frames if there are none. */
function relevantFrames(frames: readonly Frame[]): readonly Frame[] {
  const own = frames.filter(({ in_app }) => in_app);
  return own.length > 0 ? own : frames;
}

/** Frames by function name only: lines, columns and paths change with every deployment. */
function frameParts(frames: readonly Frame[]): string[] {
  const parts = relevantFrames(frames).map((frame) => {
    const place = frame.module ?? (frame.filename === null ? '' : stablePath(frame.filename));
    return `${place} ${stableFunction(frame.function ?? '?')}`;
  });
  // Collapse recursion, so that its depth does not matter.
  return parts.filter((part, index) => part !== parts[index - 1]);
}
