import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import type { Reader } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { Conflict, NotFound, ParameterError, Unprocessable } from '../../platform/http/errors.ts';
import { roleToGive } from '../member-roles/public.ts';
import type { NewLinkParams, OneLinkParams, SamlGroupLinkEntity } from './schema.ts';
import * as store from './store.ts';
import type { SamlGroupLinkRow } from './tables.ts';

/** Access levels that a link can grant. */
const linkLevels = [5, 10, 15, 20, 30, 40, 50];
const longest = 255;

export function presentLink(row: SamlGroupLinkRow): SamlGroupLinkEntity {
  const { saml_group_name, access_level, member_role_id, provider } = row;
  return { name: saml_group_name, access_level, member_role_id, provider: provider === '' ? null : provider };
}

export async function listLinks({ db }: Services, { group }: GroupSubject): Promise<SamlGroupLinkEntity[]> {
  return ((await store.linksOf(db.read, [group.id])).get(group.id) ?? []).map(presentLink);
}

const notFound = () => NotFound.plain('Linked SAML group not found');

/** Returns the only link that is meant; several providers may have a group of this name. */
async function linkTo(db: Reader, group: number, { saml_group_name, provider }: OneLinkParams) {
  const [link, another] = await store.linksTo(db, group, saml_group_name.trim(), provider);
  if (!link) throw notFound();
  if (another) throw new Unprocessable('Multiple group links found. Specify the provider.');
  return link;
}

export async function getLink(
  { db }: Services,
  { group }: GroupSubject,
  wanted: OneLinkParams,
): Promise<SamlGroupLinkEntity> {
  return presentLink(await linkTo(db.read, group.id, wanted));
}

function problemOf(name: string, provider: string): string | undefined {
  if (name === '') return "Saml group name can't be blank";
  for (const [label, value] of [
    ['Saml group name', name],
    ['Provider', provider],
  ] as const) {
    if (value.length > longest) return `${label} is too long (maximum is ${longest} characters)`;
  }
  return undefined;
}

/** Links a SAML group to an access level in a group, or to a custom role based on it. Its users get it when they sign in next. */
export async function addLink(
  services: Services,
  subject: GroupSubject,
  { saml_group_name, access_level, member_role_id, provider = '' }: NewLinkParams,
): Promise<SamlGroupLinkEntity> {
  if (!linkLevels.includes(access_level)) throw new ParameterError('access_level does not have a valid value');
  const name = saml_group_name.trim();
  const problem = problemOf(name, provider);
  if (problem !== undefined) throw new Conflict(problem);
  const link = {
    namespace_id: subject.group.id,
    saml_group_name: name,
    provider: provider.trim(),
    access_level,
    created_at: Date.now(),
  };
  try {
    return await services.db.write(async (trx) => {
      const role = await roleToGive(trx, subject, { access_level, member_role_id });
      return presentLink(await store.insertLink(trx, { ...link, member_role_id: role }));
    });
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    throw new Conflict('Saml group name has already been taken');
  }
}

export async function removeLink({ db }: Services, { group }: GroupSubject, wanted: OneLinkParams): Promise<void> {
  await db.write(async (trx) => {
    const { id } = await linkTo(trx, group.id, wanted);
    await store.deleteLink(trx, id);
  });
}
