const maxJobs = 50;

/** Returns a paragraph that lists the failed jobs, or nothing if there are none. */
export function failedJobs(
  jobs: readonly { readonly name: string; readonly stage: string; readonly status: string }[],
): string[] {
  const failed = jobs.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return [];
  const named = failed.slice(0, maxJobs).map(({ name, stage }) => `- ${name} (${stage})`);
  const more = failed.length > maxJobs ? [`… and ${failed.length - maxJobs} more`] : [];
  return [['Failed jobs:', ...named, ...more].join('\n')];
}
