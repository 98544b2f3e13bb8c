import type { Collection, SectionContext } from '../forms/collection.ts';
import type { Entity } from '../frame/api.ts';
import { badge, relativeTime } from '../frame/format.ts';
import { type Html, html, safeUrl } from '../frame/html.ts';

const one = (domain: string) => `/pages/domains/${encodeURIComponent(domain)}`;
const address = (url: string) => html`<a href="${safeUrl(url)}">${url}</a>`;

/** The URL of the Pages site, and its deployments. */
async function whereItIs({ visit, api }: SectionContext): Promise<Html> {
  const site = await visit.api.get(`${api}/pages`);
  const up: readonly Entity[] = site.deployments;
  if (up.length === 0) {
    return html`<p>A job with <code>pages: true</code> publishes the directory <code>public</code> as a site at ${address(site.url)}.</p>`;
  }
  return html`<ul aria-label="Published">${up.map((each) => html`<li>${address(each.url)} · published ${relativeTime(each.created_at)}</li>`)}</ul>`;
}

/** The Pages site of a project, and its custom domains. */
export const site: Collection = {
  path: '/-/pages',
  title: 'Site',
  intro: whereItIs,
  empty: 'No custom domains.',
  list: '/pages/domains',
  least: 40,
  idOf: ({ domain }) => domain,
  item: (each) =>
    html`${address(each.url)} ${badge(each.verified ? 'success' : 'pending', each.verified ? 'verified' : 'not verified')}${!each.verified && html`<p class="muted">Add this TXT record to the domain, then verify it: <code>_gitlab-pages-verification-code.${each.domain} TXT gitlab-pages-verification-code=${each.verification_code}</code></p>`}`,
  add: {
    title: 'Add a domain',
    button: 'Add domain',
    fields: [{ name: 'domain', label: 'Domain', required: true, placeholder: 'www.example.com' }],
  },
  buttons: {
    verify: {
      text: 'Verify',
      method: 'PUT',
      path: (domain) => `${one(domain)}/verify`,
      when: (each) => !each.verified,
    },
    remove: { text: 'Delete', method: 'DELETE', path: one },
  },
};
