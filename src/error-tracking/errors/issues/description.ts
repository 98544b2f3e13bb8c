import { instant } from '../../../platform/http/schema.ts';
import { type Frame, mainFrames, type TrackedEvent } from '../../events/public.ts';
import type { ErrorRow } from '../tables.ts';

const maxFrames = 50;
const longest = 100_000;

/**
 * The text of an issue that is made of an error. Whoever has the public key wrote what the error says, so all of it stands
 * in a block of code, where nothing is a mention, a link or a command.
 */
export function describeError(error: ErrorRow, url: string, event: TrackedEvent | undefined): string {
  const text = stackText(error, event).slice(0, longest);
  const fence = fenceFor(text);
  return [
    '## Error details',
    '',
    `- Error: [${error.fingerprint}](${url})`,
    `- First seen: ${instant(error.first_seen)}`,
    `- Last seen: ${instant(error.last_seen)}`,
    `- Events: ${error.event_count}`,
    `- Users: ${error.user_count}`,
    '',
    '## Stack trace',
    '',
    `${fence}text`,
    text,
    fence,
    '',
  ].join('\n');
}

function stackText(error: ErrorRow, event: TrackedEvent | undefined): string {
  const frames = event ? mainFrames(event).slice(-maxFrames).reverse() : [];
  return [error.title, ...frames.map(frameText)].join('\n');
}

/** The newest call first, as people read a stack. */
function frameText({ function: name, filename, abs_path, module, lineno, colno, context_line }: Frame): string {
  const place = [filename ?? abs_path ?? module ?? '<unknown>', lineno, lineno === null ? null : colno];
  const call = `  at ${name ?? '?'} (${place.filter((part) => part !== null).join(':')})`;
  return context_line === null || context_line.trim() === '' ? call : `${call}\n      ${context_line.trim()}`;
}

/** Longer than any that stands in the text. */
function fenceFor(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  return '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
}
