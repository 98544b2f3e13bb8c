import { HttpError } from '../../../platform/http/errors.ts';

/** The reason why a message is rejected, as shown to its sender. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export const reasons = {
  unknown:
    'The address is invalid, or its token has been rotated. Reply to the email itself, or look the address up again.',
  empty: 'The message contains only quoted text.',
  noSubject: 'The message has no subject, which becomes the title of the issue.',
  gone: 'The subject of the email was deleted, or you no longer have access to it.',
  forbidden: 'You are not allowed to do this.',
  tooLarge: (most: string) => `The message is larger than ${most}.`,
} as const;

/** Returns the reason to send for an API error; undefined for errors that are not a rejection (5xx). */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof Refused) return error.message;
  if (!(error instanceof HttpError) || error.status >= 500) return undefined;
  if (error.status === 404) return reasons.gone;
  if (error.status === 403) return reasons.forbidden;
  return messageOf(error.body) ?? error.message;
}

/** Extracts the text of an API error body: `{"message": "400 Bad request - …"}`, or one with errors by field. */
function messageOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const found = 'message' in body ? body.message : 'error' in body ? body.error : undefined;
  if (typeof found === 'string') return found.replace(/^400 Bad request - /, '');
  return found === undefined ? undefined : JSON.stringify(found);
}
