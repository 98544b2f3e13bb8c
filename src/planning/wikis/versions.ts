import { ownerColumnsOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { followedIds } from '../../platform/git/history/follow.ts';
import { datedSeconds } from '../../platform/git/objects/identity.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { instant } from '../../platform/http/schema.ts';
import { findPage } from './files.ts';
import { requireReadable } from './readable.ts';
import { wikiOf, wikiRef } from './repository.ts';
import type { WikiPageVersionEntity } from './schema.ts';

/** Maximum number of commits in the history of a page. */
const maxVersions = 1000;

/** Commits that changed a page, newest first, including those under its former slugs. */
export async function listVersions(
  services: Services,
  place: ProjectOrGroup,
  wanted: string,
  { offset, perPage }: PageRequest,
): Promise<Page<WikiPageVersionEntity>> {
  requireReadable(place);
  const owner = ownerColumnsOf(place);
  const page = await findPage(services, owner, wanted);
  if (!page) throw new NotFound('Wiki Page');
  const repo = wikiOf(services, owner);
  // Fetches one more than the page, to determine whether there is a next page.
  const most = Math.min(offset + perPage + 1, maxVersions);
  const ids = offset >= most ? [] : await followedIds(repo, { revisions: [wikiRef], path: page.path }, most);
  const commits = await services.git.objects(repo).commits(ids.slice(offset, offset + perPage));
  const versions = commits.flatMap((commit) => {
    if (!commit) return [];
    const { oid, message, author } = commit;
    return {
      id: oid,
      short_id: oid.slice(0, 8),
      message: message.trim(),
      author_name: author.name,
      created_at: instant(datedSeconds(author.seconds) * 1000),
    };
  });
  return new Page(versions, undefined, ids.length > offset + perPage);
}
