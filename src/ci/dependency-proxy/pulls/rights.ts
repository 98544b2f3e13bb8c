import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { groupSubject, lookUpNamespace } from '../../../access/subjects.ts';
import type { Namespace } from '../../../access/tables.ts';
import { deployTokenCoversGroup } from '../../../code/deploy/public.ts';
import type { NameResolver } from '../../registry/public.ts';
import { readProxyName } from './names.ts';
import { isProjectInGroup } from './store.ts';

/**
 * Whether the scopes of a credential allow pulls through a group. Both read and write are required, because pulling
 * also stores.
 */
export function scopesPull({ scopes }: Pick<Actor, 'scopes'>): boolean {
  const both = (kind: string) => scopes.has(`read_${kind}`) && scopes.has(`write_${kind}`);
  return scopes.has('api') || both('registry') || both('virtual_registry');
}

/**
 * Returns the group if the actor may pull through it; otherwise `refused`, or `unknown` if the group must not be
 * revealed.
 */
export async function openGroup(
  { db: { read } }: Services,
  actor: Actor,
  path: string,
): Promise<Namespace | 'refused' | 'unknown'> {
  const group = await lookUpNamespace(read, path);
  if (group?.kind !== 'group') return 'unknown';
  const subject = await groupSubject(read, actor, group);
  const isInScope = actor.deploy
    ? await deployTokenCoversGroup(read, actor, group.id)
    : actor.job
      ? await isProjectInGroup(read, actor.job.projectId, group.id)
      : subject.can('read_dependency_proxy');
  if (isInScope && !subject.keptOut && scopesPull(actor)) return group;
  return isInScope || subject.can('read_group') ? 'refused' : 'unknown';
}

const pullOnly: ReadonlySet<'pull'> = new Set(['pull']);
const noAccess: ReadonlySet<'pull'> = new Set();

/** Grants access to image names of the dependency proxy when a registry token is issued. */
export const groupImageNames: NameResolver = async (services, actor, text) => {
  const name = readProxyName(text);
  if (!name) return undefined;
  return typeof (await openGroup(services, actor, name.group)) === 'object' ? pullOnly : noAccess;
};
