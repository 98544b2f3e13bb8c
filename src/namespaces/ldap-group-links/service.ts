import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import type { Reader } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { isFilter } from '../../platform/directory/directory.ts';
import { Conflict, Forbidden, NotFound, ParameterError } from '../../platform/http/errors.ts';
import { roleToGive } from '../member-roles/public.ts';
import { type LdapGroupLinkEntity, linkLevels, type NewLinkParams } from './schema.ts';
import * as store from './store.ts';
import type { LdapGroupLinkRow } from './tables.ts';

export function presentLink(row: LdapGroupLinkRow): LdapGroupLinkEntity {
  const { cn, group_access, provider, filter, member_role_id } = row;
  return { cn, group_access, provider, filter, member_role_id };
}

/** Owners manage LDAP links unless the instance restricts this to administrators. */
export async function checkManager({ settings }: Services, caller: SignedInActor): Promise<void> {
  if (!isAdmin(caller) && !(await settings.read()).allow_group_owners_to_manage_ldap) throw new Forbidden();
}

export async function listLinks({ db }: Services, { group }: GroupSubject): Promise<LdapGroupLinkEntity[]> {
  const links = (await store.linksOf(db.read, [group.id])).get(group.id) ?? [];
  if (links.length === 0) throw NotFound.plain('No linked LDAP groups found');
  return links.map(presentLink);
}

const longest = { name: 255, filter: 8192 };

async function problemOf({ cn, filter, provider }: NewLinkParams): Promise<string | undefined> {
  if (provider.trim() === '') return "Provider can't be blank";
  if (provider.length > longest.name) return `Provider is too long (maximum is ${longest.name} characters)`;
  if (cn !== undefined) {
    if (cn.trim() === '') return "Cn can't be blank";
    return cn.length > longest.name ? `Cn is too long (maximum is ${longest.name} characters)` : undefined;
  }
  if (filter === undefined || filter.trim() === '') return "Filter can't be blank";
  if (filter.length > longest.filter) return `Filter is too long (maximum is ${longest.filter} characters)`;
  return (await isFilter(filter)) ? undefined : 'Filter must be a valid filter';
}

/** Links an LDAP group or filter to an access level in a group. */
export async function addLink(
  services: Services,
  subject: GroupSubject,
  params: NewLinkParams,
): Promise<LdapGroupLinkEntity> {
  const { group } = subject;
  if (!linkLevels.some((level) => level === params.group_access))
    throw new ParameterError('group_access does not have a valid value');
  const problem = await problemOf(params);
  if (problem !== undefined) throw new Conflict(problem);
  try {
    return await services.db.write(async (trx) => {
      const { group_access, member_role_id: id } = params;
      const member_role_id = await roleToGive(trx, subject, { access_level: group_access, member_role_id: id });
      const link = await store.insertLink(trx, group.id, params, { group_access, member_role_id });
      await services.announce(trx, 'ldap_group_links.changed', { groupId: group.id });
      return presentLink(link);
    });
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    throw new Conflict(`${params.cn === undefined ? 'Filter' : 'Cn'} has already been taken`);
  }
}

export async function removeLink(
  services: Services,
  { group }: GroupSubject,
  target: { readonly provider?: string; readonly cn?: string; readonly filter?: string },
): Promise<void> {
  await services.db.write(async (trx) => {
    const { provider, cn, filter } = target;
    const named = { cn, filter, ...(provider === undefined ? {} : { provider }) };
    if (!(await store.deleteLink(trx, group.id, named))) throw NotFound.plain('Linked LDAP group not found');
    await services.announce(trx, 'ldap_group_links.changed', { groupId: group.id });
  });
}

/** Whether the members of this group are synchronized with a configured directory. */
export async function isSynchronized({ directories }: Services, db: Reader, groupId: number): Promise<boolean> {
  const providers = directories.map(({ settings }) => settings.provider);
  return providers.length > 0 && store.isLinked(db, groupId, providers);
}
