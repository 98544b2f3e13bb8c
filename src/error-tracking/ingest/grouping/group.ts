import { createHash } from 'node:crypto';
import { type Exception, type Frame, mainException, mainFrames, type TrackedEvent } from '../../events/public.ts';
import { hasName, maskText, stableFunction, stablePath } from './mask.ts';

/** Of the rules below: kept with each error, so that a change of the rules can be told from a change of the code. */
export const groupingVersion = 1;

/** The number of the error that an event belongs to: decimal digits, the same for the same fault in any release. */
export function fingerprintOf(event: TrackedEvent): string {
  const parts = explicitParts(event) ?? defaultParts(event);
  const hash = createHash('sha256').update(JSON.stringify([groupingVersion, event.platform, parts]));
  // 63 bits: what every database and language holds as a positive whole number.
  return (hash.digest().readBigUInt64BE(0) >> 1n).toString();
}

const isDefault = (part: string) => /^\{\{\s*default\s*\}\}$/.test(part);

/** What the sender groups by, with its variables filled in; undefined when it leaves it to us. */
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
  // Of a function without a name nothing but its file is known, which has many of them: what was thrown tells them apart.
  return hasName(countedFrames(frames).at(-1)?.function) ? parts : [...parts, value];
}

/** The calls of the program's own code, or all where none is. */
function countedFrames(frames: readonly Frame[]): readonly Frame[] {
  const own = frames.filter(({ in_app }) => in_app);
  return own.length > 0 ? own : frames;
}

/** The calls by name: lines, columns and places on disk change with every deployment. */
function frameParts(frames: readonly Frame[]): string[] {
  const parts = countedFrames(frames).map((frame) => {
    const place = frame.module ?? (frame.filename === null ? '' : stablePath(frame.filename));
    return `${place} ${stableFunction(frame.function ?? '?')}`;
  });
  // A recursion is the same fault however deep it went.
  return parts.filter((part, index) => part !== parts[index - 1]);
}
