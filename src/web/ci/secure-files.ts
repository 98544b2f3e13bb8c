import { alert } from '../forms/card.ts';
import { drawField, type Field } from '../forms/fields.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { listOr, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage, sectionTitle } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton } from '../planning/discussion.ts';

const path = '/-/secure_files';
const mayWrite = ({ visit, project }: ProjectContext) => roleInProject(visit, project) >= 40;

const nameField: Field = {
  name: 'name',
  label: 'Name',
  hint: 'Letters, digits, dots, - and _; default: name of the file',
};

function uploadForm(context: ProjectContext, problem: string | undefined): Html | false {
  const { visit, home } = context;
  return (
    mayWrite(context) &&
    html`<form class="card" method="post" action="${home}${path}" enctype="multipart/form-data">${csrfField(visit)}<h2>New secure file</h2>${alert(problem)}<label>File<span class="hint">Less than 5 MB</span><input type="file" name="file" required></label>${drawField(nameField, visit.form.get('name') ?? '')}<div class="row"><button class="primary">Upload file</button></div></form>`
  );
}

async function listPage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, api, home, project } = context;
  const answer = await visit.api.page(`${api}/secure_files`, { per_page: 50, page: pageOf(visit) });
  const item = (file: Entity) => {
    const address = `${visit.base}/api/v4${api}/secure_files/${file.id}/download`;
    const remove =
      mayWrite(context) &&
      actionButton(visit, `${home}${path}/remove`, 'Delete', { id: String(file.id) }, { confirm: 'Delete this file?' });
    return html`<li><div class="row"><a class="main" href="${address}" data-turbo="false"><strong>${file.name}</strong></a><span class="end row"><span class="muted">${relativeTime(file.created_at)}</span>${remove}</span></div><p class="muted">SHA-256 <code>${file.checksum}</code></p></li>`;
  };
  const [newest] = answer.body;
  const url = `${visit.services.externalUrl}/api/v4/projects/${project.id}/secure_files/${newest?.id}/download`;
  const use =
    newest &&
    html`<h2>Use it</h2><p>A job downloads a file with its token:</p><pre class="box"><code class="inner">curl --header "Job-Token: $CI_JOB_TOKEN" --output ${newest.name} "${url}"</code></pre>`;
  const empty =
    'No secure files. Store certificates and signing keys for jobs here, encrypted, instead of in the repository.';
  const body = html`${sectionTitle('Secure files')}${listOr(answer.body, item, empty)}${pager(visit, answer)}${use}${uploadForm(context, problem)}`;
  return inProject(context, {
    title: 'Secure files',
    tab: 'pipelines',
    body,
    ...(problem !== undefined && { status: 422 }),
  });
}

async function upload(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const { file, form } = visit;
  if (!file) return listPage(context, 'Choose a file.');
  // Some browsers send the path along with the file name.
  const name = (form.get('name') ?? '').trim() || (file.name.split(/[\\/]/).at(-1) ?? '');
  const answer = await visit.api.upload(`${api}/secure_files`, file, { fields: { name } });
  if (answer.status < 300) return { redirect: `${home}${path}` };
  const refusal = refusalOf(answer);
  if (answer.status === 413) return listPage(context, 'The file is too large.');
  if (answer.status === 400) return listPage(context, refusal.reason);
  throw refusal;
}

async function remove({ visit, api, home }: ProjectContext): Promise<Outcome> {
  await visit.api.send('DELETE', `${api}/secure_files/${encodeURIComponent(visit.form.get('id') ?? '')}`);
  return { redirect: `${home}${path}` };
}

export const secureFilePages: readonly Page[] = [
  projectPage({ path: `/:project${path}`, signedIn: true, show: (context) => listPage(context) }),
  projectPage({ method: 'POST', path: `/:project${path}`, show: upload }),
  projectPage({ method: 'POST', path: `/:project${path}/remove`, show: remove }),
];
