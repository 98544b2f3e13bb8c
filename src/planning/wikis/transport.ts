import type { Actor } from '../../access/actor.ts';
import {
  isProject,
  namespaceOf,
  type OwnerColumns,
  ownerColumnsOf,
  type ProjectOrGroup,
} from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, lookUpNamespace, lookUpProject, projectSubject } from '../../access/subjects.ts';
import type { RepositoryFinder } from '../../code/transport/public.ts';
import type { ReceiveHooks } from '../../platform/git/transport/receive.ts';
import { isReadable } from './readable.ts';
import { ensureWiki, wikiOf, wikiRef } from './repository.ts';

async function placeAt({ db }: Services, actor: Actor, path: string): Promise<ProjectOrGroup | undefined> {
  const found = await lookUpProject(db.read, path);
  if (found) return projectSubject(db.read, actor, found.project);
  const namespace = await lookUpNamespace(db.read, path);
  return namespace?.kind === 'group' ? groupSubject(db.read, actor, namespace) : undefined;
}

const hooksOf = (services: Services, actor: Actor, owner: OwnerColumns): ReceiveHooks => ({
  onPreReceive: async () => undefined,
  async onPostReceive({ changes }) {
    const moved = changes.find(({ ref }) => ref === wikiRef);
    const [userId, tip] = [actor.user?.id, moved?.new];
    if (moved && tip && userId !== undefined) {
      const push = { owner, userId, old: moved.old, new: tip };
      await services.db.write((trx) => services.queue.enqueue(trx, 'wikis.pushed', push));
    }
    return [];
  },
});

/** Finds wiki repositories for git: `group/project.wiki` and `group.wiki`. */
export const wikiRepositories: RepositoryFinder = async (services, actor, path) => {
  const [, placePath] = /^(.+)\.wiki$/.exec(path) ?? [];
  const place = placePath === undefined ? undefined : await placeAt(services, actor, placePath);
  if (!place) return undefined;
  const known = isProject(place) ? place.can('read_project') : place.can('read_group');
  const mayPull = known && place.can('read_wiki') && isReadable(place);
  const owner = ownerColumnsOf(place);
  return {
    repo: mayPull ? await ensureWiki(services, owner) : wikiOf(services, owner),
    subject: { namespace: namespaceOf(place) },
    mayPull,
    mayPush: mayPull && place.can('create_wiki'),
    hooks: hooksOf(services, actor, owner),
  };
};
