import { type HttpError, Invalid } from '../../platform/http/errors.ts';

/** Joins words: `a`, `a and b`, `a, b, and c`. */
export function joinWords(parts: readonly string[]): string {
  if (parts.length <= 2) return parts.join(' and ');
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}

function humanize(attribute: string): string {
  const words = attribute.replace(/_id$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the error text for responses that report on several users at once. */
export function errorText(error: HttpError): string {
  if (error instanceof Invalid) {
    const texts = Object.entries(error.errors).flatMap(([key, list]) => list.map((text) => `${humanize(key)} ${text}`));
    return joinWords(texts);
  }
  const { message } = error.body as { message?: unknown };
  if (error.status === 403) return 'not authorized to update member';
  if (error.status === 429) return (message as { error: string }).error;
  return String(message).replace(/^\d{3} /, '');
}
