import { Invalid } from '../../platform/http/errors.ts';
import { tooLong } from '../../platform/http/parameters/too-long.ts';

interface StatusTexts {
  readonly name?: string;
  readonly context?: string;
  readonly target_url?: string;
  readonly description?: string;
}

const longest = 255;

/** Refuses texts that are too long, and addresses that are none of the web. */
export function checkStatus(texts: StatusTexts): void {
  const problems = {
    name: tooLong(texts.name || texts.context || '', longest),
    description: tooLong(texts.description ?? '', longest),
    target_url: texts.target_url ? addressProblem(texts.target_url) : undefined,
  };
  const broken = Object.entries(problems).flatMap(([name, text]) => (text === undefined ? [] : [[name, [text]]]));
  if (broken.length > 0) throw new Invalid(Object.fromEntries(broken));
}

function addressProblem(text: string): string | undefined {
  const long = tooLong(text, longest);
  if (long !== undefined) return long;
  const url = URL.parse(text);
  if (!url) return 'is blocked: URI is invalid';
  return /^https?:$/.test(url.protocol) ? undefined : 'is blocked: Only allowed schemes are http, https';
}
