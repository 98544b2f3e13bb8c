import type { User } from '../../access/tables.ts';
import { SignInRefused } from '../../people/sessions/public.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { errorMessagesIn } from '../../platform/http/in-process.ts';
import { Refusal } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import type { Visit } from '../frame/visit.ts';

export function ownerOf({ user }: Visit): User {
  if (!user) throw new Refusal(401, '');
  return user;
}

/** The longest password that is read from a form. */
export const longestPassword = 1000;

export const passwordField = html`<label>Current password<input type="password" name="password" required autocomplete="current-password"></label>`;

/** Returns why a change of the account was refused; other errors are thrown again. */
export function refusalReason(error: unknown): string {
  if (error instanceof SignInRefused) return error.message;
  if (!(error instanceof HttpError) || error.status >= 500) throw error;
  const [first = 'That cannot be done.', ...more] = errorMessagesIn(error.body);
  return [first.charAt(0).toUpperCase() + first.slice(1), ...more].join('; ');
}
