import { createHmac, timingSafeEqual } from 'node:crypto';
import { sessionCookie } from '../../access/credentials/sessions.ts';
import { type Html, html } from './html.ts';
import type { Visit } from './visit.ts';

const cookieName = 'hearth_told';

/** Cookies are limited in size; longer messages are truncated. */
const longest = 1_000;

// A page on another subdomain could set the cookie, so it is signed with the session.
const markOf = (session: string, text: string) =>
  createHmac('sha256', session).update(`told ${text}`).digest('base64url');

function cookie({ services, base }: Visit, value: string, life: number): string {
  const secure = services.externalUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookieName}=${value}; Path=${base === '' ? '/' : base}; HttpOnly; SameSite=Lax; Max-Age=${life}${secure}`;
}

/** Stores a message for the next page, since the response to a form is a redirect. */
export function flashCookie(visit: Visit, text: string): string {
  const encoded = Buffer.from(text.slice(0, longest)).toString('base64url');
  const session = sessionCookie(visit.request.headers.cookie) ?? '';
  return cookie(visit, `${encoded}.${markOf(session, encoded)}`, 60);
}

/** Deletes the message after it is shown. */
export const expiredFlashCookie = (visit: Visit): string => cookie(visit, '', 0);

/** Returns the message of the previous page, if any. */
export function flashMessageOf({ user, request: { headers } }: Pick<Visit, 'user' | 'request'>): string | undefined {
  const session = sessionCookie(headers.cookie);
  const [, encoded, mark] =
    /(?:^|;\s*)hearth_told=([\w-]{1,8000})\.([\w-]{43})(?:;|$)/.exec(headers.cookie ?? '') ?? [];
  if (!user || session === undefined || encoded === undefined || mark === undefined) return undefined;
  if (!timingSafeEqual(Buffer.from(mark), Buffer.from(markOf(session, encoded)))) return undefined;
  return Buffer.from(encoded, 'base64url').toString();
}

/** Shows the message above the page. It is not cached, so navigating back does not show it again. */
export function flashNotice(visit: Visit): Html | false {
  const text = flashMessageOf(visit);
  return text !== undefined && html`<p class="told" role="status" data-turbo-temporary>${text}</p>`;
}
