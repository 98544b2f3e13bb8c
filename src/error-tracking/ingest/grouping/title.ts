import { mainException, mainFrames, type TrackedEvent } from '../../events/public.ts';
import { hasName } from './mask.ts';

const maxNameLength = 255;
const maxMessageLength = 1024;

/** Title, message and culprit of an error. */
export interface Naming {
  readonly title: string;
  readonly message: string;
  readonly culprit: string;
}

/** Names an error after the exception that was thrown, or after its message. */
export function nameOf(event: TrackedEvent): Naming {
  const culprit = culpritOf(event);
  const exception = mainException(event);
  if (!exception) {
    const text = event.message?.formatted ?? '<no message>';
    return { title: firstLine(text).slice(0, maxMessageLength), message: text.slice(0, maxMessageLength), culprit };
  }
  const caller = exception.mechanism?.synthetic ? mainFrames(event).findLast(({ in_app }) => in_app)?.function : null;
  const name = (hasName(caller) ? caller : (exception.type ?? 'Error')).slice(0, maxNameLength);
  const value = exception.value ?? event.message?.formatted;
  return {
    title: value ? `${name}: ${value.slice(0, maxMessageLength)}` : name,
    message: (value ?? exception.type ?? '<no message>').slice(0, maxMessageLength),
    culprit,
  };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] || text;
}

/** The location of an error: the transaction, or else the application's own call closest to where it was raised. */
export function culpritOf(event: TrackedEvent): string {
  if (event.transaction) return event.transaction;
  const frames = mainFrames(event);
  const frame = frames.findLast(({ in_app }) => in_app) ?? frames.at(-1);
  const place = frame?.module ?? frame?.filename;
  const call = frame && (place ? `${frame.function ?? '?'}(${place})` : frame.function);
  return (call ?? event.logger ?? '<unknown>').slice(0, maxNameLength);
}
