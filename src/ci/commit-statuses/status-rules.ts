import { Invalid } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';

interface StatusTexts {
  readonly name?: string;
  readonly context?: string;
  readonly target_url?: string;
  readonly description?: string;
}

const maxLength = 255;

/** Rejects texts that are too long and target URLs that are not HTTP or HTTPS. */
export function checkStatus(texts: StatusTexts): void {
  const problems = {
    name: lengthProblem(texts.name || texts.context || '', maxLength),
    description: lengthProblem(texts.description ?? '', maxLength),
    target_url: texts.target_url ? addressProblem(texts.target_url) : undefined,
  };
  const errors = Object.entries(problems).flatMap(([name, text]) => (text === undefined ? [] : [[name, [text]]]));
  if (errors.length > 0) throw new Invalid(Object.fromEntries(errors));
}

function addressProblem(text: string): string | undefined {
  const long = lengthProblem(text, maxLength);
  if (long !== undefined) return long;
  const url = URL.parse(text);
  if (!url) return 'is blocked: URI is invalid';
  return /^https?:$/.test(url.protocol) ? undefined : 'is blocked: Only allowed schemes are http, https';
}
