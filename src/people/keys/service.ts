import type { Reader } from '../../platform/database/database.ts';
import { hasGpgKey } from './gpg/store.ts';
import { hasSigningSshKey } from './ssh/store.ts';

/** Whether a user has any signing key. */
export async function hasSigningKey(db: Reader, userId: number): Promise<boolean> {
  return (await hasGpgKey(db, userId)) || (await hasSigningSshKey(db, userId));
}
