import type { ApiAnswer, Entity } from '../frame/api.ts';
import { ago } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { pageOf, partOf } from '../frame/paging.ts';
import { missing, type ProjectContext } from '../namespaces/project.ts';

const filesOnPage = 30;
const mostVersions = 100;

/** The changes that a reader has chosen: those of a version, or what a version has that an earlier one had not. */
export interface ChosenChanges {
  readonly files: readonly Entity[];
  readonly headers: ApiAnswer['headers'];
  /** The commits that comments on lines are placed by; undefined between two versions, where none begin. */
  readonly refs: Entity | undefined;
  /** The commit after the changes. */
  readonly sha: string;
  /** The form that chooses; absent where there is one version only. */
  readonly chooser: Html | false;
}

const refsOf = (version: Entity) => ({
  base_sha: version.base_commit_sha,
  start_sha: version.start_commit_sha,
  head_sha: version.head_commit_sha,
});

function chooser(
  { visit, home }: ProjectContext,
  request: Entity,
  versions: readonly Entity[],
  [version, start]: readonly [Entity, Entity | undefined],
): Html | false {
  if (versions.length < 2) return false;
  const name = (one: Entity, at: number) =>
    `Version ${versions.length - at}${at === 0 ? ', the latest' : ''} · ${one.head_commit_sha.slice(0, 8)} · ${ago(Date.parse(one.created_at))}`;
  const option = (value: string, text: string, isChosen: boolean) =>
    html`<option value="${value}"${isChosen && html` selected`}>${text}</option>`;
  const shown = versions.map((one, at) => option(at === 0 ? '' : String(one.id), name(one, at), one === version));
  const since = versions.slice(1).map((one, at) => option(one.head_commit_sha, name(one, at + 1), one === start));
  const view = visit.query.get('view') === 'parallel' && html`<input type="hidden" name="view" value="parallel">`;
  return html`<form class="filters versions" action="${home}/-/merge_requests/${request.iid}/diffs">${view}<label>Changes of<select name="diff_id">${shown}</select></label><label>since<select name="start_sha">${option('', `where it left ${request.target_branch}`, !start)}${since}</select></label><button>Show</button></form>`;
}

/** Reads what the address asks for: `diff_id` is a version, `start_sha` the head of the one that it is compared with. */
export async function chosenChanges(context: ProjectContext, request: Entity, url: string): Promise<ChosenChanges> {
  const { visit, api } = context;
  const versions: readonly Entity[] = (await visit.api.maybe(`${url}/versions`, { per_page: mostVersions })) ?? [];
  const [id, startSha] = [visit.query.get('diff_id') || undefined, visit.query.get('start_sha') || undefined];
  const version = id === undefined ? versions[0] : versions.find((one) => String(one.id) === id);
  const start = versions.find((one) => one.head_commit_sha === startSha);
  if ((id !== undefined && !version) || (startSha !== undefined && !start)) throw missing();
  const isNewest = version === versions[0];
  const refs = isNewest ? request.diff_refs : refsOf(version);
  const sha = refs?.head_sha ?? request.sha ?? request.target_branch;
  const rest = { sha, chooser: version ? chooser(context, request, versions, [version, start]) : false } as const;
  if (start) {
    const between = { from: start.head_commit_sha, to: sha, straight: true };
    const { diffs } = await visit.api.get(`${api}/repository/compare`, between);
    const { body, headers } = partOf(visit, diffs, filesOnPage);
    return { ...rest, files: body, headers, refs: undefined };
  }
  if (isNewest) {
    const { body, headers } = await visit.api.page(`${url}/diffs`, { per_page: filesOnPage, page: pageOf(visit) });
    return { ...rest, files: body, headers, refs };
  }
  const { diffs } = await visit.api.get(`${url}/versions/${version.id}`);
  const { body, headers } = partOf(visit, diffs, filesOnPage);
  return { ...rest, files: body, headers, refs };
}
