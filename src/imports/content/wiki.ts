import { ensureWiki, wikiBranch, wikiOf } from '../../planning/wikis/public.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { GitError } from '../../platform/git/process/command.ts';
import { type RemoteSecrets, withConnection } from '../../platform/git/remote/connection.ts';
import { fetchRefs, listRemote } from '../../platform/git/remote/exchange.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import type { ImportRun } from '../project-imports/public.ts';
import { importTargets } from './repository.ts';

/** Git errors for a missing wiki: a wiki without pages has no repository. */
const missingWiki =
  /not found|not exported|Authentication failed|could not read Username|returned error: (401|403|404)/i;

/** Imports the wiki of a repository. If it cannot be fetched, a failure is recorded and the import continues. */
export async function importWiki(run: ImportRun, url: string, secrets: RemoteSecrets): Promise<void> {
  const { services, project, signal } = run;
  const owner = { project_id: project.id, namespace_id: null };
  const known = wikiOf(services, owner);
  if ((await repositoryExists(known)) && (await services.git.listRefs(known, 'refs/heads/')).length > 0) return;
  try {
    const target = await services.egress.checkUrl(url, importTargets);
    await withConnection(target, secrets, async (connection) => {
      const repo = await ensureWiki(services, owner);
      const remote = await listRemote(repo, connection, { signal });
      if (remote.refs.size === 0) return;
      // Wikis here use a single branch, whatever its name was.
      await fetchRefs(repo, connection, [`+HEAD:refs/heads/${wikiBranch}`], { signal });
      await run.once('wiki', 'repository', async () => null);
    });
  } catch (error) {
    if (signal.aborted || !(error instanceof GitError || error instanceof EgressRefused)) throw error;
    if (error instanceof GitError && missingWiki.test(error.stderr)) return;
    await run.fail('wiki', 'repository', error);
  }
}
