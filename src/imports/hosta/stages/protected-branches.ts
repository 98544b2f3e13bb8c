import { actorOnBehalfOf } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import { Role } from '../../../access/roles.ts';
import { projectSubject } from '../../../access/subjects.ts';
import { protectBranch, unprotectBranch } from '../../../code/protected-refs/public.ts';
import { Conflict } from '../../../platform/http/errors.ts';
import { requestOrFail } from '../../content/public.ts';
import { HostError } from '../../host-client/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { pagesOf } from '../api.ts';
import { type HostaProtection, hostaProtection, lists } from '../records.ts';
import { contextOf } from './context.ts';

/** Imports branch protection as closely as possible. Only administrators of the source repository can read it. */
export async function importProtectedBranches(run: ImportRun): Promise<void> {
  const { client, base, options } = contextOf(run);
  const first = `${base}/branches?protected=true&per_page=${options.perPage}`;
  for await (const branches of pagesOf(run, client, lists.branches, 'branches', first)) {
    for (const { name } of branches.filter((branch) => branch.protected !== false)) {
      const place = `${base}/branches/${encodeURIComponent(name.toWellFormed())}/protection`;
      const found = await requestOrFail(run, client, place, hostaProtection).catch((error: unknown) => {
        if (error instanceof HostError && (error.status === 403 || error.status === 404)) return undefined;
        throw error;
      });
      if (found) await protect(run, name, found.body);
    }
  }
}

async function protect(run: ImportRun, name: string, protection: HostaProtection): Promise<void> {
  const { services, project } = run;
  const user = await findUser(services.db.read, run.userId);
  if (!user) return;
  const subject = await projectSubject(services.db.read, actorOnBehalfOf(user), project);
  const push_access_level = protection.required_pull_request_reviews ? Role.none : Role.maintainer;
  const allow_force_push = protection.allow_force_pushes?.enabled === true;
  const rule = { name, push_access_level, merge_access_level: Role.maintainer, allow_force_push };
  const protecting = () => protectBranch(services.db, subject, rule);
  try {
    // The default branch is already protected by default; the imported protection replaces it.
    await protecting().catch(async (error: unknown) => {
      if (!(error instanceof Conflict)) throw error;
      await unprotectBranch(services.db, actorOnBehalfOf(user), subject, name);
      await protecting();
    });
  } catch (error) {
    return run.fail('protected_branch', name, error);
  }
  await run.once('protected_branch', name, async () => null);
}
