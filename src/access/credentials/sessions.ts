import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { digest, randomToken, safeEqual } from '../../platform/secrets/tokens.ts';
import type { Session, User } from '../tables.ts';

/** The documented name: what already knows the cookie of a GitLab session knows this one. */
export const cookieName = '_gitlab_session';

const shape = /^[A-Za-z0-9_-]{20,100}$/;

/** The secret in the `Cookie` header; undefined when there is none that could be one. */
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

/** The session behind a cookie and whose it is, whatever state they are in; undefined when it is over. */
export function findSession(db: Reader, plain: string): Promise<{ session: Session; user: User } | undefined> {
  return findSessionOf(db, digest(plain));
}

/** The same by what is stored of the cookie: for what lasts no longer than the session it comes from. */
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
 * Proves that a write comes from a page made for this session. Another each time: the length of a compressed page that
 * also shows what its address says would give a constant one away, letter by letter.
 */
export function csrfToken(plain: string): string {
  const nonce = randomToken(16);
  return `${nonce}.${proof(nonce, plain)}`;
}

export function csrfMatches(plain: string, token: string | undefined): boolean {
  const [nonce = '', given = ''] = token?.split('.', 2) ?? [];
  return nonce !== '' && safeEqual(given, proof(nonce, plain));
}
