import { compositeStatus, isStatus } from '../states/public.ts';

/** The state of a pipeline, from those of its statuses, each with whether its failure counts; none for no statuses. */
export function pipelineStatus(
  statuses: readonly { readonly status: string; readonly allow_failure: number }[],
): string | undefined {
  const parts = statuses.flatMap(({ status, allow_failure }) =>
    isStatus(status) ? [{ status, allowFailure: allow_failure === 1 }] : [],
  );
  return compositeStatus(parts) ?? undefined;
}
