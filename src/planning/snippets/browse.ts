import type { Actor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { viewerOf } from '../../access/visibility/visible.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { type SnippetScope, snippetList } from './list.ts';
import { presentSnippets } from './present.ts';
import type { SnippetEntity, SnippetListParams } from './schema.ts';

async function listed(
  services: Services,
  caller: Actor,
  place: Pick<SnippetScope, 'kind' | 'project' | 'member'>,
  filters: SnippetListParams & { readonly search?: string },
  page: PageRequest,
): Promise<Page<SnippetEntity>> {
  const scope = { ...viewerOf(caller), ...place };
  const order = { by: 'id', direction: 'desc' } as const;
  const { rows, total } = await snippetList.page(services.db.read, scope, filters, order, page);
  return new Page(await presentSnippets(services, caller, rows), total);
}

/** Lists the caller's snippets, all public ones, or all that the caller may read. */
export function listSnippets(
  services: Services,
  caller: Actor,
  kind: 'own' | 'public' | 'all',
  { created_after, created_before }: SnippetListParams,
  page: PageRequest,
): Promise<Page<SnippetEntity>> {
  const filters = {
    ...(created_after === undefined ? {} : { created_after }),
    ...(created_before === undefined ? {} : { created_before }),
  };
  return listed(services, caller, { kind, member: false }, filters, page);
}

export function listOfProject(
  services: Services,
  caller: Actor,
  { project, levels }: ProjectSubject,
  page: PageRequest,
): Promise<Page<SnippetEntity>> {
  const member = levels.highest >= Role.guest;
  return listed(services, caller, { kind: 'project', project: project.id, member }, {}, page);
}

/** Snippets whose title matches and that the caller may read. */
export function searchSnippets(services: Services, caller: Actor, search: string, page: PageRequest) {
  return listed(services, caller, { kind: 'all', member: false }, { search }, page);
}
