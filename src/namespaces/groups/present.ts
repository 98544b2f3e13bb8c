import { type Actor, canReadEverything, isAdmin } from '../../access/actor.ts';
import { visibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { Namespace } from '../../access/tables.ts';
import { avatarUrl } from '../../people/avatars/public.ts';
import { customAttributesOf } from '../../people/custom-attributes/public.ts';
import { dayOrNull, instant } from '../../platform/http/schema.ts';
import { type LdapGroupLinkRow, linksOf, presentLink } from '../ldap-group-links/public.ts';
import {
  presentLink as presentSamlLink,
  type SamlGroupLinkRow,
  linksOf as samlLinksOf,
} from '../saml-group-links/public.ts';
import type { GroupEntity, PublicGroupEntity } from './schema.ts';
import { type GroupSettings, settingsOfGroup } from './settings/values.ts';
import { presentRootStatistics, presentStatistics } from './statistics/present.ts';
import { groupSizes, hierarchySizes } from './statistics/store.ts';
import { findArchived, ownedAmong } from './store.ts';

/** The only repository storage. */
export const repositoryStorage = 'default';

/** Attributes of a group that are not stored in its row. */
export type GroupExtras = Pick<
  GroupEntity,
  | 'archived'
  | 'ldap_cn'
  | 'ldap_access'
  | 'ldap_group_links'
  | 'saml_group_links'
  | 'custom_attributes'
  | 'statistics'
  | 'root_storage_statistics'
> & { readonly owned: boolean };

/** Optional attributes requested for each group. */
export interface OptionalAttributes {
  readonly statistics?: boolean;
  readonly with_custom_attributes?: boolean;
}

/**
 * Loads the attributes stored outside of the group rows for a whole page, in a fixed number of queries. Ownership is
 * queried unless passed in.
 */
export async function extrasOf(
  { db: { read: db }, contributions }: Pick<Services, 'db' | 'contributions'>,
  actor: Actor,
  groups: readonly Namespace[],
  requested: OptionalAttributes,
  owned?: boolean,
): Promise<(group: Namespace) => GroupExtras> {
  const ids = groups.map((group) => group.id);
  const roots = groups.filter((group) => group.parent_id === null).map((group) => group.id);
  const statistics = requested.statistics === true && canReadEverything(actor);
  const withAttributes = requested.with_custom_attributes === true && isAdmin(actor);
  const [proxiedSizes] = contributions('groups.proxiedSizes');
  const [archived, links, samlLinks, owning, sizes, below, proxied, attributes] = await Promise.all([
    findArchived(db, ids),
    linksOf(db, ids),
    samlLinksOf(db, ids),
    owned === undefined ? ownedAmong(db, actor, ids) : new Set(owned ? ids : []),
    statistics ? groupSizes(db, ids) : undefined,
    statistics ? hierarchySizes(db, roots) : undefined,
    statistics ? proxiedSizes?.(db, roots) : undefined,
    withAttributes ? customAttributesOf(db, 'group', ids) : undefined,
  ]);
  return ({ id, parent_id }) => ({
    archived: archived.has(id),
    owned: owning.has(id),
    // The names of a company's groups are not for everyone who sees the group.
    ...linkFields(links.get(id) ?? [], owning.has(id) ? samlLinks.get(id) : undefined),
    ...(attributes ? { custom_attributes: attributes.get(id) ?? [] } : {}),
    ...(sizes ? { statistics: presentStatistics(sizes.get(id)) } : {}),
    ...(below && parent_id === null
      ? { root_storage_statistics: presentRootStatistics(below.get(id), proxied?.get(id)) }
      : {}),
  });
}

/** LDAP and SAML attributes of a group. The first link fills the attributes that can show only one. */
function linkFields(links: readonly LdapGroupLinkRow[], samlLinks: readonly SamlGroupLinkRow[] | undefined) {
  const [first] = links;
  return {
    ldap_cn: first?.cn ?? null,
    ldap_access: first?.group_access ?? null,
    ...(first ? { ldap_group_links: links.map(presentLink) } : {}),
    ...(samlLinks ? { saml_group_links: samlLinks.map(presentSamlLink) } : {}),
  };
}

/** Serializes groups for list endpoints, preserving their order. */
export async function presentGroups(
  services: Services,
  actor: Actor,
  groups: readonly Namespace[],
  requested: OptionalAttributes = {},
): Promise<GroupEntity[]> {
  const extras = await extrasOf(services, actor, groups, requested);
  return groups.map((group) => presentGroup(group, extras(group), services.externalUrl));
}

/** URL of a group's page. */
export function groupUrl(externalUrl: string, fullPath: string): string {
  return `${externalUrl}/groups/${fullPath}`;
}

/** Settings visible to everyone who can see the group; the others appear in the detail view only. */
const openSettings = [
  'share_with_group_lock',
  'require_two_factor_authentication',
  'two_factor_grace_period',
  'project_creation_level',
  'auto_devops_enabled',
  'subgroup_creation_level',
  'emails_enabled',
  'show_diff_preview_in_email',
  'mentions_disabled',
  'lfs_enabled',
  'math_rendering_limits_enabled',
  'lock_math_rendering_limits_enabled',
  'default_branch',
  'default_branch_protection',
  'default_branch_protection_defaults',
  'request_access_enabled',
  'shared_runners_setting',
  'max_artifacts_size',
  'file_template_project_id',
  'wiki_access_level',
  'ip_restriction_ranges',
  'ai_features_enabled',
  'lock_ai_features_enabled',
  'ai_availability',
  'experiment_features_enabled',
  'allow_personal_snippets',
] as const;

type OpenSettings = Pick<GroupSettings, (typeof openSettings)[number]>;

function shownSettings(settings: GroupSettings): OpenSettings {
  return Object.fromEntries(openSettings.map((name) => [name, settings[name]])) as OpenSettings;
}

/** Settings visible to owners only. */
function ownersSettings(settings: GroupSettings) {
  return {
    duo_features_enabled: settings.ai_features_enabled,
    lock_duo_features_enabled: settings.lock_ai_features_enabled,
    web_based_commit_signing_enabled: settings.web_based_commit_signing_enabled,
  };
}

/** Serializes a group for list endpoints. */
export function presentGroup(group: Namespace, { owned, ...extras }: GroupExtras, externalUrl: string): GroupEntity {
  const settings = settingsOfGroup(group);
  return {
    ...shownSettings(settings),
    id: group.id,
    web_url: groupUrl(externalUrl, group.full_path),
    name: group.name,
    path: group.path,
    description: group.description,
    visibility: visibilityName(group.visibility),
    emails_disabled: !settings.emails_enabled,
    avatar_url: avatarUrl(externalUrl, 'group', group.id, group.avatar),
    full_name: group.full_name,
    full_path: group.full_path,
    created_at: instant(group.created_at),
    parent_id: group.parent_id,
    organization_id: 1,
    marked_for_deletion_on: dayOrNull(group.marked_for_deletion_at),
    repository_storage: repositoryStorage,
    duo_availability: settings.ai_availability,
    ...(owned ? ownersSettings(settings) : {}),
    ...extras,
  };
}

/** Serializes the basic attributes of a group, for endpoints that list groups to choose from. */
export function presentPublicGroup(group: Namespace, externalUrl: string): PublicGroupEntity {
  return {
    id: group.id,
    web_url: groupUrl(externalUrl, group.full_path),
    name: group.name,
    avatar_url: avatarUrl(externalUrl, 'group', group.id, group.avatar),
    full_name: group.full_name,
    full_path: group.full_path,
  };
}
