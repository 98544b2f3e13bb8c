/** What of a runner decides which tags a job may have. */
interface Tagged {
  readonly tags: readonly string[];
  readonly runUntagged: boolean;
}

/** Whether a runner may have a job with these tags: it has all of them, or takes what has none. */
export function takesTags({ tags, runUntagged }: Tagged, wanted: readonly string[]): boolean {
  return wanted.length === 0 ? runUntagged : wanted.every((tag) => tags.includes(tag));
}

/** What a runner must be able to do for a job. */
export interface Demands {
  readonly reports: boolean;
  readonly mergeRequest: boolean;
  readonly exclude: boolean;
  readonly release: boolean;
  readonly exitCodes: boolean;
  readonly fallbackKeys: boolean;
  readonly secrets: boolean;
}

const features: readonly (readonly [keyof Demands, string])[] = [
  ['reports', 'upload_multiple_artifacts'],
  ['mergeRequest', 'refspecs'],
  ['exclude', 'artifacts_exclude'],
  ['release', 'multi_build_steps'],
  ['exitCodes', 'return_exit_code'],
  ['fallbackKeys', 'fallback_cache_keys'],
  ['secrets', 'vault_secrets'],
];

/** What a job asks for that a runner does not say it can do. */
export function lacking(demands: Demands, offered: Readonly<Record<string, unknown>>): string[] {
  return features.flatMap(([demand, feature]) => (demands[demand] && offered[feature] !== true ? feature : []));
}
