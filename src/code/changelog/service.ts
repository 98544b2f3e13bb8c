import { isSignedIn } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { lastCommit } from '../../platform/git/history/log.ts';
import { Forbidden, HttpError, Unprocessable } from '../../platform/http/errors.ts';
import { type CommitCall, commitFiles, mayPush } from '../commits/public.ts';
import { defaultBranch, enforceRateLimit, type ProjectCall, repositoryOf } from '../repository/public.ts';
import { ChangelogError } from './config.ts';
import { type ChangelogQuery, generateSection, type Section } from './generate.ts';
import { hasSection, insertSection } from './section.ts';
import { TemplateError } from './template/template.ts';

const rateLimitMessage = 'This changelog has been requested too many times. Try again later.';

async function limitChangelogs(services: Services, { caller, subject }: ProjectCall): Promise<void> {
  const key = `${caller.user?.id ?? 'anonymous'}:${subject.project.id}`;
  await enforceRateLimit(services, 'changelog', key, services.config.changelogRate, rateLimitMessage);
}

async function withReadableErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChangelogError || error instanceof TemplateError)) throw error;
    throw new Unprocessable(`Failed to generate the changelog: ${error.message}`);
  }
}

/** Generates the changelog section of a version without writing it. */
export async function getChangelog(services: Services, call: ProjectCall, query: ChangelogQuery): Promise<string> {
  await limitChangelogs(services, call);
  const section = await withReadableErrors(() => generateSection(services, call, query));
  return insertSection('', section.version, section.text);
}

/** Commits the changelog section of a version to a file of a branch. */
export async function addChangelog(
  services: Services,
  call: ProjectCall,
  query: ChangelogQuery & Partial<ChangelogFile>,
): Promise<void> {
  await limitChangelogs(services, call);
  const branch = query.branch || defaultBranch(call.subject);
  const { caller, subject } = call;
  if (!isSignedIn(caller) || !(await mayPush(services, { caller, subject }, branch))) {
    throw new Forbidden('You are not allowed to commit a changelog on this branch');
  }
  const file = query.file || 'CHANGELOG.md';
  const message = query.message || `Add changelog for version ${query.version}`;
  await withReadableErrors(async () => {
    const section = await generateSection(services, call, { ...query, to: query.to || `refs/heads/${branch}` });
    await commitSection(services, { caller, subject }, section, { branch, file, message });
  });
}

/** The file to write a section to. */
interface ChangelogFile {
  readonly branch: string;
  readonly file: string;
  readonly message: string;
}

const maxAttempts = 3;
const maxFileSize = 20 * 1024 * 1024;

/**
 * Commits a section to a changelog unless it is already there. A write that lost a race is retried on the new content.
 */
async function commitSection(
  services: Services,
  committing: CommitCall,
  section: Section,
  target: ChangelogFile,
): Promise<void> {
  let refusal = '';
  for (let i = 0; i < maxAttempts; i++) {
    const current = await currentContent(services, committing, target);
    const content = current?.content ?? '';
    if (hasSection(content, section.version)) return;
    const action = {
      action: current ? ('update' as const) : ('create' as const),
      path: target.file,
      content: {
        text: insertSection(content, section.version, section.text),
        encoding: 'text' as const,
        leniency: 'strict' as const,
      },
      lastCommitId: current?.lastCommitId,
    };
    try {
      await commitFiles(services, committing, {
        branch: target.branch,
        message: target.message,
        actions: [action],
        staleText: ({ path }) => `The file has changed since you started editing it: ${path}`,
      });
      return;
    } catch (error) {
      refusal = refusalOf(error);
    }
  }
  throw new ChangelogError(refusal);
}

function refusalOf(error: unknown): string {
  const message =
    error instanceof HttpError && error.status === 400 ? (error.body as { message?: unknown }).message : null;
  if (typeof message !== 'string') throw error;
  return message;
}

async function currentContent(
  services: Services,
  { subject }: CommitCall,
  { branch, file }: ChangelogFile,
): Promise<{ content: string; lastCommitId: string | undefined } | undefined> {
  const repo = repositoryOf(services, subject);
  const objects = services.git.objects(repo);
  const tip = await objects.commitId(`refs/heads/${branch}`);
  const commit = tip === null ? null : await objects.commit(tip);
  const entry = commit && (await objects.entryAt(commit.tree, file));
  const info = entry && (await objects.info(entry.oid));
  if (!commit || info?.status !== 'found' || info.type !== 'blob') return undefined;
  if (info.size > maxFileSize) throw new ChangelogError(`${file} is too large`);
  const content = (await objects.blob(info.oid, maxFileSize))?.toString() ?? '';
  return { content, lastCommitId: await lastCommit(repo, commit.oid, file) };
}
