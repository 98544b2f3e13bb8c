import { type Actor, isAdmin } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { Forbidden, Invalid } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { compileUserRegex } from '../../platform/user-regex.ts';

/** URL schemes and privileged ports allowed for mirrors. */
export const mirrorTargets = { schemes: ['http', 'https', 'ssh', 'git'], lowPorts: [22, 80, 443] } as const;

/** Validates a mirror URL. Errors refer to the given parameter name. */
export async function readMirrorUrl({ egress }: Services, text: string, name: string): Promise<URL> {
  if (text.trim() === '') throw new Invalid({ [name]: ["can't be blank"] });
  const long = lengthProblem(text, 2048);
  if (long !== undefined) throw new Invalid({ [name]: [long] });
  try {
    return (await egress.checkUrl(text, mirrorTargets)).url;
  } catch (error) {
    throw error instanceof EgressRefused ? new Invalid({ [name]: [`is blocked: ${error.message}`] }) : error;
  }
}

/** Administrators may disable mirror configuration for other users. */
export async function requireMirrorAvailable({ settings }: Services, actor: Actor): Promise<void> {
  if (!isAdmin(actor) && !(await settings.read()).mirror_available) throw new Forbidden();
}

/** Validates a branch expression. */
export function checkBranchRegex(source: string): void {
  const long = lengthProblem(source, 255);
  if (long !== undefined) throw new Invalid({ mirror_branch_regex: [long] });
  try {
    compileUserRegex(source);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Invalid({ mirror_branch_regex: [`not valid RE2 syntax: ${reason}`] });
  }
}
