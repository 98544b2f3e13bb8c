import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { passwordProblems } from './rules.ts';

/** Gives a user a new password and ends a lock. */
export async function setPassword({ db, passwords, settings }: Services, user: User, password: string): Promise<void> {
  const { minimum_password_length } = await settings.read();
  const problems = passwordProblems(password, user, minimum_password_length);
  if (problems.length > 0) throw new Invalid({ password: problems });
  const password_digest = await passwords.hash(password);
  const change = { password_digest, password_expires_at: null, failed_attempts: 0, locked_until: null };
  await db.write((trx) =>
    trx
      .updateTable('users')
      .set({ ...change, updated_at: Date.now() })
      .where('id', '=', user.id)
      .execute(),
  );
}
