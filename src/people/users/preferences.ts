import type { User } from '../../access/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { PreferencesEntity } from './schema.ts';

type Preferred = Omit<PreferencesEntity, 'id' | 'user_id'>;

const usual: Preferred = {
  view_diffs_file_by_file: false,
  show_whitespace_in_diffs: true,
  pass_user_identities_to_ci_jwt: false,
  policy_advanced_editor: false,
};

export function getPreferences(user: Pick<User, 'id' | 'preferences'>): PreferencesEntity {
  const own = JSON.parse(user.preferences) as Partial<Preferred>;
  return { id: user.id, user_id: user.id, ...usual, ...own };
}

export async function setPreferences(db: Database, id: number, change: Partial<Preferred>): Promise<PreferencesEntity> {
  return db.write(async (trx) => {
    const user = await lockRow(trx, 'users', id);
    if (!user) throw new NotFound('User');
    const preferences = JSON.stringify({ ...JSON.parse(user.preferences), ...change });
    await trx.updateTable('users').set({ preferences, updated_at: Date.now() }).where('id', '=', id).execute();
    return getPreferences({ id, preferences });
  });
}
