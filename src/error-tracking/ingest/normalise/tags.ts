import { filtered, isSecretName, withoutCards } from './clean.ts';
import { isObject, text } from './read.ts';

const most = 200;
const longest = 200;

/** Tags come as a map or as a list of pairs; values that are no text become it, those that are null go. */
export function readTags(given: unknown): Record<string, string> {
  const pairs: [unknown, unknown][] = Array.isArray(given)
    ? given.flatMap((pair) => (Array.isArray(pair) ? [[pair[0], pair[1]]] : []))
    : Object.entries(isObject(given) ? given : {});
  const tags: Record<string, string> = Object.create(null);
  for (const [key, value] of pairs.slice(0, most)) {
    const name = text(key, longest);
    const shown = text(value, longest);
    if (name !== undefined && shown !== undefined) tags[name] = isSecretName(name) ? filtered : withoutCards(shown);
  }
  return tags;
}
