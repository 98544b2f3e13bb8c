import type { Entity } from '../../platform/http/in-process.ts';
import type { ResolverContext } from '../engine/context.ts';
import { notAvailable } from '../engine/errors.ts';
import { type GlobalId, readGlobalId } from '../engine/global-ids.ts';

const most = 100;

/** The number in a global id, or in an argument that may also be a plain number. */
export const numberOf = (id: GlobalId | string): string =>
  typeof id === 'string' ? (readGlobalId(id)?.id ?? id) : id.id;

/** The names of labels that a project can use, because the REST API expects names. */
export function labelNames(
  context: ResolverContext,
  projectId: number,
  ids: readonly (GlobalId | string)[],
): Promise<string[]> {
  if (ids.length > most) throw notAvailable();
  return Promise.all(
    ids.map(async (id) => {
      const number = numberOf(id);
      const label: Entity = /^\d{1,15}$/.test(number)
        ? await context.read(`/projects/${projectId}/labels/${number}`)
        : null;
      // A label can also be called like a number.
      if (String(label?.id) !== number) throw notAvailable();
      return label.name;
    }),
  );
}
