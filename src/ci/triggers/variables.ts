import type { Services } from '../../access/services.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { CiJobRow } from '../jobs/public.ts';
import type { PipelineRow } from '../pipelines/public.ts';
import { shortTokenOf } from './service.ts';
import { triggerOfProject } from './store.ts';

/** Exposes a shortened token to the jobs of a triggered pipeline, too short to be used. */
export async function triggerVariables(services: Services, db: Reader, _job: CiJobRow, pipeline: PipelineRow) {
  if (pipeline.trigger_id === null) return [];
  const trigger = await triggerOfProject(db, pipeline.project_id, pipeline.trigger_id);
  return trigger ? [{ key: 'CI_TRIGGER_SHORT_TOKEN', value: shortTokenOf(services, trigger) }] : [];
}
