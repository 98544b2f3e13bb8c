import { instant } from '../../../platform/http/schema.ts';
import { type Frame, mainFrames, type TrackedEvent } from '../../events/public.ts';
import type { ErrorRow } from '../tables.ts';

const maxFrames = 50;
const maxLength = 100_000;

/**
 * Renders the description of an issue created from an error. The error text is untrusted, as anyone with the public key
 * can send events, so it is put into a code block, where mentions, links and quick actions have no effect.
 */
export function describeError(error: ErrorRow, url: string, event: TrackedEvent | undefined): string {
  const text = stackText(error, event).slice(0, maxLength);
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

/** Newest call first, as usual in stack traces. */
function frameText({ function: name, filename, abs_path, module, lineno, colno, context_line }: Frame): string {
  const place = [filename ?? abs_path ?? module ?? '<unknown>', lineno, lineno === null ? null : colno];
  const call = `  at ${name ?? '?'} (${place.filter((part) => part !== null).join(':')})`;
  return context_line === null || context_line.trim() === '' ? call : `${call}\n      ${context_line.trim()}`;
}

/** A fence longer than any run of backticks in the text. */
function fenceFor(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  return '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
}
