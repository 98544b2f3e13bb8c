import { ensureWiki, wikiBranch, wikiOf } from '../../planning/wikis/public.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { GitError } from '../../platform/git/process/command.ts';
import { type RemoteSecrets, throughConnection } from '../../platform/git/remote/connection.ts';
import { fetchRefs, listRemote } from '../../platform/git/remote/exchange.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import type { ImportRun } from '../project-imports/public.ts';
import { importTargets } from './repository.ts';

/** How git says that there is none: a wiki that nobody has written in is no repository. */
const none = /not found|not exported|Authentication failed|could not read Username|returned error: (401|403|404)/i;

/** The wiki of a repository elsewhere. One that cannot be had is kept as a failure; the rest goes on without it. */
export async function importWiki(run: ImportRun, url: string, secrets: RemoteSecrets): Promise<void> {
  const { services, project, signal } = run;
  const owner = { project_id: project.id, namespace_id: null };
  const known = wikiOf(services, owner);
  if ((await repositoryExists(known)) && (await services.git.listRefs(known, 'refs/heads/')).length > 0) return;
  try {
    const target = await services.egress.checkUrl(url, importTargets);
    await throughConnection(target, secrets, async (connection) => {
      const repo = await ensureWiki(services, owner);
      const remote = await listRemote(repo, connection, { signal });
      if (remote.refs.size === 0) return;
      // Pages are read from one branch here, whatever it is called there.
      await fetchRefs(repo, connection, [`+HEAD:refs/heads/${wikiBranch}`], { signal });
      await run.once('wiki', 'repository', async () => null);
    });
  } catch (error) {
    if (signal.aborted || !(error instanceof GitError || error instanceof EgressRefused)) throw error;
    if (error instanceof GitError && none.test(error.stderr)) return;
    await run.fail('wiki', 'repository', error);
  }
}
