import type { Services } from '../../access/services.ts';
import { changedPaths, movedPaths } from '../../platform/git/trees/changed-paths.ts';
import type { Job } from '../../platform/queue/job.ts';
import { findPage, listPageFiles } from './files.ts';
import { enqueueMeasure } from './measure.ts';
import { pageAt, titleOf } from './page.ts';
import { wikiOf } from './repository.ts';
import { recordPageChange, removePage } from './service.ts';
import { ensurePage, renamePage } from './store.ts';
import type { PageChange, PushedWiki } from './tables.ts';

/** Maximum number of pages announced per push. */
const maxPages = 100;

/** Slugs of the pages that a push renamed, from new to old. */
async function movedSlugs(services: Services, { owner, old, new: tip }: PushedWiki): Promise<Map<string, string>> {
  const moved = new Map<string, string>();
  if (old === null) return moved;
  for await (const { from, to } of movedPaths(wikiOf(services, owner), old, tip)) {
    const [before, after] = [pageAt(from)?.slug, pageAt(to)?.slug];
    if (before !== undefined && after !== undefined && before !== after) moved.set(after, before);
    if (moved.size >= maxPages / 2) break;
  }
  return moved;
}

/** Slugs of the pages that differ between two commits, or of all pages if the wiki was empty before. */
async function changedSlugs(
  services: Services,
  { owner, old, new: tip }: PushedWiki,
  moved: ReadonlyMap<string, string>,
): Promise<string[]> {
  if (old === null) return (await listPageFiles(services, owner, false)).slice(0, maxPages).map(({ slug }) => slug);
  const slugs = new Set([...moved].flat());
  for await (const path of changedPaths(wikiOf(services, owner), old, tip)) {
    if (slugs.size >= maxPages) break;
    const slug = pageAt(path)?.slug;
    if (slug !== undefined) slugs.add(slug);
  }
  return [...slugs];
}

/** A page change, with its previous slug if it was renamed. */
type Pushed = PageChange & { readonly movedFrom?: string };

/** Announces the pages changed by a git push like those changed through the API. */
export async function announceWikiPush(services: Services, job: Job<PushedWiki>): Promise<void> {
  const { owner, new: tip } = job.payload;
  const { git, db } = services;
  const commit = await git.objects(wikiOf(services, owner)).commit(tip);
  if (!commit) return;
  const changes = await changesOf(services, job.payload, commit.message.trim());
  await db.write(async (trx) => {
    for (const { movedFrom, ...change } of changes) {
      const id = await ensurePage(trx, owner, movedFrom ?? change.slug);
      if (movedFrom !== undefined) {
        await removePage(trx, owner, change.slug);
        await renamePage(trx, id, change.slug);
      }
      await recordPageChange(services, trx, id, change);
      if (change.action === 'delete') await removePage(trx, owner, change.slug);
    }
    await enqueueMeasure(services, trx, owner);
    await job.finish(trx);
  });
}

async function changesOf(services: Services, pushed: PushedWiki, message: string): Promise<Pushed[]> {
  const { owner, userId, old, new: tip } = pushed;
  const moved = await movedSlugs(services, pushed);
  const changes = new Map<string, Pushed>();
  for (const slug of await changedSlugs(services, pushed, moved)) {
    const before = old === null ? undefined : await findPage(services, owner, slug, old);
    const after = await findPage(services, owner, slug, tip);
    const page = after ?? before;
    if (!page) continue;
    const action = after ? (before ? 'update' : 'create') : 'delete';
    const { format, content } = page;
    const pageState = { owner, actorId: userId, slug, title: titleOf(slug), format, content, message, version: tip };
    changes.set(slug, { action, ...pageState });
  }
  // A page whose old slug still exists in another format, or whose new slug existed before, was not renamed.
  for (const [slug, movedFrom] of moved) {
    const [created, deleted] = [changes.get(slug), changes.get(movedFrom)];
    if (created?.action !== 'create' || deleted?.action !== 'delete') continue;
    changes.set(slug, { ...created, action: 'update', movedFrom });
    changes.delete(movedFrom);
  }
  return [...changes.values()];
}
