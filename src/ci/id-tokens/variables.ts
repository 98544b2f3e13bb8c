import { actorOnBehalfOf, anonymous } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, projectSubject } from '../../access/subjects.ts';
import { signer } from '../../people/oauth/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { expandKnown } from '../config/public.ts';
import { type CiJobRow, plannedJob } from '../jobs/public.ts';
import type { PipelineRow } from '../pipelines/public.ts';
import { completed, isStatus } from '../states/public.ts';
import { claimsOf } from './claims.ts';

/** Signs the tokens configured with `id_tokens`. Completed jobs get none. */
export async function idTokenVariables(
  services: Services,
  db: Reader,
  job: CiJobRow,
  pipeline: PipelineRow,
  variable: (name: string) => string | undefined,
) {
  const configured = Object.entries(plannedJob(job).idTokens);
  if (configured.length === 0 || (isStatus(job.status) && completed.has(job.status))) return [];
  const found = await lookUpProject(db, `${job.project_id}`);
  if (!found) return [];
  const user = await findUser(db, job.user_id);
  const subject = await projectSubject(db, user ? actorOnBehalfOf(user) : anonymous, found.project);
  const role = roleName(subject.standing.level);
  const facts = { issuer: services.externalUrl, subject, job, pipeline, user, role, now: Date.now() };
  const sign = await signer(services);
  return configured.map(([key, { aud }]) => {
    const audience = aud.map((text) => expandKnown(text, variable));
    const value = sign({ ...claimsOf(facts), aud: audience.length === 1 ? audience[0] : audience });
    return { key, value, public: false, masked: true, file: false, raw: true };
  });
}

function roleName(level: number): string | null {
  const reached = Object.entries(Role).filter(([, number]) => number > 0 && number <= Role.owner && number <= level);
  return reached.sort(([, one], [, other]) => other - one)[0]?.[0] ?? null;
}
