import { hiddenFields } from '../forms/card.ts';
import type { Entity } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import { returnAddress } from '../frame/return-to.ts';
import type { Outcome, Visit } from '../frame/visit.ts';
import type { ProjectContext } from '../namespaces/project.ts';

/** Pages of 100 marks; beyond that, the oldest are not shown. */
const maxPages = 10;

/** Returns the file versions that the user has marked as viewed. */
async function viewedVersions(visit: Visit, url: string): Promise<ReadonlySet<string>> {
  const viewed = new Set<string>();
  for (let page = 1; page <= maxPages; page += 1) {
    const marks: readonly Entity[] = await visit.api.get(`${url}/viewed_files`, { per_page: 100, page });
    for (const { version } of marks) viewed.add(version);
    if (marks.length < 100) break;
  }
  return viewed;
}

/** The user's viewed marks, and the form that sets them. */
export interface Viewed {
  has(version: string): boolean;
  form(version: string, at: number): Html;
}

/** Undefined for visitors, because marks belong to a user. */
export async function viewedFiles(visit: Visit, url: string, page: string): Promise<Viewed | undefined> {
  if (!visit.user) return undefined;
  const viewed = await viewedVersions(visit, url);
  return {
    has: (version) => viewed.has(version),
    form: (version, at) =>
      html`<form class="inline" method="post" action="${page}/viewed" data-mark="${url}/viewed_files/${version}">${csrfField(visit)}${hiddenFields({ version, at: String(at) })}<label class="tick"><input type="checkbox" class="seen" name="viewed" value="1"${viewed.has(version) && html` checked`} autocomplete="off">Viewed</label><noscript><button>Save</button></noscript></form>`,
  };
}

/** Sets a mark without scripts. */
export async function markViewed({ visit, api, home }: ProjectContext): Promise<Outcome> {
  const { form, params } = visit;
  const request = `merge_requests/${params.iid}`;
  const path = `${api}/${request}/viewed_files/${encodeURIComponent(form.get('version') ?? '')}`;
  await visit.api.send(form.get('viewed') === '1' ? 'PUT' : 'DELETE', path);
  const at = /^\d{1,9}$/.exec(form.get('at') ?? '')?.[0];
  return { redirect: `${returnAddress(visit, `${home}/-/${request}/diffs`)}${at === undefined ? '' : `#file-${at}`}` };
}
