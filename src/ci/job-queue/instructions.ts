import { reportFormat, reportName } from '../artifacts/public.ts';
import type { PlannedArtifacts, PlannedCache, PlannedImage, PlannedJob, PlannedService } from '../config/public.ts';
import { releaseScript } from './release-step.ts';

/** The steps that a runner executes. */
export function stepsOf(planned: PlannedJob, timeout: number, platform: string | null) {
  const script = [...planned.beforeScript, ...planned.script];
  return [
    { name: 'script', script, timeout, when: 'on_success', allow_failure: false },
    ...(planned.release
      ? [
          {
            name: 'release',
            script: [releaseScript(planned.release, platform)],
            timeout,
            when: 'on_success',
            allow_failure: false,
          },
        ]
      : []),
    ...(planned.afterScript.length > 0
      ? [{ name: 'after_script', script: [...planned.afterScript], timeout, when: 'always', allow_failure: true }]
      : []),
  ];
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
