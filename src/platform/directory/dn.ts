import { isUtf8 } from 'node:buffer';

const hex = /^[0-9a-f]{2}$/i;

/** One `type=value` of a distinguished name. */
interface Part {
  readonly type: string;
  readonly value: string;
}

/**
 * Normalizes a distinguished name: types and values in lower case, no surrounding spaces, uniform escapes. Two names of
 * one entry are then equal. Undefined for an invalid name.
 */
export function normalizeDn(text: string): string | undefined {
  const parts: string[] = [];
  for (const component of split(text, ',')) {
    const values = split(component, '+').map(readPart);
    if (values.some((part) => part === undefined)) return undefined;
    const texts = values.flatMap((part) => (part ? [`${part.type}=${escapeValue(part.value)}`] : []));
    parts.push(texts.sort().join('+'));
  }
  return parts.join(',');
}

/** Splits at a separator that is neither escaped nor quoted. */
function split(text: string, separator: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? '';
    if (letter === '\\') {
      piece += letter + (text[++at] ?? '');
    } else if (letter === separator && !quoted) {
      pieces.push(piece);
      piece = '';
    } else {
      if (letter === '"') quoted = !quoted;
      piece += letter;
    }
  }
  return [...pieces, piece];
}

function readPart(component: string): Part | undefined {
  const at = component.indexOf('=');
  const type = component.slice(0, at).trim().toLowerCase();
  if (at < 1 || !/^([a-z][a-z0-9-]*|\d+(\.\d+)*)$/.test(type)) return undefined;
  const value = unescapeValue(component.slice(at + 1));
  return value === undefined || value === '' ? undefined : { type, value: value.toLowerCase() };
}

/**
 * Decodes escapes such as `\2c` and `\,`; leading and trailing spaces count only if escaped. Undefined if the bytes are
 * not UTF-8: decoded leniently, they could equal the name of another user.
 */
function unescapeValue(component: string): string | undefined {
  // Whole characters: encoding half a surrogate pair would make all of them equal.
  const letters = [...component.trimStart()];
  const bytes: Buffer[] = [];
  let significant = 0;
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] ?? '';
    if (letter === '"') continue;
    if (letter !== '\\') {
      bytes.push(Buffer.from(letter));
      if (letter !== ' ') significant = bytes.length;
      continue;
    }
    const pair = letters.slice(at + 1, at + 3).join('');
    if (hex.test(pair)) {
      bytes.push(Buffer.from(pair, 'hex'));
      at += 2;
    } else {
      if (at + 1 >= letters.length) return undefined;
      bytes.push(Buffer.from(letters[++at] ?? ''));
    }
    significant = bytes.length;
  }
  const value = Buffer.concat(bytes.slice(0, significant));
  return isUtf8(value) && component.isWellFormed() ? value.toString('utf8') : undefined;
}

function escapeValue(value: string): string {
  const escaped = value.replace(/[\\,+"<>;=]/g, (letter) => `\\${letter}`).replaceAll('\0', '\\00');
  return escaped.replace(/^[ #]/, (letter) => `\\${letter}`).replace(/ $/, '\\ ');
}

/** Whether an entry is the base or below it. Both names are normalized. */
export function isBelow(dn: string, base: string): boolean {
  return dn === base || dn.endsWith(`,${base}`);
}
