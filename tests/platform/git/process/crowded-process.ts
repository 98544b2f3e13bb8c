import { closeSync, openSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { bzip2 } from '../../../../src/platform/git/archive/bzip2.ts';
import { gitProcessCounters, limitGitProcesses, run } from '../../../../src/platform/git/process/command.ts';

// Started by the tests with a low limit of open files: uses up all of them, runs git and bzip2, and frees them again.
const repo = { path: process.argv[2] ?? '' };
limitGitProcesses({ work: { running: 1, waiting: 1 } });
const attempt = () =>
  run(repo, { name: 'count-objects' }).then(
    () => 'ran',
    (error: Error) => error.name,
  );
const results = [await attempt()];

const files: number[] = [];
const takeAll = () => {
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch {
    // The limit is reached.
  }
};
// Repeated, because descriptors of the process that has just exited are released a little later.
for (let turn = 0; turn < 20; turn += 1) {
  takeAll();
  await setTimeout(1);
}
results.push(await attempt(), await attempt());
results.push(
  await Array.fromAsync(bzip2(Readable.from([]))).then(
    () => 'packed',
    () => 'failed',
  ),
);
for (const file of files) closeSync(file);
results.push(await attempt(), `${gitProcessCounters().work.running} running`);
console.log(results.join(', '));
