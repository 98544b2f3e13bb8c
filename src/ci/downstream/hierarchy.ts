import type { PipelineRow } from '../pipelines/public.ts';

const deepestChild = 2;
/** A pipeline that comes of itself a second time would go on for ever. */
const maxOfOneKind = 2;

/** Ancestors that are looked at: past them something else has gone wrong already. */
export const maxAncestors = 100;

/** What a bridge is about to start. */
export interface Planned {
  readonly child: boolean;
  readonly projectId: number;
  readonly ref: string;
}

type Ancestor = Pick<PipelineRow, 'source' | 'project_id' | 'ref'>;

/** Why a pipeline below these ones, the nearest first, is refused; null where it may be. `family`: how many there are. */
export function refusalOf(
  ancestors: readonly Ancestor[],
  family: { readonly size: number; readonly most: number },
  planned: Planned,
): string | null {
  if (planned.child && childDepth(ancestors) >= deepestChild) return 'reached_max_descendant_pipelines_depth';
  if (family.size >= family.most) return 'reached_max_pipeline_hierarchy_size';
  const same = ancestors.filter(({ project_id, ref }) => project_id === planned.projectId && ref === planned.ref);
  const looped = !planned.child && same.filter(({ source }) => source === 'pipeline').length >= maxOfOneKind;
  return looped || ancestors.length >= maxAncestors ? 'pipeline_loop_detected' : null;
}

/** How many child pipelines lie in one another, ending with the nearest. */
function childDepth(ancestors: readonly Ancestor[]): number {
  const end = ancestors.findIndex(({ source }) => source !== 'parent_pipeline');
  return end === -1 ? ancestors.length : end;
}
