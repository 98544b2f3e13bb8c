import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';
import type { Told, Watching } from './standstill.ts';

// The watchdog thread of endAtStandstill (standstill.ts).
const { report, patienceMs }: Watching = workerData;
const answerWithinMs = Math.min(10_000, patienceMs);

let doing: Exclude<Told, { state: string }> = { file: 'none yet', tests: [] };
let patience = setTimeout(standsStill, patienceMs);

parentPort?.on('message', (told: Told) => {
  if ('state' in told) return end(told.state);
  doing = told;
  clearTimeout(patience);
  patience = setTimeout(standsStill, patienceMs);
});

function standsStill(): void {
  const session = new Session();
  session.connectToMainThread();
  const urls = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url));
  // Only received while the main thread executes JavaScript, not while it waits for events or in a native call.
  session.on('Debugger.paused', ({ params }) => {
    const frames = params.callFrames.map(
      ({ functionName, location }) =>
        `    at ${functionName || '<anonymous>'} (${urls.get(location.scriptId)}:${location.lineNumber + 1})`,
    );
    end(['its thread is running:', ...frames].join('\n'));
  });
  setTimeout(() => {
    session.post('Debugger.enable');
    session.post('Debugger.pause');
  }, answerWithinMs / 2);
  setTimeout(() => end('its thread is blocked in a call that does not return'), answerWithinMs);
  parentPort?.postMessage('state');
}

function end(state: string): void {
  const children = spawnSync('ps', ['-o', 'pid,etime,args', '--ppid', `${process.pid}`], { encoding: 'utf8' });
  const text = [
    `A test process did nothing for ${patienceMs / 1000} seconds and was ended.`,
    `file: ${doing.file}`,
    `tests: ${doing.tests.join(', ') || 'none, so perhaps a before or after hook'}`,
    state,
    `child processes:\n${children.stdout ?? ''}`,
  ].join('\n');
  writeFileSync(report, text);
  process.kill(process.pid, 'SIGKILL');
}
