import { isRecord } from '../../platform/http/parameters/param-readers.ts';
import { importedTime, shortened } from '../content/public.ts';

/** An object from an untrusted file: every field must be validated. */
export type Fields = Readonly<Record<string, unknown>>;

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? shortened(value) : null);
/** Text of any length, stored as a file. */
export const contentOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const flagOf = (value: unknown): boolean => value === true;

/** A positive integer. */
export function numberOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= 2_147_483_647 ? Number(value) : null;
}

/** A number of seconds, possibly zero. */
export function amountOf(value: unknown): number {
  return numberOf(value) ?? 0;
}

/** A timestamp in milliseconds; defaults to the current time. */
export function timeOf(value: unknown): number {
  return importedTime(textOf(value));
}

export function timeOrNull(value: unknown): number | null {
  return textOf(value) === null ? null : timeOf(value);
}

/** A date such as `2026-01-31`. */
export function dayOf(value: unknown): string | null {
  const day = textOf(value)?.slice(0, 10) ?? '';
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)) ? day : null;
}

export const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});
export const allOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const maxListed = 5000;

/** Limits the elements of a nested list, because writing them blocks other writers. */
export const listOf = (value: unknown): Fields[] => allOf(value).slice(0, maxListed);

/** A commit ID. */
export function shaOf(value: unknown): string | null {
  const text = textOf(value);
  return text !== null && /^[0-9a-f]{40}$/.test(text) ? text : null;
}

export function enumOf<const W extends string>(value: unknown, words: readonly W[]): W | undefined {
  return words.find((word) => word === value);
}
