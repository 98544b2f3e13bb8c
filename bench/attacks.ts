import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerAttacks } from './attacks/answers.ts';
import { type Attack, Target } from './attacks/attack.ts';
import { bodyAttacks } from './attacks/bodies.ts';
import { commitAttacks } from './attacks/commits.ts';
import { configurationAttacks } from './attacks/configurations.ts';
import { entryAttacks, firstReadAttack } from './attacks/entries.ts';
import { repositoryAttacks } from './attacks/repositories.ts';
import { ruleAttacks } from './attacks/rules.ts';
import { runAttacks } from './attacks/runs.ts';
import { startAttacks } from './attacks/starts.ts';
import { textAttacks } from './attacks/texts.ts';
import { type Seen, watch } from './attacks/watch.ts';
import { freePort, startHearth, stop } from './processes.ts';
import { token } from './seed.ts';

/*
 * `npm run attacks [-- part of a name ...]`: repeats attacks that once exhausted or crashed the server, and prints for
 * each how long the event loop was blocked, the peak memory of the server and its git processes, and how
 * `/api/v4/version` was answered meanwhile. Exits with 1 if an attack succeeds.
 */
const idle: Attack = { item: 0, name: 'idle for one second', run: waitASecond };
const all = [
  ...[idle, ...bodyAttacks, ...entryAttacks, ...repositoryAttacks, firstReadAttack],
  ...[...ruleAttacks, ...answerAttacks, ...startAttacks, ...textAttacks, ...runAttacks],
  ...[...configurationAttacks, ...commitAttacks],
];
const words = process.argv.slice(2);
const chosen = all.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));

/** Maximum time for which an unauthenticated request may block the event loop. */
const longestHoldMs = 50;
/** Memory limit of one git process; several run at a time. */
const maxGitMb = 2048;

async function waitASecond(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return '';
}

const mayHoldMs = ({ anonymous, loop }: Attack) => (anonymous ? longestHoldMs : (loop ?? Number.POSITIVE_INFINITY));

function complaints(attack: Attack, seen: Seen): string[] {
  const found: string[] = [];
  if (seen.heldMs > mayHoldMs(attack)) found.push(`blocked the loop for ${Math.round(seen.heldMs)} ms`);
  if (seen.gitMb > maxGitMb) found.push(`git took ${Math.round(seen.gitMb)} MB`);
  if (seen.failures > 0) found.push(`${seen.failures} unanswered requests meanwhile`);
  return found;
}

function line(attack: Attack, seen: Seen, outcome: string): string {
  const { answers, slowestMs, serverMb, gitMb, heldMs } = seen;
  const meanwhile = `${answers}, slowest ${Math.round(slowestMs)} ms`;
  const memory = `${Math.round(serverMb)} MB | ${Math.round(gitMb)} MB`;
  return `| ${attack.item || ''} | ${attack.name} | ${outcome} | ${Math.round(heldMs)} ms | ${memory} | ${meanwhile} |`;
}

interface Fired {
  readonly result: { readonly outcome: string; readonly failed: boolean };
  readonly seen: Seen;
}

/** The cost of an attack is the same in each attempt; interference from other processes is not. */
const tries = 3;

async function fire(attack: Attack, target: Target): Promise<boolean> {
  await attack.prepare?.(target);
  const once = (): Promise<Fired> =>
    watch(target.server, () =>
      attack.run(target).then(
        (outcome) => ({ outcome, failed: false }),
        (error: unknown) => ({ outcome: `FAILED: ${error instanceof Error ? error.message : error}`, failed: true }),
      ),
    );
  let { result, seen } = await once();
  for (let turn = 1; turn < tries && !result.failed && seen.heldMs > mayHoldMs(attack); turn += 1) {
    const again = await once();
    if (again.result.failed || again.seen.heldMs < seen.heldMs) ({ result, seen } = again);
  }
  const found = complaints(attack, seen);
  const outcome = [result.outcome, ...found.map((what) => `FAILED: ${what}`)].filter((part) => part !== '').join('; ');
  console.log(line(attack, seen, outcome.replaceAll('\n', ' ')));
  return result.failed || found.length > 0;
}

const home = await mkdtemp(join(tmpdir(), 'hearth-attacks-'));
const server = await startHearth(join(home, 'data'), await freePort(), token, ['--body-stall', '2s']);
try {
  const target = new Target(server, home);
  await target.make('/api/v4/projects', { name: 'open', visibility: 'public', initialize_with_readme: true });
  console.log('| item | attack | outcome | loop blocked | server memory | git memory | concurrent requests |');
  console.log('|---|---|---|---|---|---|---|');
  let failures = 0;
  for (const attack of chosen) if (await fire(attack, target)) failures += 1;
  console.log(`\n${chosen.length} attacks, ${failures} succeeded`);
  process.exitCode = failures === 0 ? 0 : 1;
} finally {
  await stop(server);
  await rm(home, { recursive: true, force: true, maxRetries: 10 });
}
