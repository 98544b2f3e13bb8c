import { isUtf8 } from 'node:buffer';
import { trimCharacters, trimTrailing } from '../../platform/trim.ts';
import { alert, hiddenFields, submit } from '../forms/card.ts';
import { drawField, type Field, hasCarriageReturns, normalizeLineEndings } from '../forms/fields.ts';
import { decode, encodePath } from '../frame/addresses.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, pageNotFound, projectPage } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { pathLinks } from './file-frame.ts';
import { type PathAtRef, splitRef } from './ref.ts';

// Form encoding may take several bytes per character, and the size of a form is limited.
const maxEdited = 400_000;

/** Whether the user may edit files here: requires the right to push, and a branch instead of a commit ID. */
export const mayEdit = ({ visit, project }: ProjectContext, at: Pick<PathAtRef, 'ref' | 'commit'>) =>
  roleInProject(visit, project) >= 30 && !project.archived && at.ref !== at.commit?.id;

export type Start = Pick<PathAtRef, 'ref' | 'path'> & { readonly commit?: PathAtRef['commit'] };

interface Editor {
  readonly title: string;
  readonly button: string;
  readonly start: Start;
  readonly message: string;
  readonly inner: Part;
  readonly takesFile?: boolean;
  readonly hidden?: Readonly<Record<string, string>>;
  readonly problem?: string | undefined;
}

export const messageField: Field = { name: 'commit_message', label: 'Commit message', kind: 'area', required: true };
export const branchField: Field = {
  name: 'branch',
  label: 'Branch',
  required: true,
  hint: 'Another name creates a new branch for a merge request',
};

/** A form that creates a commit. */
function editor(context: ProjectContext, options: Editor): Outcome {
  const { title, button, start, message, inner, hidden, problem } = options;
  const { visit, home } = context;
  const { form, base, path } = visit;
  // Turbo does not handle URLs that look like a file; the server strips the trailing slash.
  const action = `${base}${trimTrailing(path, '/')}/`;
  const typed = problem === undefined ? { commit_message: message, branch: start.ref } : Object.fromEntries(form);
  const back = start.commit
    ? `${home}/-/${start.path === '' || (button !== 'Commit changes' && button !== 'Delete file') ? 'tree' : 'blob'}/${encodePath([start.ref, start.path].filter(Boolean).join('/'))}`
    : home;
  const body = html`<h1>${title}</h1>${start.commit && pathLinks(context, { ...start, commit: start.commit })}<form class="card wide" method="post" action="${action}"${options.takesFile && html` enctype="multipart/form-data"`}>${csrfField(visit)}${hiddenFields(hidden ?? {})}${alert(problem)}${inner}${drawField(messageField, typed.commit_message)}${drawField(branchField, typed.branch)}<div class="row"><button class="primary">${button}</button><a href="${back}">Cancel</a></div></form>`;
  return inProject(context, { title, tab: 'tree', body, ...(problem !== undefined && { status: 422 }) });
}

/** The text of a file. HTML ignores the newline right after the tag. */
export const textArea = (text: string, label: string): Html =>
  html`<label>${label}<textarea class="code-area" name="content" rows="24" spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off">
${text}</textarea></label>`;

const pathField = (hint: string): Field => ({ name: 'file_path', label: 'Path', required: true, hint });

/** Determines the branch; an empty repository gets its first commit. */
async function startOf(context: ProjectContext): Promise<Start> {
  const { visit, project } = context;
  const address = visit.params.address ?? '';
  if (project.empty_repo === true) return { ref: address, path: '' };
  return splitRef(context, address);
}

