import type { Reader } from '../../platform/database/database.ts';

/** Whether there are no accounts yet. */
export async function isEmpty(db: Reader): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined;
}

/** Whether the database contains encrypted secrets, as every project and group does. */
export async function holdsSecrets(db: Reader): Promise<boolean> {
  const project = await db.selectFrom('projects').select('id').limit(1).executeTakeFirst();
  if (project) return true;
  const group = db.selectFrom('namespaces').select('id').where('kind', '=', 'group').limit(1);
  return (await group.executeTakeFirst()) !== undefined;
}

export function findFirstAdministrator(db: Reader): Promise<{ id: number } | undefined> {
  return db.selectFrom('users').select('id').where('admin', '=', 1).orderBy('id').executeTakeFirst();
}
