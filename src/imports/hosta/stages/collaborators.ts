import { findUser } from '../../../access/credentials/identify.ts';
import { Role } from '../../../access/roles.ts';
import { insertMember } from '../../../namespaces/members/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { pagesOf } from '../api.ts';
import { lists } from '../records.ts';
import { contextOf } from './context.ts';

const roles = new Map<string, number>([
  ['read', Role.guest],
  ['triage', Role.reporter],
  ['write', Role.developer],
  ['maintain', Role.maintainer],
  ['admin', Role.owner],
]);

/** Imports collaborators as members. Users without an account here are only recorded. */
export async function importCollaborators(run: ImportRun): Promise<void> {
  const { client, base, options, people, idOf } = contextOf(run);
  if (!options.optional_stages.collaborators_import || people.personal) return;
  const first = `${base}/collaborators?affiliation=direct&per_page=${options.perPage}`;
  for await (const collaborators of pagesOf(run, client, lists.collaborators, 'collaborators', first)) {
    for (const collaborator of collaborators) {
      const access_level = roles.get(collaborator.role_name);
      if (access_level === undefined) {
        await run.fail('collaborator', collaborator.id, new Error(`Unknown GitHub role: ${collaborator.role_name}`));
        continue;
      }
      const user = await findUser(run.services.db.read, await idOf(collaborator));
      await run.once('collaborator', collaborator.id, async (trx) => {
        if (user?.kind !== 'human') return null;
        const columns = { project_id: run.project.id, namespace_id: null };
        const row = { user_id: user.id, access_level, expires_at: null, created_by_id: run.userId };
        return (await insertMember(trx, columns, row)).id;
      });
    }
  }
}
