import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { groupSubject, lookUpNamespace } from '../../../access/subjects.ts';
import type { Namespace } from '../../../access/tables.ts';
import { deployReachesGroup } from '../../../code/deploy/public.ts';
import type { NamesElsewhere } from '../../registry/public.ts';
import { readProxyName } from './names.ts';
import { isProjectInGroup } from './store.ts';

/** Whether a credential may be used for pulling through groups, by its scopes: pulling also stores. */
export function scopesPull({ scopes }: Pick<Actor, 'scopes'>): boolean {
  const both = (kind: string) => scopes.has(`read_${kind}`) && scopes.has(`write_${kind}`);
  return scopes.has('api') || both('registry') || both('virtual_registry');
}

/** The group of a path, to somebody who may pull through it; `refused` or, where they may not know of it, `unknown`. */
export async function openGroup(
  { db: { read } }: Services,
  actor: Actor,
  path: string,
): Promise<Namespace | 'refused' | 'unknown'> {
  const group = await lookUpNamespace(read, path);
  if (group?.kind !== 'group') return 'unknown';
  const subject = await groupSubject(read, actor, group);
  const reaches = actor.deploy
    ? await deployReachesGroup(read, actor, group.id)
    : actor.job
      ? await isProjectInGroup(read, actor.job.projectId, group.id)
      : subject.can('read_dependency_proxy');
  if (reaches && !subject.keptOut && scopesPull(actor)) return group;
  return reaches || subject.can('read_group') ? 'refused' : 'unknown';
}

const pulling: ReadonlySet<'pull'> = new Set(['pull']);
const nothing: ReadonlySet<'pull'> = new Set();

/** What a token is granted for a name of an image that is pulled through a group. */
export const namesOfGroups: NamesElsewhere = async (services, actor, text) => {
  const name = readProxyName(text);
  if (!name) return undefined;
  return typeof (await openGroup(services, actor, name.group)) === 'object' ? pulling : nothing;
};
