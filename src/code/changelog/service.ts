import { isSignedIn } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { Forbidden, Unprocessable } from '../../platform/http/errors.ts';
import { mayPush } from '../commits/public.ts';
import { countAgainst, defaultBranch, type ProjectCall } from '../repository/public.ts';
import { type ChangelogFile, commitSection } from './commit.ts';
import { ChangelogError } from './config.ts';
import { type ChangelogQuery, generateSection } from './generate.ts';
import { insertSection } from './section.ts';
import { TemplateError } from './template.ts';

export type { MergeKnowledge } from './merge-knowledge.ts';

const tooMany = 'This changelog has been requested too many times. Try again later.';

async function limitChangelogs(services: Services, { caller, subject }: ProjectCall): Promise<void> {
  const key = `${caller.user?.id ?? 'anonymous'}:${subject.project.id}`;
  await countAgainst(services, 'changelog', key, services.config.changelogRate, tooMany);
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChangelogError || error instanceof TemplateError)) throw error;
    throw new Unprocessable(`Failed to generate the changelog: ${error.message}`);
  }
}

/** The section of a version; nothing is written. */
export async function getChangelog(services: Services, call: ProjectCall, query: ChangelogQuery): Promise<string> {
  await limitChangelogs(services, call);
  const section = await explained(() => generateSection(services, call, query));
  return insertSection('', section.version, section.text);
}

/** Writes the section of a version into a file of a branch. */
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
  await explained(async () => {
    const section = await generateSection(services, call, { ...query, to: query.to || branch });
    await commitSection(services, { caller, subject }, section, { branch, file, message });
  });
}
