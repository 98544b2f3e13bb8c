import type { PipelineRow } from '../pipelines/public.ts';

const maxChildDepth = 2;
/** A project and ref may occur this often among the ancestors; more would be an endless loop. */
const maxOccurrences = 2;

/** Maximum number of ancestors checked; deeper hierarchies are refused as loops. */
export const maxAncestors = 100;

/** The downstream pipeline a bridge is about to create. */
export interface Planned {
  readonly child: boolean;
  readonly projectId: number;
  readonly ref: string;
}

type Ancestor = Pick<PipelineRow, 'source' | 'project_id' | 'ref'>;

/**
 * Returns the failure reason of a pipeline below these ancestors (nearest first), or null when it may be created.
 * `family` has the size of the hierarchy and its limit.
 */
export function refusalOf(
  ancestors: readonly Ancestor[],
  family: { readonly size: number; readonly limit: number },
  planned: Planned,
): string | null {
  if (planned.child && childDepth(ancestors) >= maxChildDepth) return 'reached_max_descendant_pipelines_depth';
  if (family.size >= family.limit) return 'reached_max_pipeline_hierarchy_size';
  const same = ancestors.filter(({ project_id, ref }) => project_id === planned.projectId && ref === planned.ref);
  const isLoop = !planned.child && same.filter(({ source }) => source === 'pipeline').length >= maxOccurrences;
  return isLoop || ancestors.length >= maxAncestors ? 'pipeline_loop_detected' : null;
}

/** Nesting depth of child pipelines, counted from the nearest ancestor. */
function childDepth(ancestors: readonly Ancestor[]): number {
  const end = ancestors.findIndex(({ source }) => source !== 'parent_pipeline');
  return end === -1 ? ancestors.length : end;
}
