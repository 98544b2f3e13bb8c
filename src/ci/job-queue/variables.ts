import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { projectUrl } from '../../code/repository/public.ts';
import { expandAll } from '../config/public.ts';
import { type CiJobRow, plannedJob } from '../jobs/public.ts';
import type { PipelineRow } from '../pipelines/public.ts';
import type { RunnerRow } from '../runners/public.ts';

export interface JobVariable {
  readonly key: string;
  readonly value: string;
  readonly public: boolean;
  readonly masked: boolean;
  readonly file: boolean;
  readonly raw: boolean;
}

const plain = { public: true, masked: false, file: false, raw: false };

/** What a job finds in its environment. */
export function variablesOf(
  services: Services,
  subject: ProjectSubject,
  pipeline: PipelineRow,
  job: CiJobRow,
  { token, runner }: { readonly token: string; readonly runner: RunnerRow },
): JobVariable[] {
  const url = projectUrl(services, subject);
  const known: Record<string, string> = {
    CI: 'true',
    GITLAB_CI: 'true',
    CI_SERVER_URL: services.externalUrl,
    CI_API_V4_URL: `${services.externalUrl}/api/v4`,
    CI_PROJECT_ID: `${subject.project.id}`,
    CI_PROJECT_PATH: subject.fullPath,
    CI_PROJECT_NAME: subject.project.path,
    CI_PIPELINE_ID: `${pipeline.id}`,
    CI_PIPELINE_IID: `${pipeline.iid}`,
    CI_PIPELINE_URL: `${url}/-/pipelines/${pipeline.id}`,
    CI_COMMIT_SHA: pipeline.sha,
    CI_COMMIT_REF_NAME: pipeline.ref,
    CI_JOB_ID: `${job.id}`,
    CI_JOB_NAME: job.name,
    CI_JOB_STAGE: job.stage,
    CI_RUNNER_ID: `${runner.id}`,
  };
  const all: JobVariable[] = [
    ...Object.entries(known).map(([key, value]) => ({ ...plain, key, value })),
    { ...plain, key: 'CI_JOB_TOKEN', value: token, public: false, masked: true },
    ...plannedJob(job).variables.map(({ key, value, raw }) => ({ ...plain, key, value, raw })),
  ];
  const byKey = new Map(all.map((one) => [one.key, one]));
  const values = expandAll([...byKey.values()]);
  return [...byKey.values()].map((one) => ({ ...one, value: values.get(one.key) ?? one.value }));
}
