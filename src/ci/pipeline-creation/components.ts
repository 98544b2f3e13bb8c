import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { releasedTags } from '../../code/releases/public.ts';
import { resolveCommit } from '../../code/repository/public.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { newestVersion } from './component-version.ts';
import { type PipelineSource, readableCode } from './repository-facts.ts';

/** So many of the newest releases of a project are looked at for a version. */
const maxReleases = 1000;

/** A component that was found: where its text may lie, and what its configuration is told of it. */
export interface FoundComponent {
  readonly subject: ProjectSubject;
  readonly commit: Commit;
  readonly paths: readonly string[];
  readonly facts: Readonly<Record<string, string>>;
}

/** The component that `host/group/project/name@version` means, in a project of this instance that the actor may read. */
export async function findComponent(
  services: Services,
  { actor }: PipelineSource,
  address: string,
): Promise<FoundComponent | undefined> {
  const [, host, path, name, wish] = /^([^/@]+)\/([^@]+)\/([^/@]+)@([^@]+)$/.exec(address) ?? [];
  if (path === undefined || name === undefined || wish === undefined) return undefined;
  if (host?.toLowerCase() !== new URL(services.externalUrl).host) return undefined;
  const subject = await readableCode(services, actor, path);
  if (!subject) return undefined;
  const named = wish === '~latest' ? undefined : await resolveCommit(services, subject, wish);
  const version = named
    ? wish
    : newestVersion(wish, await releasedTags(services.db.read, subject.project.id, maxReleases));
  const commit =
    named ?? (version === undefined ? null : await resolveCommit(services, subject, `refs/tags/${version}`));
  if (!commit || version === undefined) return undefined;
  return {
    subject,
    commit,
    paths: [`templates/${name}.yml`, `templates/${name}/template.yml`],
    facts: { name, sha: commit.oid, version, reference: wish },
  };
}
