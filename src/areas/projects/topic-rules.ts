import { Invalid } from '../../platform/http/errors.ts';

const longest = 255;

/** The topics that a request means: trimmed, each once whatever its case, in the order of their names. */
export function cleanTopics(sent: readonly string[]): string[] {
  const found = new Map<string, string>();
  for (const text of sent) {
    const name = text.trim();
    if (name === '') continue;
    if (name.length > longest) throw new Invalid({ topic_list: [`is too long (maximum is ${longest} characters)`] });
    if (/[\r\n]/.test(name)) throw new Invalid({ topic_list: ['has characters that are not allowed'] });
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), name);
  }
  return [...found.values()].sort((a, b) => (a < b ? -1 : 1));
}
