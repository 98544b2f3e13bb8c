import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { releasedTags } from '../../code/releases/public.ts';
import { resolveCommit } from '../../code/repository/public.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { newestVersion } from './component-version.ts';
import { type PipelineSource, readableCode } from './repository-facts.ts';

/** Maximum number of recent releases searched for a version. */
const maxReleases = 1000;

/** A resolved component: the paths where its file may be, and the `component` context of its configuration. */
export interface FoundComponent {
  readonly subject: ProjectSubject;
  readonly commit: Commit;
  readonly paths: readonly string[];
  readonly facts: Readonly<Record<string, string>>;
}

/** Resolves `host/group/project/name@version` to a component of this instance that the actor can read. */
export async function findComponent(
  services: Services,
  { actor }: PipelineSource,
  address: string,
): Promise<FoundComponent | undefined> {
  const [, host, path, name, requested] = /^([^/@]+)\/([^@]+)\/([^/@]+)@([^@]+)$/.exec(address) ?? [];
  if (path === undefined || name === undefined || requested === undefined) return undefined;
  if (host?.toLowerCase() !== new URL(services.externalUrl).host) return undefined;
  const subject = await readableCode(services, actor, path);
  if (!subject) return undefined;
  const byRef = requested === '~latest' ? undefined : await resolveCommit(services, subject, requested);
  const version = byRef
    ? requested
    : newestVersion(requested, await releasedTags(services.db.read, subject.project.id, maxReleases));
  const commit =
    byRef ?? (version === undefined ? null : await resolveCommit(services, subject, `refs/tags/${version}`));
  if (!commit || version === undefined) return undefined;
  return {
    subject,
    commit,
    paths: [`templates/${name}.yml`, `templates/${name}/template.yml`],
    facts: { name, sha: commit.oid, version, reference: requested },
  };
}
