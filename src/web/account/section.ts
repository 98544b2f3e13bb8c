import type { Section } from '../forms/collection.ts';
import type { Part } from '../frame/html.ts';
import { type Crumb, layout, thisPage } from '../frame/layout.ts';
import type { Outcome, Visit } from '../frame/visit.ts';
import { adminAccessLevel } from '../namespaces/roles.ts';
import { withNavigation } from '../namespaces/sections.ts';

export type Links = readonly (readonly [text: string, path: string])[];

const own: Links = [
  ['Profile', '/-/user_settings/profile'],
  ['Picture', '/-/user_settings/picture'],
  ['Account', '/-/profile/account'],
  ['Access tokens', '/-/user_settings/personal_access_tokens'],
  ['SSH keys', '/-/user_settings/ssh_keys'],
  ['GPG keys', '/-/user_settings/gpg_keys'],
  ['Emails', '/-/profile/emails'],
  ['Notifications', '/-/profile/notifications'],
  ['Preferences', '/-/profile/preferences'],
  ['Usage quotas', '/-/profile/usage_quotas'],
  ['Applications', '/-/user_settings/applications'],
  ['Authorized applications', '/-/user_settings/authorized_applications'],
  ['Reassignments', '/-/user_settings/reassignments'],
  ['Sessions', '/-/user_settings/active_sessions'],
  ['Password', '/-/user_settings/password/edit'],
  ['Two-factor authentication', '/-/profile/two_factor_auth'],
];

interface Shown {
  readonly title: string;
  /** Breadcrumbs between the section and the page. */
  readonly within?: readonly Crumb[];
  readonly body: Part;
  readonly status?: number;
}

/** Lays out a page outside of projects and groups, with its section's navigation beside it. */
export const layoutInSection = (
  visit: Visit,
  name: string,
  links: Links,
  { title, within = [], body, status }: Shown,
): Outcome => ({
  page: layout(visit, {
    title,
    crumbs: [{ text: name, href: `${visit.base}${links[0]?.[1] ?? '/'}` }, ...within, thisPage(visit, title)],
    body: withNavigation(name, links, visit.base, visit.base + visit.path, body),
  }),
  ...(status !== undefined && { status }),
});

export const inAccount = (visit: Visit, shown: Shown) => {
  const takesMail = visit.services.config.incomingMailAddress !== undefined;
  const links: Links = takesMail ? [...own, ['Incoming mail', '/-/user_settings/incoming_mail']] : own;
  return layoutInSection(visit, 'Your settings', links, shown);
};

/** The user settings section. */
export const accountSection: Section = (page) => ({
  ...page,
  show: (visit) =>
    page.show({
      visit,
      api: '',
      home: visit.base,
      role: adminAccessLevel,
      markdown: undefined,
      show: (shown) => inAccount(visit, shown),
    }),
});
