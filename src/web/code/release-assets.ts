import { card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { badge, listOr } from '../frame/format.ts';
import { type Html, html, safeUrl } from '../frame/html.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { type ProjectContext, projectPage } from '../namespaces/project.ts';
import { actionButton } from '../planning/discussion.ts';

const fields: readonly Field[] = [
  { name: 'name', label: 'Asset name', required: true },
  { name: 'url', label: 'Address', required: true, hint: 'Download URL' },
  {
    name: 'link_type',
    label: 'Kind',
    kind: 'select',
    options: [
      ['other', 'Other'],
      ['package', 'Package'],
      ['image', 'Container image'],
      ['runbook', 'Runbook'],
    ],
  },
];

const pageOf = ({ home, visit }: ProjectContext) => `${home}/-/releases/${encodeURIComponent(visit.params.tag ?? '')}`;
const urlOf = ({ api, visit }: ProjectContext) =>
  `${api}/releases/${encodeURIComponent(visit.params.tag ?? '')}/assets/links`;

/** Asset links of a release, with forms to add and delete them. */
export function releaseAssets(context: ProjectContext, release: Entity, problem?: string): Html {
  const { visit } = context;
  const page = pageOf(context);
  const item = (link: Entity) =>
    html`<li class="row"><a class="main" href="${safeUrl(link.url)}" rel="nofollow noreferrer">${link.name}</a>${link.link_type !== 'other' && badge(link.link_type)}<span class="end">${actionButton(visit, `${page}/assets/${link.id}/remove`, 'Remove', {}, { label: `Remove ${link.name}` })}</span></li>`;
  const form = card(visit, {
    action: `${page}/assets`,
    title: 'Add an asset',
    fields,
    values: problem === undefined ? {} : submittedValues(fields, visit.form),
    button: 'Add asset',
    problem,
  });
  return html`<h2>Assets</h2>${listOr(release.assets?.links ?? [], item, 'Only the source archives. Add links to other assets.')}${form}`;
}

/** Form handlers for asset links; errors are shown on the page of the form. */
export function releaseAssetPages(
  again: (context: ProjectContext, problem: string) => Promise<Outcome>,
): readonly Page[] {
  const one = '/:project/-/releases/:tag/assets';
  const add = (context: ProjectContext) =>
    submit(context.visit, {
      method: 'POST',
      path: urlOf(context),
      sent: readFields(fields, context.visit.form),
      to: `${pageOf(context)}/edit`,
      again: (problem) => again(context, problem),
    });
  const remove = async (context: ProjectContext): Promise<Outcome> => {
    await context.visit.api.send('DELETE', `${urlOf(context)}/${context.visit.params.id}`);
    return { redirect: `${pageOf(context)}/edit` };
  };
  return [
    projectPage({ method: 'POST', path: one, show: add }),
    projectPage({ method: 'POST', path: `${one}/:id/remove`, show: remove }),
  ];
}
