import { samlProvidersOf } from '../../config/saml-providers.ts';
import type { Section } from '../forms/collection.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { type GroupContext, groupPage, inGroup } from './group.ts';
import { inProject, type ProjectContext, projectPage } from './project.ts';
import { roleInProject } from './roles.ts';

type Links = readonly (readonly [text: string, path: string])[];

const projectSettings: Links = [
  ['General', '/edit'],
  ['Protected branches', '/-/settings/branches'],
  ['Protected tags', '/-/settings/tags'],
  ['Push protection', '/-/settings/push_protection'],
  ['Approval rules', '/-/settings/approval_rules'],
  ['Deploy keys', '/-/settings/deploy_keys'],
  ['Deploy tokens', '/-/settings/deploy_tokens'],
  ['Access tokens', '/-/settings/access_tokens'],
  ['Webhooks', '/-/hooks'],
  ['Integrations', '/-/settings/integrations'],
  ['CI/CD variables', '/-/settings/variables'],
  ['Pipeline triggers', '/-/settings/triggers'],
  ['Freeze periods', '/-/settings/freeze_periods'],
  ['Runners', '/-/settings/runners'],
  ['Mirrors', '/-/settings/mirrors'],
  ['Status checks', '/-/settings/status_checks'],
  ['Badges', '/-/settings/badges'],
  ['Shared with groups', '/-/settings/shared_groups'],
  ['Audit events', '/-/audit_events'],
  ['Export', '/-/settings/export'],
];

const groupSettings: Links = [
  ['General', '/-/edit'],
  ['Access tokens', '/-/settings/access_tokens'],
  ['Deploy tokens', '/-/settings/deploy_tokens'],
  ['Webhooks', '/-/hooks'],
  ['Integrations', '/-/settings/integrations'],
  ['CI/CD variables', '/-/settings/variables'],
  ['Runners', '/-/settings/runners'],
  ['Badges', '/-/settings/badges'],
  ['Shared with groups', '/-/settings/shared_groups'],
  ['Audit events', '/-/audit_events'],
  ['Export', '/-/settings/export'],
];

/** Settings of top-level groups only. */
const topGroupSettings: Links = [
  ['Usage quotas', '/-/usage_quotas'],
  ['Banned members', '/-/settings/bans'],
  ['Custom roles', '/-/settings/member_roles'],
  ['Reassignments', '/-/settings/reassignments'],
];

/** Lays out a page beside its section's navigation. */
export function withNavigation(name: string, links: Links, home: string, here: string, body: Part): Html {
  const drawn = links.map(([text, path]) =>
    home + path === here
      ? html`<a href="${home}${path}" aria-current="page"><strong>${text}</strong></a>`
      : html`<a href="${home}${path}">${text}</a>`,
  );
  return html`<div class="settings"><nav aria-label="${name}">${drawn}</nav><div>${body}</div></div>`;
}

export function inProjectSettings({ visit, home }: ProjectContext, body: Part): Html {
  const links: Links = visit.services.config.pagesDomain ? [...projectSettings, ['Site', '/-/pages']] : projectSettings;
  return withNavigation('Settings', links, home, visit.base + visit.path, body);
}

export function inGroupSettings({ visit, home, group }: GroupContext, body: Part): Html {
  const links: Links = [
    ...groupSettings,
    ...(visit.services.directories.length > 0 ? [['Directory groups', '/-/settings/ldap_group_links'] as const] : []),
    ...(samlProvidersOf(visit.services.config).length > 0
      ? [['SAML groups', '/-/settings/saml_group_links'] as const]
      : []),
    ...(group.parent_id === null ? topGroupSettings : []),
  ];
  return withNavigation('Settings', links, home, visit.base + visit.path, body);
}

/** A section below a tab of a project. */
export const projectSection =
  (tab: string): Section =>
  (page) =>
    projectPage({
      ...page,
      show: (context) =>
        page.show({
          ...context,
          role: roleInProject(context.visit, context.project),
          markdown: context.project.path_with_namespace,
          show: ({ body, ...frame }) =>
            inProject(context, { ...frame, tab, body: tab === 'settings' ? inProjectSettings(context, body) : body }),
        }),
    });

export const groupSection =
  (tab: string): Section =>
  (page) =>
    groupPage({
      ...page,
      show: (context) =>
        page.show({
          ...context,
          markdown: { group: context.group.full_path },
          show: ({ body, ...frame }) =>
            inGroup(context, { ...frame, tab, body: tab === 'edit' ? inGroupSettings(context, body) : body }),
        }),
    });
