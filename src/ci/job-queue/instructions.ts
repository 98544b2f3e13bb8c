import { reportFormat, reportName } from '../artifacts/public.ts';
import type { PlannedArtifacts, PlannedCache, PlannedImage, PlannedJob, PlannedService } from '../config/public.ts';

/** The steps that a runner executes. */
export function stepsOf(planned: PlannedJob, timeout: number) {
  const script = [...planned.beforeScript, ...planned.script];
  return [
    { name: 'script', script, timeout, when: 'on_success', allow_failure: false },
    ...(planned.release ? [{ ...releaseStep(planned.release), timeout }] : []),
    ...(planned.afterScript.length > 0
      ? [{ name: 'after_script', script: [...planned.afterScript], timeout, when: 'always', allow_failure: true }]
      : []),
  ];
}

const quoted = (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`;

/** Quotes a value so that the shell still expands variables in it, as in a script. */
const expandable = (text: string) => `"${text.replace(/["\\`]/g, '\\$&')}"`;

function releaseStep(release: NonNullable<PlannedJob['release']>) {
  const links = release.links.map(({ name, url, filepath, linkType }) =>
    JSON.stringify({ name, url, ...(filepath && { filepath }), ...(linkType && { link_type: linkType }) }),
  );
  const flags: readonly (readonly [string, string | null])[] = [
    ['name', release.name],
    ['description', release.description],
    ['tag-name', release.tagName],
    ['tag-message', release.tagMessage],
    ['ref', release.ref ?? (release.tagName ? '$CI_COMMIT_SHA' : null)],
    ['released-at', release.releasedAt],
    ...release.milestones.map((milestone) => ['milestone', milestone] as const),
  ];
  const args = flags.flatMap(([flag, value]) => (value === null ? [] : `--${flag} ${expandable(value)}`));
  const command = ['release-cli create', ...args, ...links.map((link) => `--assets-link ${quoted(link)}`)].join(' ');
  return { name: 'release', script: [command], when: 'on_success', allow_failure: false };
}

export function imageOf({ name, entrypoint, pullPolicy, executorOpts }: PlannedImage) {
  return {
    name,
    entrypoint: entrypoint && [...entrypoint],
    ports: [],
    executor_opts: executorOpts as Record<string, Record<string, string>>,
    pull_policy: pullPolicy && [...pullPolicy],
  };
}

export function serviceOf(service: PlannedService) {
  return {
    ...imageOf(service),
    alias: service.alias,
    command: service.command && [...service.command],
    variables: service.variables.map(({ key, value }) => ({ key, value })),
  };
}

/** Artifacts to upload: an archive of the paths, and each report as a separate file. */
export function artifactsOf(planned: PlannedArtifacts | null) {
  if (planned === null) return null;
  const expiry = planned.expireIn === null ? {} : { expire_in: planned.expireIn };
  const archive = {
    ...(planned.name === null ? {} : { name: planned.name }),
    untracked: planned.untracked,
    paths: [...planned.paths],
    exclude: [...planned.exclude],
    when: planned.when as string,
    ...expiry,
    artifact_type: 'archive',
    artifact_format: 'zip',
  };
  const reports = Object.entries(planned.reports).map(([type, paths]) => ({
    name: reportName(type),
    untracked: false,
    paths: [...paths],
    exclude: [],
    when: 'always',
    ...expiry,
    artifact_type: type,
    artifact_format: reportFormat(type),
  }));
  return [...(planned.paths.length > 0 || planned.untracked ? [archive] : []), ...reports];
}

/** The caches of a job. Jobs on protected refs use separate caches, so that unprotected jobs cannot poison them. */
export function cachesOf(
  caches: readonly PlannedCache[],
  { separated, protected: protectedRef }: { readonly separated: boolean; readonly protected: boolean },
) {
  return caches.map((cache) => {
    const suffix = !separated ? '' : protectedRef && !cache.unprotect ? '-protected' : '-non_protected';
    const withSuffix = (key: string) => (key === '' ? key : key + suffix);
    return {
      key: withSuffix(cache.key),
      untracked: cache.untracked,
      paths: [...cache.paths],
      policy: cache.policy,
      when: cache.when as string,
      fallback_keys: cache.fallbackKeys.map(withSuffix),
    };
  });
}
