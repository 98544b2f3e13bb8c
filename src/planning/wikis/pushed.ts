import type { Services } from '../../access/services.ts';
import { changedPaths } from '../../platform/git/trees/changed-paths.ts';
import type { Job } from '../../platform/queue/job.ts';
import { findPage, listPageFiles } from './files.ts';
import { pageAt, titleOf } from './page.ts';
import { wikiOf } from './repository.ts';
import { removePage, tell } from './service.ts';
import { ensurePage } from './store.ts';
import type { PageChange, PushedWiki } from './tables.ts';

/** Of a push that changes more pages, the rest is not told of. */
const mostPages = 100;

/** The slugs of the pages that differ between two commits, or of all there are where there was nothing before. */
async function changedSlugs(services: Services, { owner, old, new: tip }: PushedWiki): Promise<string[]> {
  if (old === null) return (await listPageFiles(services, owner, false)).slice(0, mostPages).map(({ slug }) => slug);
  const slugs = new Set<string>();
  for await (const path of changedPaths(wikiOf(services, owner), old, tip)) {
    const slug = pageAt(path)?.slug;
    if (slug !== undefined) slugs.add(slug);
    if (slugs.size >= mostPages) break;
  }
  return [...slugs];
}

/** Tells of the pages that a push by git has written, as of those that the API writes. */
export async function tellOfPush(services: Services, job: Job<PushedWiki>): Promise<void> {
  const { owner, userId, old, new: tip } = job.payload;
  const { git, db } = services;
  const repo = wikiOf(services, owner);
  const commit = await git.objects(repo).commit(tip);
  if (!commit) return;
  const changes: PageChange[] = [];
  for (const slug of await changedSlugs(services, job.payload)) {
    const before = old === null ? undefined : await findPage(services, owner, slug, old);
    const after = await findPage(services, owner, slug, tip);
    const page = after ?? before;
    if (!page) continue;
    const action = after ? (before ? 'update' : 'create') : 'delete';
    const { format, content } = page;
    const message = commit.message.trim();
    changes.push({
      action,
      owner,
      actorId: userId,
      slug,
      title: titleOf(slug),
      format,
      content,
      message,
      version: tip,
    });
  }
  await db.write(async (trx) => {
    for (const change of changes) {
      await tell(services, trx, await ensurePage(trx, owner, change.slug), change);
      if (change.action === 'delete') await removePage(trx, owner, change.slug);
    }
    await job.finish(trx);
  });
}
