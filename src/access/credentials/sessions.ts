import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { digest, randomToken, safeEqual } from '../../platform/secrets/tokens.ts';
import type { Session, User } from '../tables.ts';

/** GitLab's cookie name, which existing tools and proxies expect. */
export const cookieName = '_gitlab_session';

const shape = /^[A-Za-z0-9_-]{20,100}$/;

/** The session secret in the `Cookie` header; undefined if there is none of the right format. */
export function sessionCookie(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at < 0 || pair.slice(0, at).trim() !== cookieName) continue;
    const value = pair.slice(at + 1).trim();
    return shape.test(value) ? value : undefined;
  }
  return undefined;
}

const sessionByDigest = statement(
  (db, param: Param<{ digest: string }>) => db.selectFrom('sessions').selectAll().where('digest', '=', param('digest')),
  { cached: true },
);
const userById = statement(
  (db, param: Param<{ id: number }>) => db.selectFrom('users').selectAll().where('id', '=', param('id')),
  { cached: true },
);

/** The session of a cookie and its user, in any state; undefined if the session has expired. */
export function findSession(db: Reader, plain: string): Promise<{ session: Session; user: User } | undefined> {
  return findSessionOf(db, digest(plain));
}

/** Finds a session by its digest, for things whose lifetime is tied to a session. */
export async function findSessionOf(
  db: Reader,
  stored: string,
  now = Date.now(),
): Promise<{ session: Session; user: User } | undefined> {
  const session = await sessionByDigest.first(db, { digest: stored });
  if (!session || session.expires_at <= now) return undefined;
  const user = await userById.first(db, { id: session.user_id });
  return user && { session, user };
}

const proof = (nonce: string, plain: string) => digest(`csrf ${nonce} ${plain}`);

/**
 * A CSRF token for this session, different each time: in a compressed page that also reflects its URL, a constant token
 * could be guessed letter by letter from the length (BREACH).
 */
export function csrfToken(plain: string): string {
  const nonce = randomToken(16);
  return `${nonce}.${proof(nonce, plain)}`;
}

export function csrfMatches(plain: string, token: string | undefined): boolean {
  const [nonce = '', received = ''] = token?.split('.', 2) ?? [];
  return nonce !== '' && safeEqual(received, proof(nonce, plain));
}
