import { alert } from '../forms/card.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { type Html, html, nothing, safeUrl } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome } from '../frame/visit.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { actionButton } from './discussion.ts';
import { mayPlan, noteablePaths } from './kind.ts';

const most = 50;

function picture({ visit, home }: ProjectContext, iid: number, image: Entity, mayChange: boolean): Html {
  const { url, url_text: text } = image;
  const link = url && html`<a href="${safeUrl(url)}" rel="noreferrer noopener">${text || url}</a>`;
  const remove =
    mayChange &&
    actionButton(
      visit,
      `${home}/-/issues/${iid}/metric_images/remove`,
      'Delete',
      { image: String(image.id) },
      { label: `Delete ${image.filename}` },
    );
  return html`<figure><a href="${visit.base}${image.file_path}"><img src="${visit.base}${image.file_path}" alt="${image.filename}" loading="lazy"></a><figcaption class="row"><span>${link || text || image.filename}</span><span class="end">${remove}</span></figcaption></figure>`;
}

function uploadForm({ visit, home }: ProjectContext, iid: number, problem: string | undefined): Html {
  const failed = problem !== undefined && visit.form.get('part') === 'metric_image';
  const typed = (name: string) => (failed ? visit.form.get(name) : '');
  return html`<details${failed && html` open`}><summary>Add a picture</summary><form class="card" method="post" enctype="multipart/form-data" action="${home}/-/issues/${iid}/metric_images">${csrfField(visit)}<input type="hidden" name="part" value="metric_image">${failed && alert(problem)}<label>Picture<span class="hint">Up to 1 MB</span><input type="file" name="file" accept="image/*" required></label><label>Link to the chart<input type="url" name="url" value="${typed('url')}"></label><label>Link text<input name="url_text" value="${typed('url_text')}"></label><div class="row"><button>Add the picture</button></div></form></details>`;
}

/** Lists the metric images of an incident. */
export async function metricImages(context: ProjectContext, issue: Entity, problem?: string): Promise<Html> {
  if (issue.issue_type !== 'incident') return nothing;
  const { visit, api } = context;
  const images: readonly Entity[] = (await visit.api.maybe(`${api}/issues/${issue.iid}/metric_images`)) ?? [];
  const mayChange = mayPlan(context, 'issues');
  if (images.length === 0 && !mayChange) return nothing;
  const shown = images.slice(-most).map((image) => picture(context, issue.iid, image, mayChange));
  const more = images.length > most && html`<p class="muted">The latest ${most} of ${images.length} are shown.</p>`;
  return html`<section id="metrics" class="related"><h2>Metrics</h2>${shown.length > 0 ? html`<div class="pictures">${shown}</div>` : html`<p class="empty">No metric images yet.</p>`}${more}${mayChange && uploadForm(context, issue.iid, problem)}</section>`;
}

export async function addMetricImage(
  context: ProjectContext,
  again: (problem: string) => Promise<Outcome>,
): Promise<Outcome> {
  const { file, form, api } = context.visit;
  const { url, page } = noteablePaths(context, 'issues');
  if (!file) return again('Choose a picture first.');
  const typed = ['url', 'url_text'].flatMap((name) => (form.get(name) ? [[name, form.get(name) ?? ''] as const] : []));
  const answer = await api.upload(`${url}/metric_images`, file, { fields: Object.fromEntries(typed) });
  if ([400, 413, 422].includes(answer.status)) return again(refusalOf(answer).reason);
  if (answer.status >= 300) throw refusalOf(answer);
  return { redirect: `${page}#metrics` };
}

export async function removeMetricImage(context: ProjectContext): Promise<Outcome> {
  const { url, page } = noteablePaths(context, 'issues');
  const { api, form } = context.visit;
  await api.send('DELETE', `${url}/metric_images/${encodeURIComponent(form.get('image') ?? '')}`);
  return { redirect: `${page}#metrics` };
}