/** Commits one change to the submitted branch: the current one, or a new one created from it. */
export async function commit(
  context: ProjectContext,
  start: Start,
  action: Readonly<Record<string, unknown>>,
  again: (problem: string) => Promise<Outcome> | Outcome,
): Promise<Outcome> {
  const { visit, api, home, project } = context;
  const branch = (visit.form.get('branch') ?? '').trim();
  const isNew = branch !== start.ref;
  return submit(visit, {
    method: 'POST',
    path: `${api}/repository/commits`,
    sent: {
      branch,
      commit_message: normalizeLineEndings(visit.form.get('commit_message') ?? ''),
      ...(isNew && start.commit && { start_sha: start.commit.id }),
      actions: [action],
      stats: false,
    },
    to: () => {
      if (isNew && start.commit) {
        const mergeRequestQuery = {
          'merge_request[source_branch]': branch,
          'merge_request[target_branch]': start.ref === start.commit.id ? project.default_branch : start.ref,
        };
        return `${home}/-/merge_requests/new?${new URLSearchParams(mergeRequestQuery).toString()}`;
      }
      const kind = action.action === 'delete' ? 'tree' : 'blob';
      const file = String(action.file_path);
      const shown = kind === 'blob' ? file : file.split('/').slice(0, -1).join('/');
      return `${home}/-/${kind}/${encodePath([branch, shown].filter(Boolean).join('/'))}`;
    },
    again,
  });
}

function newForm(context: ProjectContext, start: Start, problem?: string): Outcome {
  const { form } = context.visit;
  const folder = start.path === '' ? '' : `${start.path}/`;
  const path = problem === undefined ? folder : (form.get('file_path') ?? '');
  const text = problem === undefined ? '' : (form.get('content') ?? '');
  const inner = html`${drawField(pathField('Slashes create directories'), path)}${textArea(text, 'Text')}`;
  return editor(context, { title: 'New file', button: 'Create file', start, message: 'Add a file', inner, problem });
}

async function createFile(context: ProjectContext): Promise<Outcome> {
  const { form } = context.visit;
  const start = await startOf(context);
  const file_path = (form.get('file_path') ?? '').trim();
  const action = { action: 'create', file_path, content: normalizeLineEndings(form.get('content') ?? '') };
  return commit(context, start, action, (problem) => newForm(context, start, problem));
}

function uploadForm(context: ProjectContext, start: Start, problem?: string): Outcome {
  const folder = problem === undefined ? start.path : (context.visit.form.get('folder') ?? '');
  const field: Field = { name: 'folder', label: 'Folder', hint: 'Empty: root directory' };
  const inner = html`<label>File<span class="hint">Up to 10 MB; push larger files with Git</span><input type="file" name="file" required></label>${drawField(field, folder)}`;
  return editor(context, {
    title: 'Upload file',
    button: 'Upload file',
    start,
    message: 'Upload a file',
    inner,
    problem,
    takesFile: true,
  });
}

async function uploadFile(context: ProjectContext): Promise<Outcome> {
  const { file, form } = context.visit;
  const start = await startOf(context);
  const again = (problem: string) => uploadForm(context, start, problem);
  if (!file) return again('Choose a file');
  const folder = trimCharacters(form.get('folder') ?? '', '/');
  // Some browsers send the path along with the file name.
  const name = file.name.split(/[\\/]/).at(-1) ?? '';
  const file_path = folder === '' ? name : `${folder}/${name}`;
  const action = { action: 'create', file_path, content: file.bytes.toString('base64'), encoding: 'base64' };
  return commit(context, start, action, again);
}

export interface Editable {
  readonly start: PathAtRef;
  readonly lastCommitId: string;
  /** Undefined if the file cannot be edited in a browser. */
  readonly text: string | undefined;
}

/** Loads a file for editing. Files that a browser would alter, such as binary ones, are not offered. */
export async function editableAt({ visit, api }: ProjectContext, start: PathAtRef): Promise<Editable | undefined> {
  const url = `${api}/repository/files/${encodeURIComponent(start.path)}`;
  const head = start.path === '' ? undefined : await visit.api.ask('HEAD', url, { ref: start.commit.id });
  if (head?.status !== 200) return undefined;
  const lastCommitId = decode(String(head.headers['x-gitlab-last-commit-id']));
  if (Number(head.headers['x-gitlab-size']) > maxEdited) return { start, lastCommitId, text: undefined };
  const { bytes } = await visit.api.page(`${url}/raw`, { ref: start.commit.id });
  const text = isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : undefined;
  return { start, lastCommitId, text: text !== undefined && /\r(?!\n)/.test(text) ? undefined : text };
}

