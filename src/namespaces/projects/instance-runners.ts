import { settingsWithAncestors } from '../../access/stored-settings.ts';
import type { Reader } from '../../platform/database/database.ts';

/** Whether projects of a namespace use instance runners by default, and whether they may enable them. */
export interface InstanceRunners {
  readonly usual: boolean;
  readonly allowed: boolean;
}

/** Combines the settings of the ancestor groups; the strictest decides. */
export async function instanceRunnersIn(db: Reader, namespaceId: number): Promise<InstanceRunners> {
  const words = (await settingsWithAncestors(db, namespaceId)).map(({ settings }) => settings.shared_runners_setting);
  const allowed = !words.includes('disabled_and_unoverridable');
  return { usual: allowed && !words.includes('disabled_and_overridable'), allowed };
}

export const runnersRefused = ['cannot be enabled because parent group does not allow it'];
