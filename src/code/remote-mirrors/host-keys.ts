import { parseSshKey } from '../../people/keys/public.ts';
import { BadRequest } from '../../platform/http/errors.ts';

const maxKeys = 10;
const maxKeyLength = 8192;
const standardPort = '22';

/**
 * Converts host keys, each `type base64` or a line of a `known_hosts` file, to the `known_hosts` lines of a mirror.
 * Bare keys belong to the host of the URL.
 */
export function readHostKeys(keys: readonly string[], url: URL): string {
  if (keys.length > maxKeys) throw invalidKeys([`too many host keys (maximum is ${maxKeys})`]);
  const sent = keys.map((key) => key.trim()).filter((key) => key !== '');
  const lines = sent.map((key) => knownHostsLine(key, url));
  const invalid = sent.filter((_, at) => lines[at] === undefined);
  if (invalid.length > 0) throw invalidKeys(invalid.map((key) => key.slice(0, 255)));
  return lines.map((line) => `${line}\n`).join('');
}

function invalidKeys(keys: readonly string[]) {
  return BadRequest.plain(`Invalid SSH host key(s): ${keys.join(', ')}`);
}

function knownHostsLine(key: string, url: URL): string | undefined {
  if (key.length > maxKeyLength || /[\r\n]/.test(key)) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const bare = readKey(key);
  if (bare !== undefined) return `${host} ${bare}`;
  const [names, rest] = firstWord(key);
  const named = /^[#@]/.test(names) ? undefined : readKey(rest);
  // ssh looks the server up by its name alone, whatever its port.
  const withPort = `[${host}]:${url.port || standardPort}`;
  const isOurs = names.split(',').some((name) => name === host || name === withPort);
  return named && `${isOurs ? host : names} ${named}`;
}

/** Returns the type and the base64 of a key, without its comment. */
function readKey(text: string): string | undefined {
  const [type, rest] = firstWord(text);
  // Forms decode the plus signs of an unescaped key as spaces.
  const spellings = [firstWord(rest)[0], rest, rest.slice(0, Math.max(0, rest.lastIndexOf(' ')))];
  return spellings
    .map((encoded) => `${type} ${encoded.replaceAll(' ', '+')}`)
    .find((spelling) => parseSshKey(spelling) !== undefined);
}

function firstWord(text: string): [word: string, rest: string] {
  const [word = ''] = /^[^ \t]*/.exec(text) ?? [];
  return [word, text.slice(word.length).replace(/^[ \t]+/, '')];
}
