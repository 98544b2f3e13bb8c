import { LRUCache } from 'lru-cache';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { inAddress, projectUrl, repositoryOf, resolveCommit } from '../../code/repository/public.ts';
import { includedTemplate } from '../../code/templates/public.ts';
import { EgressRefused, ResponseTooLarge } from '../../platform/egress/client.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { entryType } from '../../platform/git/trees/tree.ts';
import { perServer } from '../../platform/per-server.ts';
import {
  type ConfigOrigin,
  compileIncludeGlob,
  type IncludedFile,
  type IncludeRequest,
  type IncludeResolver,
} from '../config/public.ts';
import { findComponent } from './components.ts';
import { filesOf, type PipelineSource, readableCode } from './repository-facts.ts';

type Resolved = Awaited<ReturnType<IncludeResolver['resolve']>>;

const largestFile = 2 * 1024 * 1024;
const remoteTimeouts = { total: 30_000 };
/** Files that one include with wildcards may bring: more than a configuration may have. */
const maxMatches = 200;

/** Finds what a configuration includes: in the repositories that the one who starts the pipeline may read, and in the web. */
export function includeResolver(services: Services, place: PipelineSource): IncludeResolver {
  return {
    resolve(request, from): Promise<Resolved> {
      switch (request.type) {
        case 'local':
          return local(services, place, request.path, from);
        case 'project':
          return ofProject(services, place, request);
        case 'remote':
          return kept(services, request.url, request.keepSeconds);
        case 'template':
          return template(request.name);
        case 'component':
          return ofComponent(services, place, request.address);
        case 'artifact':
          return fromArtifact(services, place, request);
      }
    },
  };
}

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    /** The text of a file in the archive that a job of a pipeline has left, by the job's name; undefined where there is none. */
    'pipelines.artifactFile': (
      services: Services,
      pipelineId: number,
      job: string,
      path: string,
      largest: number,
    ) => Promise<string | undefined>;
  }
}

/** A configuration that a job of the parent pipeline has written. */
async function fromArtifact(
  services: Services,
  { parent }: PipelineSource,
  { job, file }: Extract<IncludeRequest, { type: 'artifact' }>,
): Promise<Resolved> {
  for (const open of parent ? services.contributions('pipelines.artifactFile') : []) {
    const text = await open(services, parent?.pipelineId ?? 0, job, file, largestFile);
    if (text !== undefined) return { files: [{ text, origin: { project: null, sha: null }, location: file }] };
  }
  return { error: `Job \`${job}\` not found in parent pipeline or does not have artifacts!` };
}

/** One of the instance's own templates. */
async function template(name: string): Promise<Resolved> {
  const text = includedTemplate(name);
  if (text !== undefined) return { files: [{ text, origin: { project: null, sha: null }, location: name }] };
  const hint = 'This instance has the templates that `GET /templates/gitlab_ci_ymls` lists.';
  return { error: `Included file \`${name}\` is empty or does not exist! ${hint}` };
}

async function ofComponent(services: Services, place: PipelineSource, address: string): Promise<Resolved> {
  const found = await findComponent(services, place, address);
  for (const path of found?.paths ?? []) {
    const file = found && (await fileAt(services, found, path));
    if (!file) continue;
    const origin = { ...file.origin, component: found.facts };
    return { files: [{ ...file, origin, location: address }] };
  }
  return { error: `Component '${address}' - content not found` };
}

interface FileOrigin {
  readonly subject: ProjectSubject;
  readonly commit: Commit;
}

async function local(services: Services, place: PipelineSource, path: string, from: ConfigOrigin): Promise<Resolved> {
  const missing = { error: `Local file \`${path}\` does not exist!` };
  const at = await originOf(services, place, from);
  if (!at) return missing;
  const wanted = path.replace(/^\/+/, '');
  if (!wanted.includes('*')) {
    const file = await fileAt(services, at, wanted);
    return file ? { files: [file] } : missing;
  }
  const glob = compileIncludeGlob(wanted);
  const paths = glob ? (await filesOf(services, at)).filter((name) => glob.test(name)).slice(0, maxMatches) : [];
  const files = await Promise.all(paths.map((name) => fileAt(services, at, name)));
  return { files: files.flatMap((file) => file ?? []) };
}

