import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { listCommitIds } from '../../platform/git/history/walk.ts';
import {
  namedRefs,
  type ProjectCall,
  peelTag,
  projectUrl,
  repositoryOf,
  resolveCommit,
  runExpensive,
} from '../repository/public.ts';
import { authorsOf } from './authors.ts';
import { type ChangelogConfig, ChangelogError, configPaths, readConfig } from './config.ts';
import { History } from './history.ts';
import { mergeRequestLookup } from './merge-requests.ts';
import { categorize, renderSection } from './section.ts';
import { strftime } from './template/strftime.ts';
import { previousTag, shownVersion, TagRegexError, versionNumbers } from './version.ts';

/** Parameters of a changelog. */
export interface ChangelogQuery {
  readonly version: string;
  readonly from?: string;
  readonly to?: string;
  readonly date?: number;
  /** UTC offset of the given date, in minutes. */
  readonly zone: number;
  readonly trailer: string;
  readonly config_file?: string;
  readonly config_file_ref?: string;
}

/** The rendered changelog section of a version. */
export interface Section {
  readonly version: string;
  readonly text: string;
}

const maxCommits = 15_000;
const batchSize = 500;

/** Generates the changelog section of a version from the commits since the previous one. */
export async function generateSection(services: Services, call: ProjectCall, query: ChangelogQuery): Promise<Section> {
  const { caller, subject } = call;
  const paths = query.config_file ? [query.config_file] : configPaths;
  const config = await readConfig(services, subject, paths, query.config_file_ref);
  const from = await startOfRange(services, subject, query, config);
  const [first, last] = await Promise.all([
    resolveCommit(services, subject, from),
    resolveCommit(services, subject, query.to),
  ]);
  if (!first || !last) throw new ChangelogError('Invalid or not found commit value in the given range');
  const history = await runExpensive(services, call, () =>
    historyOf(services, subject, query.trailer, first.oid, last.oid),
  );
  const oids = history.listed.map(({ commit }) => commit.oid);
  const [authors, mergeRequests] = await Promise.all([
    authorsOf(services, caller, subject, history.listed, config.includeGroups),
    mergeRequestLookup(services)?.brought(services, subject, oids) ?? new Map(),
  ]);
  const context = { fullPath: subject.fullPath, projectUrl: projectUrl(services, subject), authors, mergeRequests };
  const version = shownVersion(query.version);
  const date = strftime(config.dateFormat, { at: query.date ?? Date.now(), zone: query.zone });
  const data = categorize(history.listed, config.categories, context);
  return { version, text: renderSection(version, date, config.template, data) };
}

/** Returns the requested start, or else the commit of the previous version's tag. */
async function startOfRange(
  services: Services,
  subject: ProjectSubject,
  { from, version }: ChangelogQuery,
  { tagRegex }: ChangelogConfig,
): Promise<string> {
  if (from) return from;
  const numbers = versionNumbers(version);
  if (!numbers) throw new ChangelogError(`The version ${version} is not a semantic version`);
  const repo = repositoryOf(services, subject);
  const tags = await namedRefs(services, repo, 'refs/tags/');
  const names = tags.map((tag) => tag.name);
  const name = findPrevious(names, numbers, tagRegex);
  const tag = tags.find((each) => each.name === name);
  const peeled = tag && (await peelTag(services.git.objects(repo), tag.oid));
  if (peeled?.commit) return peeled.commit.oid;
  throw new ChangelogError('The commit start range is unspecified, and no previous tag could be found to use instead');
}

function findPrevious(...args: Parameters<typeof previousTag>): string | undefined {
  try {
    return previousTag(...args);
  } catch (error) {
    if (!(error instanceof TagRegexError)) throw error;
    throw new ChangelogError(
      `The regular expression to use for finding the previous tag for a version is invalid: ${error.message}`,
    );
  }
}

async function historyOf(
  services: Services,
  subject: ProjectSubject,
  trailer: string,
  from: string,
  to: string,
): Promise<History> {
  const objects = services.git.objects(repositoryOf(services, subject));
  const ids = await listCommitIds(objects, { tips: [to], exclude: [from], limit: maxCommits + 1 });
  if (ids.length > maxCommits) throw new ChangelogError(`The commits range exceeds ${maxCommits} elements.`);
  const history = new History(trailer);
  for (let at = 0; at < ids.length; at += batchSize) {
    for (const commit of await objects.commits(ids.slice(at, at + batchSize))) if (commit) history.add(commit);
  }
  return history;
}
