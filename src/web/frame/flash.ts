import { createHmac, timingSafeEqual } from 'node:crypto';
import { sessionCookie } from '../../access/credentials/sessions.ts';
import { type Html, html } from './html.ts';
import type { Visit } from './visit.ts';

const cookieName = 'hearth_told';

/** Cookies are small: of what is longer the rest is left out. */
const longest = 1_000;

// A page of another host below the same name could set the cookie too: what it says must come from this session.
const markOf = (session: string, text: string) =>
  createHmac('sha256', session).update(`told ${text}`).digest('base64url');

function cookie({ services, base }: Visit, value: string, life: number): string {
  const secure = services.externalUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookieName}=${value}; Path=${base === '' ? '/' : base}; HttpOnly; SameSite=Lax; Max-Age=${life}${secure}`;
}

/** Keeps what was done until the next page, which says it: what a form is answered with is an address alone. */
export function flashCookie(visit: Visit, text: string): string {
  const encoded = Buffer.from(text.slice(0, longest)).toString('base64url');
  const session = sessionCookie(visit.request.headers.cookie) ?? '';
  return cookie(visit, `${encoded}.${markOf(session, encoded)}`, 60);
}

/** It is said once. */
export const expiredFlashCookie = (visit: Visit): string => cookie(visit, '', 0);

/** What the page before has done; undefined where there is nothing to say. */
export function toldOf({ user, request: { headers } }: Pick<Visit, 'user' | 'request'>): string | undefined {
  const session = sessionCookie(headers.cookie);
  const [, encoded, mark] =
    /(?:^|;\s*)hearth_told=([\w-]{1,8000})\.([\w-]{43})(?:;|$)/.exec(headers.cookie ?? '') ?? [];
  if (!user || session === undefined || encoded === undefined || mark === undefined) return undefined;
  if (!timingSafeEqual(Buffer.from(mark), Buffer.from(markOf(session, encoded)))) return undefined;
  return Buffer.from(encoded, 'base64url').toString();
}

/** Above what the page shows; a page that is gone back to does not say it again. */
export function toldNotice(visit: Visit): Html | false {
  const text = toldOf(visit);
  return text !== undefined && html`<p class="told" role="status" data-turbo-temporary>${text}</p>`;
}
