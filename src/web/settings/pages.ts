import { auditEvents } from '../admin/collections.ts';
import { type Collection, collectionPages } from '../forms/collection.ts';
import { settingsFormPages } from '../forms/settings-form.ts';
import type { Page } from '../frame/visit.ts';
import { groupSection, projectSection } from '../namespaces/sections.ts';
import { approvalRules, approvalSettings } from './approvals.ts';
import { badges } from './badges.ts';
import { bans } from './bans.ts';
import { deliveryPages } from './deliveries.ts';
import { directoryLinks } from './directory-links.ts';
import { freezePeriods } from './freeze-periods.ts';
import { groupSettingsPages, newGroupPages } from './group.ts';
import { groupHooks, projectHooks } from './hooks.ts';
import { integrations } from './integrations.ts';
import { memberRoles } from './member-roles.ts';
import { memberPages } from './members.ts';
import { projectSettingsPages } from './project.ts';
import { deployKeys, mirrors, protectedBranches, protectedTags, pushProtection, triggers } from './repository.ts';
import { runners } from './runners.ts';
import { samlGroupLinks } from './saml-group-links.ts';
import { shares } from './shares.ts';
import { site } from './site.ts';
import { statusChecks } from './status-checks.ts';
import { accessTokens, deployTokens } from './tokens.ts';
import { usagePages } from './usage.ts';
import { variables } from './variables.ts';

const numberIn = (api: string) => Number(api.slice(api.lastIndexOf('/') + 1));

/** Audit events of a project or group. */
const audited: Collection = { ...auditEvents, path: '/-/audit_events' };

const ofProject = [
  protectedBranches,
  protectedTags,
  approvalRules,
  deployKeys,
  deployTokens,
  accessTokens,
  projectHooks,
  integrations,
  variables,
  triggers,
  freezePeriods,
  mirrors,
  statusChecks,
  badges('project'),
  shares,
  audited,
  site,
  runners('project_type', '/-/settings/runners', '/runners', (api) => ({ project_id: numberIn(api) })),
];

const ofGroup = [
  deployTokens,
  accessTokens,
  groupHooks,
  integrations,
  variables,
  badges('group'),
  shares,
  bans,
  memberRoles('/-/settings/member_roles'),
  directoryLinks,
  samlGroupLinks,
  audited,
  runners('group_type', '/-/settings/runners', '/runners', (api) => ({ group_id: numberIn(api) })),
];

export const settingsPages: readonly Page[] = [
  ...newGroupPages,
  ...groupSettingsPages,
  ...usagePages,
  ...memberPages(groupSection('group_members'), '/groups/:path', '/-/group_members', 50),
  ...ofGroup.flatMap((collection) => collectionPages(groupSection('edit'), '/groups/:path', collection)),
  ...deliveryPages(groupSection('edit'), '/groups/:path'),
  ...projectSettingsPages,
  ...memberPages(projectSection('project_members'), '/:project', '/-/project_members', 40),
  ...settingsFormPages(projectSection('settings'), approvalSettings, '/:project'),
  ...settingsFormPages(projectSection('settings'), pushProtection, '/:project'),
  ...ofProject.flatMap((collection) => collectionPages(projectSection('settings'), '/:project', collection)),
  ...deliveryPages(projectSection('settings'), '/:project'),
];
