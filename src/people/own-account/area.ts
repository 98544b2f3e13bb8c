import type { Area } from '../../access/area.ts';

/** What users change on their own account, as far as the settings allow. */
export const ownAccount: Area = { name: 'own-account' };
