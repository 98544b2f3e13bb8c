import type { Reader } from '../../../platform/database/database.ts';

/** User IDs by username or ID. */
export async function userIdsNamed(db: Reader, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  const clean = names.map((name) => name.replace(/^@/, ''));
  const numbers = clean.filter((name) => /^\d{1,15}$/.test(name)).map(Number);
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where((eb) => eb.or([eb('username', 'in', clean), eb('id', 'in', numbers.length > 0 ? numbers : [0])]))
    .execute();
  return rows.map(({ id }) => id);
}