async function editable(context: ProjectContext): Promise<Editable> {
  const file = await editableAt(context, await splitRef(context, context.visit.params.address ?? ''));
  if (!file) throw pageNotFound();
  return file;
}

/** Returns the submitted text with the original line endings of the file. */
export const typedText = (form: URLSearchParams): string => {
  const text = normalizeLineEndings(form.get('content') ?? '');
  return form.get('line_ends') === 'crlf' ? text.replaceAll('\n', '\r\n') : text;
};

/** Form fields that detect concurrent changes: submitting an outdated form must not overwrite later commits. */
export const seenFields = (
  form: URLSearchParams,
  { lastCommitId, text = '' }: Pick<Editable, 'lastCommitId' | 'text'>,
) => ({
  last_commit_id: form.get('last_commit_id') ?? lastCommitId,
  ...(hasCarriageReturns(text) && { line_ends: 'crlf' }),
});

function editForm(context: ProjectContext, { start, lastCommitId, text }: Editable, problem?: string): Outcome {
  const { form } = context.visit;
  const title = `Edit ${start.path}`;
  if (text === undefined) {
    const explanation = 'This file is binary or too large to edit in a browser. Edit it with Git and push.';
    return inProject(context, { title, tab: 'tree', body: html`<h1>${title}</h1>${alert(explanation)}`, status: 422 });
  }
  const typed = problem === undefined ? text : (form.get('content') ?? '');
  const path = problem === undefined ? start.path : (form.get('file_path') ?? '');
  const inner = html`${drawField(pathField('Another path moves the file'), path)}${textArea(typed, 'Text')}`;
  const hidden = seenFields(form, { lastCommitId, text });
  return editor(context, {
    title,
    button: 'Commit changes',
    start,
    message: `Update ${start.path}`,
    inner,
    hidden,
    problem,
  });
}

async function saveFile(context: ProjectContext): Promise<Outcome> {
  const { form } = context.visit;
  const file = await editable(context);
  const file_path = (form.get('file_path') ?? '').trim();
  const moves = file_path !== file.start.path;
  const action = {
    action: moves ? 'move' : 'update',
    file_path,
    ...(moves && { previous_path: file.start.path }),
    content: typedText(form),
    last_commit_id: form.get('last_commit_id') ?? '',
  };
  return commit(context, file.start, action, (problem) => editForm(context, file, problem));
}

function deleteForm(context: ProjectContext, { start, lastCommitId }: Editable, problem?: string): Outcome {
  const title = `Delete ${start.path}`;
  const hidden = { last_commit_id: context.visit.form.get('last_commit_id') ?? lastCommitId };
  return editor(context, { title, button: 'Delete file', start, message: title, inner: html``, hidden, problem });
}

async function deleteFile(context: ProjectContext): Promise<Outcome> {
  const file = await editable(context);
  const last_commit_id = context.visit.form.get('last_commit_id') ?? '';
  const action = { action: 'delete', file_path: file.start.path, last_commit_id };
  return commit(context, file.start, action, (problem) => deleteForm(context, file, problem));
}

const form = (
  path: string,
  show: (context: ProjectContext) => Promise<Outcome>,
  save: (context: ProjectContext) => Promise<Outcome>,
): Page[] => [projectPage({ path, signedIn: true, show }), projectPage({ method: 'POST', path, show: save })];

/** Pages for editing files in the browser. */
export const editPages: readonly Page[] = [
  ...form('/:project/-/new/*address', async (context) => newForm(context, await startOf(context)), createFile),
  ...form('/:project/-/upload/*address', async (context) => uploadForm(context, await startOf(context)), uploadFile),
  ...form('/:project/-/edit/*address', async (context) => editForm(context, await editable(context)), saveFile),
  ...form('/:project/-/delete/*address', async (context) => deleteForm(context, await editable(context)), deleteFile),
];
