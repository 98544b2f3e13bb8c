import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';

const knownAddresses = statement((db, param: Param<{ emails: readonly string[] }>) =>
  db
    .selectFrom('users')
    .select((eb) => eb.fn<string>('lower', ['email']).as('email'))
    .where((eb) => eb(eb.fn<string>('lower', ['email']), 'in', param.texts('emails')))
    .where('confirmed_at', 'is not', null)
    .unionAll(
      db
        .selectFrom('emails')
        .select((eb) => eb.fn<string>('lower', ['email']).as('email'))
        .where((eb) => eb(eb.fn<string>('lower', ['email']), 'in', param.texts('emails')))
        .where('confirmed_at', 'is not', null),
    ),
);

/** Returns which of these lower-case addresses are confirmed addresses of users. */
export async function filterConfirmedEmails(db: Reader, emails: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await knownAddresses.all(db, { emails });
  return new Set(rows.map((row) => row.email));
}
