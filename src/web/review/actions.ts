import { normalizeLineEndings } from '../forms/fields.ts';
import type { JsonBody, WriteMethod } from '../frame/api.ts';
import type { Outcome } from '../frame/visit.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { markOf } from './merge-box.ts';

const act =
  (method: WriteMethod, path: string, sent: (context: ProjectContext) => JsonBody = () => ({}), view = '') =>
  async (context: ProjectContext): Promise<Outcome> => {
    const { visit, api, home } = context;
    const { iid } = visit.params;
    await visit.api.send(method, `${api}/merge_requests/${iid}${path}`, sent(context));
    return { redirect: `${home}/-/merge_requests/${iid}${view}` };
  };

/** The reviewed commit, so that merging or approving applies to nothing newer. */
const reviewedSha = ({ visit }: ProjectContext) => ({ sha: visit.form.get('sha') ?? '' });
const isOn = ({ visit }: ProjectContext, name: string) => visit.form.get(name) === 'true';

/** The edited commit messages; for the others the API uses the project's templates. */
function messages({ visit: { form } }: ProjectContext): JsonBody {
  const typed = ['merge_commit_message', 'squash_commit_message'].map(
    (name) => [name, normalizeLineEndings(form.get(name) ?? '')] as const,
  );
  return Object.fromEntries(
    typed.filter(([name, text]) => text.trim() !== '' && markOf(text) !== form.get(`${name}_mark`)),
  );
}

export const merge = act('PUT', '/merge', (context) => ({
  ...reviewedSha(context),
  ...messages(context),
  ...(isOn(context, 'auto_merge') && { auto_merge: true }),
  // An unticked checkbox is not sent. If the form had no checkboxes, both settings stay as they are.
  ...(context.visit.form.get('choices') === 'shown' && {
    squash: isOn(context, 'squash'),
    should_remove_source_branch: isOn(context, 'should_remove_source_branch'),
  }),
}));
export const cancelMerge = act('POST', '/cancel_merge_when_pipeline_succeeds');
export const rebase = act('PUT', '/rebase');
export const approve = act('POST', '/approve', (context) => {
  const approval_password = context.visit.form.get('approval_password');
  return { ...reviewedSha(context), ...(approval_password !== null && { approval_password }) };
});
export const unapprove = act('POST', '/unapprove');
export const subscribe = act('POST', '/subscribe');
export const unsubscribe = act('POST', '/unsubscribe');
export const addTodo = act('POST', '/todo');
export const runPipeline = act('POST', '/pipelines', undefined, '/pipelines');

/** Retries an external status check. */
export async function retryCheck({ visit, api, home }: ProjectContext): Promise<Outcome> {
  const { iid, check } = visit.params;
  await visit.api.send('POST', `${api}/merge_requests/${iid}/status_checks/${check}/retry`);
  return { redirect: `${home}/-/merge_requests/${iid}` };
}

const marks = /^(?:\s*(?:\[draft\]|\(draft\)|draft:))+\s*/i;

/** The draft state is part of the title. */
export async function toggleDraft({ visit, api, home }: ProjectContext): Promise<Outcome> {
  const url = `${api}/merge_requests/${visit.params.iid}`;
  const { title } = await visit.api.get(url);
  await visit.api.send('PUT', url, { title: marks.test(title) ? title.replace(marks, '') : `Draft: ${title}` });
  return { redirect: `${home}/-/merge_requests/${visit.params.iid}` };
}
