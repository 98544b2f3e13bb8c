/** Tag settings of a runner. */
interface Tagged {
  readonly tags: readonly string[];
  readonly runUntagged: boolean;
}

/** Whether a runner can take a job with these tags: it has all of them, or runs untagged jobs. */
export function matchesTags({ tags, runUntagged }: Tagged, jobTags: readonly string[]): boolean {
  return jobTags.length === 0 ? runUntagged : jobTags.every((tag) => tags.includes(tag));
}

/** Runner features that a job requires. */
export interface Demands {
  readonly reports: boolean;
  readonly mergeRequest: boolean;
  readonly exclude: boolean;
  readonly release: boolean;
  readonly exitCodes: boolean;
  readonly fallbackKeys: boolean;
  readonly secrets: boolean;
  readonly inputs: boolean;
  readonly run: boolean;
}

const features: readonly (readonly [keyof Demands, string])[] = [
  ['reports', 'upload_multiple_artifacts'],
  ['mergeRequest', 'refspecs'],
  ['exclude', 'artifacts_exclude'],
  ['release', 'multi_build_steps'],
  ['exitCodes', 'return_exit_code'],
  ['fallbackKeys', 'fallback_cache_keys'],
  ['secrets', 'vault_secrets'],
  ['inputs', 'job_inputs'],
  ['run', 'native_steps_integration'],
];

/** Features required by a job that the runner does not report. */
export function missingFeatures(demands: Demands, reported: Readonly<Record<string, unknown>>): string[] {
  return features.flatMap(([demand, feature]) => (demands[demand] && reported[feature] !== true ? feature : []));
}
