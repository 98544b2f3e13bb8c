import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Objects } from '../../platform/git/objects/objects.ts';
import { KeysetPage, Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import {
  byDate,
  type NamedRef,
  namedRefs,
  pageOfRefs,
  type RefPagination,
  repositoryOf,
  searchRefs,
} from '../repository/public.ts';
import { presentTags } from './present.ts';
import type { TagEntity } from './schema.ts';
import { compareVersions } from './version-order.ts';

export interface TagQuery extends RefPagination {
  readonly order_by: 'updated' | 'name' | 'version';
  readonly sort: 'asc' | 'desc';
  readonly search?: string;
}

export async function listTags(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  query: TagQuery,
  page: PageRequest,
): Promise<Page<TagEntity> | KeysetPage<TagEntity>> {
  const repo = repositoryOf(services, subject);
  const ordered = await inOrder(services.git.objects(repo), await namedRefs(services, repo, 'refs/tags/'), query);
  const found = query.search ? searchRefs(ordered, query.search) : ordered;
  const slice = pageOfRefs(found, query, page, 'refs/tags/');
  const items = await presentTags(services, caller, subject, slice.items);
  return slice instanceof Page ? new Page(items, slice.total) : new KeysetPage(items, slice.next);
}

/** Expects refs in byte order of their names. */
async function inOrder(objects: Objects, refs: NamedRef[], { order_by, sort }: TagQuery): Promise<NamedRef[]> {
  if (order_by === 'updated') return byDate(objects, 'refs/tags/', refs, sort);
  const rising = order_by === 'name' ? refs : refs.toSorted((a, b) => compareVersions(a.name, b.name));
  return sort === 'asc' ? rising : rising.toReversed();
}
