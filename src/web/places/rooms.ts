import type { Enter } from '../forms/ledger.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { type GroupPlace, groupPage, inGroup } from './group.ts';
import { inProject, type Place, projectPage } from './project.ts';
import { roleInProject } from './roles.ts';

type Links = readonly (readonly [text: string, path: string])[];

const projectSettings: Links = [
  ['General', '/edit'],
  ['Protected branches', '/-/settings/branches'],
  ['Protected tags', '/-/settings/tags'],
  ['Deploy keys', '/-/settings/deploy_keys'],
  ['Deploy tokens', '/-/settings/deploy_tokens'],
  ['Access tokens', '/-/settings/access_tokens'],
  ['Webhooks', '/-/hooks'],
  ['CI/CD variables', '/-/settings/variables'],
  ['Pipeline triggers', '/-/settings/triggers'],
  ['Runners', '/-/settings/runners'],
  ['Mirrors', '/-/settings/mirrors'],
];

const groupSettings: Links = [
  ['General', '/-/edit'],
  ['Access tokens', '/-/settings/access_tokens'],
  ['Deploy tokens', '/-/settings/deploy_tokens'],
  ['Webhooks', '/-/hooks'],
  ['CI/CD variables', '/-/settings/variables'],
  ['Runners', '/-/settings/runners'],
];

/** A page beside the list of those that belong with it. */
export function beside(name: string, links: Links, home: string, here: string, body: Part): Html {
  const drawn = links.map(([text, path]) =>
    home + path === here
      ? html`<a href="${home}${path}" aria-current="page"><strong>${text}</strong></a>`
      : html`<a href="${home}${path}">${text}</a>`,
  );
  return html`<div class="settings"><nav aria-label="${name}">${drawn}</nav><div>${body}</div></div>`;
}

export const inProjectSettings = (place: Place, body: Part) =>
  beside('Settings', projectSettings, place.home, place.visit.base + place.visit.path, body);

export const inGroupSettings = (place: GroupPlace, body: Part) =>
  beside('Settings', groupSettings, place.home, place.visit.base + place.visit.path, body);

/** Pages of a project below one of its tabs. */
export const projectRoom =
  (tab: string): Enter =>
  (page) =>
    projectPage({
      ...page,
      show: (place) =>
        page.show({
          visit: place.visit,
          api: place.api,
          home: place.home,
          role: roleInProject(place.visit, place.project),
          markdown: place.project.path_with_namespace,
          show: ({ body, ...frame }) =>
            inProject(place, { ...frame, tab, body: tab === 'settings' ? inProjectSettings(place, body) : body }),
        }),
    });

export const groupRoom =
  (tab: string): Enter =>
  (page) =>
    groupPage({
      ...page,
      show: (place) =>
        page.show({
          visit: place.visit,
          api: place.api,
          home: place.home,
          role: place.role,
          markdown: undefined,
          show: ({ body, ...frame }) =>
            inGroup(place, { ...frame, tab, body: tab === 'edit' ? inGroupSettings(place, body) : body }),
        }),
    });
