import { Invalid } from '../../platform/http/errors.ts';

interface StatusTexts {
  readonly name?: string;
  readonly context?: string;
  readonly target_url?: string;
  readonly description?: string;
}

const longest = 255;
const tooLong = `is too long (maximum is ${longest} characters)`;

/** Refuses texts that are too long, and addresses that are none of the web. */
export function checkStatus(texts: StatusTexts): void {
  const problems: Record<string, string[]> = {};
  const name = texts.name || texts.context;
  if (name && name.length > longest) problems.name = [tooLong];
  if (texts.description && texts.description.length > longest) problems.description = [tooLong];
  const address = texts.target_url ? addressProblems(texts.target_url) : [];
  if (address.length > 0) problems.target_url = address;
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

function addressProblems(text: string): string[] {
  const url = URL.parse(text);
  if (text.length > longest) return [tooLong];
  if (!url) return ['is blocked: URI is invalid'];
  return /^https?:$/.test(url.protocol) ? [] : ['is blocked: Only allowed schemes are http, https'];
}
