import type { ApiAnswer, Entity } from '../frame/api.ts';
import { ago } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { pageOf, paginateList } from '../frame/paging.ts';
import { type ProjectContext, pageNotFound } from '../namespaces/project.ts';
import type { DiffRefs } from './positions.ts';

const maxVersions = 100;

/** The selected changes: of one version, or between two versions. */
export interface ChosenChanges {
  /** The commits that determine positions of notes. */
  readonly refs: DiffRefs | undefined;
  /** Whether the changes are between two versions, so that the base is the earlier version's head. */
  readonly isBetween: boolean;
  /** The commit after the changes. */
  readonly sha: string;
  /** The version selector, if there are several versions. */
  readonly chooser: Html | false;
  /** Files of the current page. */
  files(): Promise<{ readonly body: readonly Entity[]; readonly headers: ApiAnswer['headers'] }>;
  /** All files in the same order, with their numbers of changed lines. */
  allFiles(): Promise<readonly Entity[]>;
}

const refsOf = (version: Entity): DiffRefs => ({
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

/** Reads the selection from the query: `diff_id` is a version, `start_sha` the head of the version to compare with. */
export async function chosenChanges(
  context: ProjectContext,
  request: Entity,
  url: string,
  filesOnPage: number,
): Promise<ChosenChanges> {
  const { visit, api } = context;
  const versions: readonly Entity[] = (await visit.api.maybe(`${url}/versions`, { per_page: maxVersions })) ?? [];
  const [id, startSha] = [visit.query.get('diff_id') || undefined, visit.query.get('start_sha') || undefined];
  const version = id === undefined ? versions[0] : versions.find((one) => String(one.id) === id);
  const start = versions.find((one) => one.head_commit_sha === startSha);
  if ((id !== undefined && !version) || (startSha !== undefined && !start)) throw pageNotFound();
  const ofVersion = version === versions[0] ? request.diff_refs : refsOf(version);
  const sha = ofVersion?.head_sha ?? request.sha ?? request.target_branch;
  const shown = { sha, chooser: version ? chooser(context, request, versions, [version, start]) : false } as const;
  if (start) {
    const since = start.head_commit_sha;
    const compare = `${api}/repository/compare`;
    const between = { from: since, to: sha, straight: true };
    return {
      ...shown,
      refs: { base_sha: since, start_sha: since, head_sha: sha },
      isBetween: true,
      files: async () => paginateList(visit, (await visit.api.get(compare, between)).diffs, filesOnPage),
      allFiles: () => visit.api.get(`${compare}/diff_stats`, between),
    };
  }
  const whole = { ...shown, refs: ofVersion, isBetween: false };
  if (version === versions[0])
    return {
      ...whole,
      files: () => visit.api.page(`${url}/diffs`, { per_page: filesOnPage, page: pageOf(visit) }),
      allFiles: () => visit.api.get(`${url}/diff_stats`),
    };
  return {
    ...whole,
    files: async () => paginateList(visit, (await visit.api.get(`${url}/versions/${version.id}`)).diffs, filesOnPage),
    allFiles: () => visit.api.get(`${url}/diff_stats`, { version_id: version.id }),
  };
}
