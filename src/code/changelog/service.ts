import type { Services } from '../../access/services.ts';
import { Forbidden, Unprocessable } from '../../platform/http/errors.ts';
import { mayPush } from '../commits/service.ts';
import { type Asker, countAgainst, defaultBranch } from '../repository/service.ts';
import { type ChangelogFile, commitSection } from './commit.ts';
import { ChangelogError } from './config.ts';
import { type ChangelogQuery, generateSection } from './generate.ts';
import { insertSection } from './section.ts';
import { TemplateError } from './template.ts';

export type { MergeKnowledge } from './merge-knowledge.ts';

const tooMany = 'This changelog has been requested too many times. Try again later.';

async function limitChangelogs(services: Services, { caller, subject }: Asker): Promise<void> {
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
export async function getChangelog(services: Services, asker: Asker, query: ChangelogQuery): Promise<string> {
  await limitChangelogs(services, asker);
  const section = await explained(() => generateSection(services, asker, query));
  return insertSection('', section.version, section.text);
}

/** Writes the section of a version into a file of a branch. */
export async function addChangelog(
  services: Services,
  asker: Asker,
  query: ChangelogQuery & Partial<ChangelogFile>,
): Promise<void> {
  await limitChangelogs(services, asker);
  const branch = query.branch || defaultBranch(asker.subject);
  if (asker.caller.user === null || !(await mayPush(services, asker, branch))) {
    throw new Forbidden('You are not allowed to commit a changelog on this branch');
  }
  const file = query.file || 'CHANGELOG.md';
  const message = query.message || `Add changelog for version ${query.version}`;
  await explained(async () => {
    const section = await generateSection(services, asker, { ...query, to: query.to || branch });
    await commitSection(services, asker, section, { branch, file, message });
  });
}
