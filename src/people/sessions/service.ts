import { sessionCookie } from '../../access/credentials/sessions.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import type { SessionEntity } from './schema.ts';
import { deleteSession, listSessionsOf } from './store.ts';

const instant = (at: number) => new Date(at).toISOString();

export async function listSessions(
  { db }: Services,
  user: User,
  page: PageRequest,
  cookie: string | undefined,
): Promise<Page<SessionEntity>> {
  const own = sessionCookie(cookie);
  const current = own === undefined ? undefined : digest(own);
  const { rows, total } = await listSessionsOf(db.read, user.id, Date.now(), page);
  const items = rows.map((row) => ({
    id: row.id,
    ip_address: row.ip,
    user_agent: row.user_agent,
    current: row.digest === current,
    last_used_at: instant(row.last_used_at),
    expires_at: instant(row.expires_at),
    created_at: instant(row.created_at),
  }));
  return new Page(items, total);
}

export async function endSession({ db }: Services, user: User, id: number): Promise<void> {
  if (!(await db.write((trx) => deleteSession(trx, user.id, id)))) throw new NotFound('Session');
}
