import type { Message } from '../../events/public.ts';
import { clean, cleanText } from './clean.ts';
import { isObject, type RawObject, text } from './read.ts';

const maxLength = 8192;

/** Reads the message of an event. SDKs send it under three names, as text or as an object. */
export function readMessage(event: RawObject): Message | null {
  const candidates = [event.logentry, event.message, event['sentry.interfaces.Message']];
  for (const raw of candidates) {
    const message = isObject(raw) ? structured(raw) : plain(raw);
    if (message) return message;
  }
  return null;
}

function plain(raw: unknown): Message | null {
  const formatted = typeof raw === 'string' ? text(raw.trim(), maxLength) : undefined;
  return formatted === undefined ? null : { formatted: cleanText(formatted, maxLength), template: null, params: null };
}

function structured({ formatted, message, params }: RawObject): Message | null {
  const template = text(message, maxLength);
  const whole = text(formatted, maxLength) ?? (template && interpolate(template, params));
  if (whole === undefined) return null;
  const parameters = hasParams(params) ? clean(params) : null;
  return {
    formatted: cleanText(whole, maxLength),
    template: parameters === null ? null : (template ?? null),
    params: parameters,
  };
}

function hasParams(params: unknown): boolean {
  if (Array.isArray(params)) return params.length > 0;
  return isObject(params) && Object.keys(params).length > 0;
}

/** Substitutes `%s`, `%d`, `%(name)s`, `{0}`, `{}` and `{name}` as far as parameters are given. */
export function interpolate(template: string, params: unknown): string {
  const list = Array.isArray(params) ? params : [];
  const named = isObject(params) ? params : {};
  let next = 0;
  const filled = template.replace(/%%|%\((\w{1,64})\)[a-z]|%[a-z]|\{(\w{0,64})\}/g, (whole, percent, braced) => {
    if (whole === '%%') return '%';
    const name = percent ?? braced;
    const value = name && !/^\d+$/.test(name) ? own(named, name) : list[name ? Number(name) : next++];
    return value === undefined ? whole : shown(value);
  });
  return filled.slice(0, maxLength);
}

function own(params: RawObject, name: string): unknown {
  return Object.hasOwn(params, name) ? params[name] : undefined;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