async function originOf(
  services: Services,
  place: PipelineSource,
  from: ConfigOrigin,
): Promise<FileOrigin | undefined> {
  const own = from.project === place.subject.fullPath;
  if (own && from.sha === place.commit.oid) return place;
  if (from.project === null || from.sha === null) return undefined;
  const subject = own ? place.subject : await readableCode(services, place.actor, from.project);
  const commit = subject && (await resolveCommit(services, subject, from.sha));
  return subject && commit ? { subject, commit } : undefined;
}

async function ofProject(
  services: Services,
  place: PipelineSource,
  { project, ref, file }: Extract<IncludeRequest, { type: 'project' }>,
): Promise<Resolved> {
  const subject = await readableCode(services, place.actor, project);
  if (!subject) {
    const hint = 'Make sure any includes in the pipeline configuration are correctly defined.';
    return { error: `Project \`${project}\` not found or access denied! ${hint}` };
  }
  const commit = await resolveCommit(services, subject, ref ?? undefined);
  if (!commit) return { error: `Project \`${project}\` reference \`${ref ?? 'HEAD'}\` does not exist!` };
  const found = await fileAt(services, { subject, commit }, file.replace(/^\/+/, ''));
  return found ? { files: [found] } : { error: `Project \`${project}\` file \`${file}\` does not exist!` };
}

async function fileAt(
  services: Services,
  { subject, commit }: FileOrigin,
  path: string,
): Promise<IncludedFile | undefined> {
  const text = await textAt(services, subject, commit, path);
  if (text === undefined) return undefined;
  const address = (kind: string) => `${projectUrl(services, subject)}/-/${kind}/${commit.oid}/${inAddress(path)}`;
  return {
    text,
    origin: { project: subject.fullPath, sha: commit.oid },
    location: path,
    blob: address('blob'),
    raw: address('raw'),
  };
}

/** The text of a file of a commit; undefined where there is none, or where it is too large to be read. */
export async function textAt(
  services: Services,
  subject: ProjectSubject,
  commit: Commit,
  path: string,
): Promise<string | undefined> {
  const objects = services.git.objects(repositoryOf(services, subject));
  const entry = await objects.entryAt(commit.tree, path);
  if (!entry || entryType(entry) !== 'blob') return undefined;
  const info = await objects.info(entry.oid);
  if (info.status !== 'found' || info.size > largestFile) return undefined;
  return (await objects.blob(entry.oid, largestFile))?.toString('utf8');
}

/** Files that may be older than what is there now, since whoever includes them says so; what could not be fetched is not kept. */
const fetchedBy = perServer(
  (_: Services) => new LRUCache<string, { text: string; at: number }>({ maxSize: 32 * 1024 * 1024 }),
);

async function kept(services: Services, url: string, seconds: number | undefined): Promise<Resolved> {
  if (seconds === undefined) return remote(services, url);
  const files = fetchedBy(services);
  const known = files.get(url);
  if (known && Date.now() - known.at < seconds * 1000) return remoteFile(url, known.text);
  const fetched = await remote(services, url);
  const text = 'files' in fetched ? fetched.files[0]?.text : undefined;
  if (text !== undefined) files.set(url, { text, at: Date.now() }, { size: text.length + url.length });
  return fetched;
}

const remoteFile = (url: string, text: string): Resolved => ({
  files: [{ text, origin: { project: null, sha: null }, location: url, raw: url }],
});

async function remote({ egress }: Services, url: string): Promise<Resolved> {
  const failed = (why: string) => ({ error: `Remote file \`${url}\` could not be fetched because of ${why}!` });
  try {
    const answer = await egress.fetch(url, { maxBytes: largestFile, timeoutsMs: remoteTimeouts, redirects: 3 });
    const text = await answer.text();
    if (answer.status !== 200) return failed(`HTTP code \`${answer.status}\` error`);
    return remoteFile(url, text);
  } catch (error) {
    if (error instanceof EgressRefused) return { error: `Remote file \`${url}\` does not have a valid address!` };
    return failed(error instanceof ResponseTooLarge ? 'its size' : 'a socket error');
  }
}
