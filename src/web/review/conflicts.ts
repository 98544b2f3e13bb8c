import { alert, hiddenFields, submit } from '../forms/card.ts';
import { drawField, type Field, hasCarriageReturns, normalizeLineEndings } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { count } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome } from '../frame/visit.ts';
import { inProject, type ProjectContext } from '../namespaces/project.ts';
import { header } from './header.ts';

const messageField: Field = { name: 'commit_message', label: 'Commit message', kind: 'area', required: true };

/** Lines of context around a conflict. */
const around = 3;

const linesOf = (text: string) => text.split('\n').slice(0, text.endsWith('\n') ? -1 : undefined);

/** An empty cell would have no height. */
const row = (kind: 'same' | 'add' | 'del' | 'hunk', text: string) =>
  html`<tr class="${kind}"><td>${text === '' ? ' ' : text}</td></tr>`;

function agreed(text: string, first: boolean, last: boolean): Html {
  const all = linesOf(text);
  const before = first ? [] : all.slice(0, around);
  const after = last ? [] : all.slice(Math.max(all.length - around, before.length));
  const left = all.length - before.length - after.length;
  return html`<table class="code">${before.map((line) => row('same', line))}${left > 0 && row('hunk', `… ${count(left, 'line')} that both have`)}${after.map((line) => row('same', line))}</table>`;
}

function choice(form: URLSearchParams, name: string, options: readonly (readonly [string, string])[]): Html {
  const chosen = form.get(name) ?? options[0]?.[0];
  const one = ([value, text]: readonly [string, string]) =>
    html`<label class="tick"><input type="radio" name="${name}" value="${value}"${value === chosen && html` checked`}> ${text}</label>`;
  return html`<div class="row">${options.map(one)}</div>`;
}

/** Field names use indexes, because a path may contain anything. */
const wayOf = (file: number) => `way-${file}`;
const sideOf = (file: number, conflict: number) => `side-${file}-${conflict}`;
const textOf = (file: number) => `text-${file}`;

function conflicted(form: URLSearchParams, name: string, { source, target }: Entity, branches: Entity): Html {
  const sides = [
    ['source', `That of ${branches.source_branch}`],
    ['target', `That of ${branches.target_branch}`],
    ['both', 'Both, one after the other'],
  ] as const;
  return html`<div class="scroll"><table class="code">${linesOf(source).map((line) => row('add', line))}${linesOf(target).map((line) => row('del', line))}</table></div>${choice(form, name, sides)}`;
}

/** The whole text with conflict markers, for editing by hand. */
function marked({ sections }: Entity, { source_branch, target_branch }: Entity): string {
  const part = ({ conflict, text, source, target }: Entity) =>
    conflict ? `<<<<<<< ${source_branch}\n${source}=======\n${target}>>>>>>> ${target_branch}\n` : text;
  return sections.map(part).join('');
}

function fileBox(form: URLSearchParams, file: Entity, at: number, conflicts: Entity): Html {
  const { path, sections, in_source, in_target } = file;
  const { source_branch, target_branch } = conflicts;
  const side = (has: boolean, branch: string) => (has ? `The whole file of ${branch}` : `No file, as in ${branch}`);
  const whole = [
    ['source', side(in_source, source_branch)],
    ['target', side(in_target, target_branch)],
  ] as const;
  const title = html`<header class="row"><strong>${path}</strong></header>`;
  if (sections === null) {
    const why =
      in_source && in_target ? 'The file cannot be compared line by line.' : 'One side has deleted or renamed it.';
    return html`<section class="box">${title}<div class="inner"><p class="muted">${why}</p>${choice(form, wayOf(at), whole)}</div></section>`;
  }
  let conflict = 0;
  const parts = sections.map((section: Entity, index: number) =>
    section.conflict
      ? conflicted(form, sideOf(at, conflict++), section, conflicts)
      : agreed(section.text, index === 0, index === sections.length - 1),
  );
  const ways = [['parts', 'Part by part, as chosen'], ...whole, ['text', 'The text below']] as const;
  const typed = form.get(textOf(at)) ?? marked(file, conflicts);
  return html`<section class="box">${title}<div class="inner">${parts}${choice(form, wayOf(at), ways)}<details${form.get(wayOf(at)) === 'text' && html` open`}><summary>Write the text</summary><label>Text of ${path}<textarea class="code-area" name="${textOf(at)}" rows="16" spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off">
${typed}</textarea></label></details></div></section>`;
}

/** Shows the conflicts of a merge request, and the form that resolves them. */
export async function conflictsPage(context: ProjectContext, problem?: string): Promise<Outcome> {
  const { visit, api, home } = context;
  const url = `${api}/merge_requests/${visit.params.iid}`;
  const page = `${home}/-/merge_requests/${visit.params.iid}`;
  const [request, conflicts] = await Promise.all([visit.api.get(url), visit.api.get(`${url}/conflicts`)]);
  const { files, source_sha, target_sha } = conflicts;
  // Choices for other versions of the files do not apply.
  const same = visit.form.get('source_sha') === source_sha && visit.form.get('target_sha') === target_sha;
  const typed = same ? visit.form : new URLSearchParams();
  const message = typed.get('commit_message') ?? conflicts.commit_message;
  const form = html`<form method="post" action="${page}/conflicts">${csrfField(visit)}${hiddenFields({ source_sha, target_sha })}${alert(problem)}${files.map((file: Entity, at: number) => fileBox(typed, file, at, conflicts))}${drawField(messageField, message)}<div class="row"><button class="primary">Commit to ${conflicts.source_branch}</button><a href="${page}">Cancel</a></div></form>`;
  const body = html`${header(context, request, '')}<h2>Conflicts</h2>${files.length === 0 ? html`<p>There are no conflicts.</p>` : form}`;
  const status = problem !== undefined && { status: 422 };
  return inProject(context, { title: `Conflicts of ${request.title}`, tab: 'merge_requests', body, ...status });
}

function resolution(form: URLSearchParams, { path, sections }: Entity, at: number) {
  const way = form.get(wayOf(at)) ?? '';
  if (way === 'source' || way === 'target' || sections === null) return { path, take: way };
  if (way === 'text') {
    const text = normalizeLineEndings(form.get(textOf(at)) ?? '');
    const before = sections.map((section: Entity) => section.text ?? section.source + section.target).join('');
    return { path, content: hasCarriageReturns(before) ? text.replaceAll('\n', '\r\n') : text };
  }
  const conflicts = sections.filter(({ conflict }: Entity) => conflict);
  return { path, choices: conflicts.map((_: Entity, each: number) => form.get(sideOf(at, each)) ?? '') };
}

export async function resolveConflicts(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const url = `${api}/merge_requests/${visit.params.iid}`;
  const { form } = visit;
  const { files } = await visit.api.get(`${url}/conflicts`);
  return submit(visit, {
    method: 'POST',
    path: `${url}/resolve_conflicts`,
    sent: {
      source_sha: form.get('source_sha') ?? '',
      target_sha: form.get('target_sha') ?? '',
      commit_message: normalizeLineEndings(form.get('commit_message') ?? ''),
      files: files.map((file: Entity, at: number) => resolution(form, file, at)),
    },
    to: `${home}/-/merge_requests/${visit.params.iid}`,
    again: (problem) => conflictsPage(context, problem),
  });
}
