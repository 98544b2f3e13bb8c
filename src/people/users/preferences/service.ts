import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { changeUser } from '../accounts/store.ts';
import { type PreferencesEntity, type Preferred, readPreferences } from './schema.ts';

const defaults: Preferred = {
  view_diffs_file_by_file: false,
  show_whitespace_in_diffs: true,
  pass_user_identities_to_ci_jwt: false,
  policy_advanced_editor: false,
};

export function getPreferences(user: Pick<User, 'id' | 'preferences'>): PreferencesEntity {
  return { id: user.id, user_id: user.id, ...defaults, ...readPreferences(user.preferences) };
}

export async function setPreferences(
  services: Services,
  id: number,
  change: Partial<Preferred>,
): Promise<PreferencesEntity> {
  return services.db.write(async (trx) => {
    const user = await lockRow(trx, 'users', id);
    if (!user) throw new NotFound('User');
    const preferences = JSON.stringify({ ...readPreferences(user.preferences), ...change });
    return getPreferences(await changeUser(services, trx, user, { preferences }));
  });
}
