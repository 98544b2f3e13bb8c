import { hiddenFields } from '../forms/card.ts';
import { normalizeLineEndings } from '../forms/fields.ts';
import type { Entity, JsonBody } from '../frame/api.ts';
import { count } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import { renderAll } from '../frame/markdown.ts';
import { returnAddress } from '../frame/return-to.ts';
import type { Outcome } from '../frame/visit.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { actionButton } from '../planning/discussion.ts';

const maxShown = 100;

const requestUrl = ({ visit, api }: ProjectContext) => `${api}/merge_requests/${visit.params.iid}`;
const requestPage = ({ visit, home }: ProjectContext) => `${home}/-/merge_requests/${visit.params.iid}`;

/** The user's pending review: draft notes, and buttons to submit it. */
export async function reviewBox(context: ProjectContext, request: Entity, from: '' | 'diffs'): Promise<Html | false> {
  const { visit, project } = context;
  if (!visit.user) return false;
  const drafts: readonly Entity[] =
    (await visit.api.maybe(`${requestUrl(context)}/draft_notes`, { per_page: maxShown })) ?? [];
  if (drafts.length === 0) return false;
  const page = requestPage(context);
  const isReviewer = request.reviewers.some(({ id }: Entity) => id === visit.user?.id);
  const mayAsk = request.state === 'opened' && (isReviewer || request.author.id !== visit.user.id);
  const texts = await renderAll(
    visit,
    project.path_with_namespace,
    drafts.map(({ note }) => note),
  );
  const item = (draft: Entity, at: number) => {
    const line = draft.position?.new_line ?? draft.position?.old_line;
    const where = draft.position?.new_path
      ? html`<code>${draft.position.new_path}${line && `:${line}`}</code>`
      : draft.discussion_id
        ? html`<span class="muted">a reply</span>`
        : html`<span class="muted">on the merge request</span>`;
    return html`<li><div class="row">${where}<span class="end">${actionButton(visit, `${page}/drafts/${draft.id}/remove`, 'Discard', { from })}</span></div>${texts[at]}</li>`;
  };
  return html`<section class="box" id="review" aria-label="Your review"><header class="row"><strong>Your review</strong><span class="muted">${count(drafts.length, 'comment')} that only you see until you send them</span></header><ul class="list">${drafts.map(item)}</ul><form class="inner row" method="post" action="${page}/review">${csrfField(visit)}${hiddenFields({ sha: request.sha ?? '', from })}<button class="primary">Submit review</button><button name="approve" value="true">Submit and approve</button>${mayAsk && html`<button name="reviewer_state" value="requested_changes">Submit and request changes</button>`}</form></section>`;
}

/** Adds a draft note to the review. */
export async function keepDraft(context: ProjectContext, sent: JsonBody): Promise<void> {
  await context.visit.api.send('POST', `${requestUrl(context)}/draft_notes`, sent);
}

/** The view that a form was sent from. */
const viewOf = (context: ProjectContext): string =>
  returnAddress(context.visit, `${requestPage(context)}${context.visit.form.get('from') === 'diffs' ? '/diffs' : ''}`);

const back = (context: ProjectContext): Outcome => ({
  redirect: `${viewOf(context)}#review`,
});

/** Adds a reply to the review. */
export async function draftReply(context: ProjectContext): Promise<Outcome> {
  const { form, params } = context.visit;
  await keepDraft(context, {
    note: normalizeLineEndings(form.get('note') ?? ''),
    in_reply_to_discussion_id: params.thread,
  });
  return back(context);
}

export async function discardDraft(context: ProjectContext): Promise<Outcome> {
  await context.visit.api.send('DELETE', `${requestUrl(context)}/draft_notes/${context.visit.params.id}`);
  return back(context);
}

const asksFor = (state: string | null): JsonBody => (state ? { reviewer_state: state } : {});

/** Submits the review, with an approval of the reviewed commit if selected. */
export async function sendReview(context: ProjectContext): Promise<Outcome> {
  const { visit } = context;
  const url = requestUrl(context);
  const approves = visit.form.get('approve') === 'true' && !(await visit.api.get(`${url}/approvals`)).user_has_approved;
  // A single call: if someone has pushed since, the approval is rejected and nothing is published.
  if (approves)
    await visit.api.send('POST', `${url}/approve`, { sha: visit.form.get('sha') ?? '', publish_review: true });
  else await visit.api.send('POST', `${url}/draft_notes/bulk_publish`, asksFor(visit.form.get('reviewer_state')));
  return { redirect: requestPage(context) };
}

/** Applies several suggestions in one commit. */
export async function applySuggestions(context: ProjectContext): Promise<Outcome> {
  const ids = context.visit.form.getAll('suggestion').map(Number);
  if (ids.length > 0) await context.visit.api.send('PUT', '/suggestions/batch_apply', { ids });
  return { redirect: returnAddress(context.visit, `${requestPage(context)}/diffs`) };
}

/** Applies a suggestion. */
export async function applySuggestion(context: ProjectContext): Promise<Outcome> {
  await context.visit.api.send('PUT', `/suggestions/${context.visit.params.id}/apply`);
  return { redirect: viewOf(context) };
}
