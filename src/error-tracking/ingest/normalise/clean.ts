import type { Json, JsonObject } from '../../events/public.ts';
import { cut, isObject } from './read.ts';

const secretNames =
  /password|passphrase|secret|passwd|api[_-]?key|^auth$|[_-]auth$|authori[sz]ation|credentials|token|cookie|csrf|private[_-]?key/i;
const cardNumber = /(?<![\d.-])(?:\d[ -]?){12,15}\d(?![\d.-])/g;

// No class may match what starts its own pattern: a hostile text would make the search quadratic.
const urlPassword = /(\/\/[^/?#\s"'@:]*:)[^/?#\s"'@]+@/g;
const urlParameter = /([?&#]([^=?&#\s"']+)=)[^?&#\s"']+/g;
const formField = /((?<![^?&;\s])([^=?&;\s]+)=)[^&;\s]+/g;
const jsonMember = /("([^"\\]*)"\s*:\s*)("(?:[^"\\]|\\.)*"?|[\w.+-]+)/g;

const maxTextLength = 8192;
const maxKeyLength = 200;
const maxDepth = 12;
const maxMembers = 1000;

export const filtered = '[Filtered]';

/** Whether values with this key must be filtered. */
export function isSecretName(name: string): boolean {
  return secretNames.test(name);
}

/** Filters payment card numbers. */
export function withoutCards(value: string): string {
  // Card numbers contain four consecutive digits in every notation.
  if (value.length < 13 || !/\d{4}/.test(value)) return value;
  return value.replace(cardNumber, (digits) => (isCard(digits.replace(/\D/g, '')) ? filtered : digits));
}

/** Verifies the check digit (Luhn). */
function isCard(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, double = false; at >= 0; at -= 1, double = !double) {
    const digit = digits.charCodeAt(at) - 48;
    sum += double ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return sum % 10 === 0;
}

/** Filters passwords and secret parameters of URLs anywhere in a text. */
function withoutUrlSecrets(value: string): string {
  if (!/[=@]/.test(value)) return value;
  return withoutFields(value.replace(urlPassword, `$1${filtered}@`), urlParameter);
}

/** Filters the secrets of a body or a query that is still a text: a form or JSON, complete or cut. */
export function withoutBodySecrets(value: string): string {
  const shortened = cut(value, maxTextLength);
  return /^\s*[[{]/.test(shortened)
    ? withoutFields(shortened, jsonMember, `"${filtered}"`)
    : withoutFields(shortened, formField);
}

function withoutFields(value: string, pattern: RegExp, replacement = filtered): string {
  return value.replace(pattern, (whole, start: string, name: string) =>
    isSecretName(decoded(name)) ? start + replacement : whole,
  );
}

function decoded(name: string): string {
  return name.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Sanitizes any value for storage: removes secrets and card numbers, truncates long and deeply nested parts. */
export function clean(value: unknown, depth = 0): Json {
  if (typeof value === 'string') return cleanText(value, maxTextLength);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object') return null;
  if (depth === maxDepth) return Array.isArray(value) ? '[…]' : '{…}';
  if (Array.isArray(value)) return value.slice(0, maxMembers).map((element) => clean(element, depth + 1));
  return cleanMembers(value as Record<string, unknown>, depth);
}

/** Sanitizes an object; null if it is not an object or empty. */
export function cleanObject(value: unknown): JsonObject | null {
  if (!isObject(value)) return null;
  const cleaned = cleanMembers(value, 0);
  return Object.keys(cleaned).length === 0 ? null : cleaned;
}

/** Sanitizes and truncates a text. */
export function cleanText(value: string, maxLength: number): string {
  return withoutUrlSecrets(cleanLine(value, maxLength));
}

/** Sanitizes and truncates a line of code, in which parameters of URLs are no values. */
export function cleanLine(value: string, maxLength: number): string {
  const shortened = cut(value, maxLength);
  return withoutCards(shortened.includes('\0') ? shortened.replaceAll('\0', '') : shortened);
}

function cleanMembers(value: Readonly<Record<string, unknown>>, depth: number): JsonObject {
  const cleaned: JsonObject = Object.create(null);
  let members = 0;
  for (const key in value) {
    if (members === maxMembers) break;
    members += 1;
    const member = value[key];
    const secret = member !== null && member !== '' && isSecretName(key);
    cleaned[cleanText(key, maxKeyLength)] = secret ? filtered : clean(member, depth + 1);
  }
  return cleaned;
}
