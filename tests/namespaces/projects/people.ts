import type { Person } from '../../support/scene.ts';
import type { TestServer } from '../../support/server.ts';

/** Adds a member to a project or group directly in the database. */
export async function join(
  server: TestServer,
  person: Person,
  place: { project_id?: number; namespace_id?: number },
  access_level: number,
): Promise<void> {
  const row = {
    user_id: person.user.id,
    project_id: null,
    namespace_id: null,
    ...place,
    access_level,
    expires_at: null,
    created_by_id: null,
    created_at: Date.now(),
  };
  await server.db.write((trx) => trx.insertInto('members').values(row).execute());
}

let count = 0;

/** Creates a group owned by the administrator. */
export function addGroup(
  server: TestServer,
  more: Record<string, unknown> = {},
): Promise<{ id: number; full_path: string }> {
  const path = `group-${++count}`;
  return server.must('POST /groups', { json: { name: path, path, ...more } });
}
