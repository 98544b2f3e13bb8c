import type { RE2JS } from 're2js';
import { compileUserRegex } from '../../../platform/user-regex.ts';
import type { Settings } from '../integrations/settings.ts';

const usual = '[A-Z][A-Z_0-9]+-[0-9]+';
/** Maximum number of keys per commit; each takes several requests. */
const maxKeys = 20;
const longestKey = 100;

const quoted = (text: string) => text.replace(/[^\w\s]/g, '\\$&');

/** Compiles the pattern of issue keys with RE2, which matches any user-defined expression in linear time. */
function keyPattern({ jira_issue_regex = usual, jira_issue_prefix = '' }: Settings): RE2JS {
  return compileUserRegex(`${quoted(jira_issue_prefix)}(${jira_issue_regex})`);
}

const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character);

/** Returns the distinct Jira keys in a text, in order. */
export function keysIn(settings: Settings, text: string): string[] {
  const found = new Set<string>();
  const matcher = keyPattern(settings).matcher(text);
  while (found.size < maxKeys && matcher.find()) {
    const key = matcher.group(1) ?? '';
    const [start, end] = [matcher.start(), matcher.end()];
    const isWhole = !isWord(text[start - 1]) && !isWord(text[end]);
    // The key becomes part of a URL.
    if (isWhole && key.length <= longestKey && /^[\w-]+$/.test(key)) found.add(key);
  }
  return [...found];
}

/** Whether a word is an issue key. */
export function isKey(settings: Settings, word: string): boolean {
  return compileUserRegex(settings.jira_issue_regex ?? usual).matches(word);
}

const closing =
  /(?<![\p{L}\p{N}_])(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):? +(?:issues? +)?$/iu;
const between = /^(?: *,(?: +and +| *)| +(?:and +)?)$/i;

/** Returns the keys that the text closes: `Closes ABC-1, ABC-2 and ABC-3`. */
export function closedKeysIn(settings: Settings, text: string): string[] {
  const closed = new Set<string>();
  const matcher = keyPattern(settings).matcher(text);
  let after: number | undefined;
  for (let count = 0; count < 500 && matcher.find(); count += 1) {
    const key = matcher.group(1) ?? '';
    const before = text.slice(Math.max(0, matcher.start() - 40), matcher.start());
    const goesOn = after !== undefined && between.test(text.slice(after, matcher.start()));
    after = goesOn || closing.test(before) ? matcher.end() : undefined;
    if (after !== undefined) closed.add(key);
  }
  return keysIn(settings, text).filter((key) => closed.has(key));
}
