import { Invalid } from '../../../platform/http/errors.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';

const longest = 255;
const maxTopics = 500;

/** Normalizes the topic names of a request: trimmed, without case-insensitive duplicates. */
export function cleanTopics(sent: readonly string[]): string[] {
  const found = new Map<string, string>();
  for (const text of sent) {
    const name = text.trim();
    if (name === '') continue;
    const long = lengthProblem(name, longest);
    if (long !== undefined) throw new Invalid({ topic_list: [long] });
    if (/[\r\n]/.test(name)) throw new Invalid({ topic_list: ['has characters that are not allowed'] });
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), name);
  }
  if (found.size > maxTopics) throw new Invalid({ topic_list: [`total must be less than or equal to ${maxTopics}`] });
  return [...found.values()];
}
