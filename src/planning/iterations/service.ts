import type { Actor } from '../../access/actor.ts';
import { namespaceOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { viewerOf } from '../../access/visibility/visible.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import type { IssueAddition } from '../issues/public.ts';
import { iterationList } from './list.ts';
import { presentIterations, today } from './present.ts';
import type { IterationEntity, IterationListParams } from './schema.ts';
import { iterationsById } from './store.ts';

/** Returns a page of iterations of a group, or of a project's group. Projects in user namespaces have none. */
export async function listIterations(
  services: Services,
  caller: Actor,
  place: ProjectOrGroup,
  params: IterationListParams,
  page: PageRequest,
): Promise<Page<IterationEntity>> {
  const namespace = namespaceOf(place);
  if (namespace.kind !== 'group') return new Page([], 0);
  const { include_ancestors: above, include_descendants: below, in: _, ...filters } = params;
  const scope = { ...viewerOf(caller), group: namespace.id, above, below, today: today() };
  const order = { by: 'cadence', direction: 'asc' } as const;
  const { rows, total } = await iterationList.page(services.db.read, scope, filters, order, page);
  return new Page(await presentIterations(services, rows), total);
}

/** Adds the iteration to a page of issues. */
export const iterationFields: IssueAddition = async (services, issues) => {
  const found = await iterationsById(
    services.db.read,
    issues.map(({ iteration_id }) => iteration_id),
  );
  if (found.size === 0) return new Map();
  const entities = new Map((await presentIterations(services, [...found.values()])).map((each) => [each.id, each]));
  return new Map(
    issues.flatMap(({ id, iteration_id }) => {
      const iteration = iteration_id === null ? undefined : entities.get(iteration_id);
      return iteration ? [[id, { iteration }] as const] : [];
    }),
  );
};
