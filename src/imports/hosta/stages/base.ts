import { findRelease, insertRelease } from '../../../code/releases/public.ts';
import { importedTime, importLabel, importMilestone, importRepository, importWiki } from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { pagesOf } from '../api.ts';
import { lists } from '../records.ts';
import { contextOf } from './context.ts';

/** Fetches the repository. Every pull request has a ref there, even if its fork was deleted. */
export async function importSourceRepository(run: ImportRun): Promise<void> {
  const { options } = contextOf(run);
  await importRepository(run, {
    url: options.cloneUrl,
    secrets: { username: options.token, password: '' },
    refspecs: ['+refs/pull/*/head:refs/merge-requests/*/head'],
    defaultBranch: options.defaultBranch,
  });
}

export async function importSourceWiki(run: ImportRun): Promise<void> {
  const { options } = contextOf(run);
  if (!options.hasWiki) return;
  const url = options.cloneUrl.replace(/(?:\.git)?$/, '.wiki.git');
  await importWiki(run, url, { username: options.token, password: '' });
}

export async function importLabels(run: ImportRun): Promise<void> {
  const { client, base, options } = contextOf(run);
  const first = `${base}/labels?per_page=${options.perPage}`;
  for await (const labels of pagesOf(run, client, lists.labels, 'labels', first)) {
    for (const { name, color } of labels) await importLabel(run, name, `#${color ?? ''}`);
  }
}

export async function importMilestones(run: ImportRun): Promise<void> {
  const { client, base, options, text } = contextOf(run);
  const first = `${base}/milestones?state=all&per_page=${options.perPage}`;
  for await (const milestones of pagesOf(run, client, lists.milestones, 'milestones', first)) {
    for (const milestone of milestones) {
      await importMilestone(run, {
        number: milestone.number,
        title: milestone.title,
        description: text(milestone.description),
        state: milestone.state === 'open' ? 'active' : 'closed',
        dueDate: milestone.due_on?.slice(0, 10) ?? null,
        createdAt: importedTime(milestone.created_at),
        updatedAt: importedTime(milestone.updated_at),
      });
    }
  }
}

export async function importReleases(run: ImportRun): Promise<void> {
  const { client, base, options, text, idOf } = contextOf(run);
  const { services, project } = run;
  const objects = services.git.objects(services.git.repository(project.id));
  const first = `${base}/releases?per_page=${options.perPage}`;
  for await (const releases of pagesOf(run, client, lists.releases, 'releases', first)) {
    for (const release of releases) {
      const tag = release.tag_name;
      if (!tag) continue;
      const authorId = await idOf(release.author);
      const sha = await objects.commitId(`refs/tags/${tag}`);
      await run.once('release', tag, async (trx) => {
        if (await findRelease(trx, project.id, tag)) return null;
        const created_at = importedTime(release.created_at);
        const row = await insertRelease(trx, {
          project_id: project.id,
          tag,
          name: release.name || tag,
          description: text(release.body) || `Release for tag ${tag}`,
          sha,
          author_id: authorId,
          released_at: importedTime(release.published_at),
          created_at,
          updated_at: created_at,
        });
        return row.id;
      });
    }
  }
}
