import type { Services } from '../../access/services.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { KeysetPage, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import type { DeadJob } from '../../platform/queue/queue.ts';

export async function listDeadJobs(
  { queue }: Services,
  filter: { kind?: string; before?: number },
  { perPage }: PageRequest,
): Promise<KeysetPage<ReturnType<typeof present>>> {
  const jobs = await queue.listDead({ ...filter, limit: perPage });
  const last = jobs.length === perPage ? jobs.at(-1) : undefined;
  return new KeysetPage(jobs, last && { before: String(last.id) }).map(present);
}

function present({ createdAt, failedAt, ...job }: DeadJob) {
  return { ...job, created_at: instant(createdAt), failed_at: instantOrNull(failedAt) };
}

export async function retryDeadJob({ queue }: Services, id: number): Promise<void> {
  if (!(await queue.retryDead(id))) throw NotFound.record();
}

export async function discardDeadJob({ queue }: Services, id: number): Promise<void> {
  if (!(await queue.discardDead(id))) throw NotFound.record();
}
