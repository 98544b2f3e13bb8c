import type { Exception, Frame, Mechanism } from '../../events/public.ts';
import { cleanText } from './clean.ts';
import { readFrames } from './frames.ts';
import { type Given, isObject, listOf, text, textOrNull } from './read.ts';

const most = 50;

/** The exceptions of an event, the root cause first. */
export function readExceptions(event: Given): Exception[] {
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
export function readOwnFrames(event: Given): Frame[] {
  const threads = listOf(event.threads).filter((thread) => isObject(thread.stacktrace));
  const thread = threads.find(({ current, crashed }) => current === true || crashed === true) ?? threads[0];
  return readFrames(thread?.stacktrace ?? event.stacktrace);
}
