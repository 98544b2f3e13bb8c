import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { languagesKnown } from '../../code/languages/public.ts';
import { findRelease } from '../../code/releases/public.ts';
import { repositoryOf } from '../../code/repository/public.ts';
import type { Reader } from '../../platform/database/database.ts';

/** What a pipeline runs on. */
export interface RefFacts {
  readonly projectId: number;
  readonly kind: 'branch' | 'tag' | 'merge_request';
  /** Short name. */
  readonly ref: string;
}

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    /** Adds variables of a branch or tag that are known before the pipeline exists, so that rules can use them. */
    'variables.of-ref': (services: Services, db: Reader, of: RefFacts) => Promise<Readonly<Record<string, string>>>;
  }
}

const maxLanguages = 5;
const maxDescriptionLength = 1024;

/** Returns the variables of a branch or tag that have to be looked up. They are available to rules and to jobs. */
export async function refVariables(
  services: Services,
  db: Reader,
  subject: ProjectSubject,
  of: Omit<RefFacts, 'projectId'>,
): Promise<Record<string, string>> {
  const { id } = subject.project;
  const facts = { ...of, projectId: id };
  const contributions = services.contributions('variables.of-ref').map((contribute) => contribute(services, db, facts));
  const languages = Object.keys(await languagesKnown(db, id)).slice(0, maxLanguages);
  return Object.assign(
    { CI_PROJECT_REPOSITORY_LANGUAGES: languages.join(',').toLowerCase() },
    of.kind === 'tag' ? await tagVariables(services, db, subject, of.ref) : {},
    ...(await Promise.all(contributions)),
  ) as Record<string, string>;
}

async function tagVariables(
  services: Services,
  db: Reader,
  subject: ProjectSubject,
  name: string,
): Promise<Record<string, string>> {
  const { git } = services;
  const repository = repositoryOf(services, subject);
  const oid = await git.readRef(repository, `refs/tags/${name}`);
  const tag = oid === null ? null : await git.objects(repository).tag(oid);
  const release = await findRelease(db, subject.project.id, name);
  return {
    CI_COMMIT_TAG_MESSAGE: tag?.message.trim() ?? '',
    ...(release && {
      CI_RELEASE_NAME: release.name ?? name,
      CI_RELEASE_DESCRIPTION: (release.description ?? '').slice(0, maxDescriptionLength),
    }),
  };
}
